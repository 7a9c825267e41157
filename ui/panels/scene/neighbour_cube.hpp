// Draws the K^3 neighbours of a voxel as K slices of K x K cells. The colour of a cell shows whether the
// offset has an input, and its tooltip shows the input row.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

#include <memory>
#include <vector>

namespace spira::ui {

class NeighbourCube : public QWidget {
  Q_OBJECT
 public:
  explicit NeighbourCube(Theme* theme, QWidget* parent = nullptr);
  /// Displays one row of the kernel map. `inputs` contains the input rows of each column. Shape: [K^3]. Cells
  /// with several inputs contain their number.
  void show(std::shared_ptr<const KernelOffsets> offsets, std::vector<std::vector<std::int32_t>> inputs);
  void setMarked(std::vector<int> columns);  ///< Draws a frame around the cells of these offsets.
  [[nodiscard]] const std::vector<int>& marked() const noexcept { return marked_; }
  [[nodiscard]] QRect cellOf(int column) const;
  [[nodiscard]] QString sliceText(int dz) const;

 signals:
  void columnClicked(int column);
  /// Emitted when the pointer moves. -1 means that the pointer is not over a cell.
  void columnHovered(int column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int columnAt(const QPoint& at) const;

  Theme* theme_;
  std::shared_ptr<const KernelOffsets> offsets_;
  std::vector<std::vector<std::int32_t>> inputs_;
  std::vector<int> marked_;
};

}  // namespace spira::ui

// The K^3 neighbours of a voxel as K slices of K x K cells: hit or miss, with the input row on hover.
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
  /// `inputs`: the row of the kernel map, [K^3], -1 = no input.
  void show(std::shared_ptr<const KernelOffsets> offsets, std::vector<std::int32_t> inputs);
  void setMarked(std::vector<int> columns);  ///< a frame around each
  [[nodiscard]] const std::vector<int>& marked() const noexcept { return marked_; }
  [[nodiscard]] QRect cellOf(int column) const;
  [[nodiscard]] QString sliceText(int dz) const;

 signals:
  void columnClicked(int column);
  void columnHovered(int column);  ///< -1: none

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
  std::vector<std::int32_t> inputs_;
  std::vector<int> marked_;
};

}  // namespace spira::ui

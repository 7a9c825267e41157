// Draws a kernel map as two pictures, in natural order and sorted by mask, and the redundancy of each number
// of splits as bars (section 4.1 of the TorchSparse++ paper).
#pragma once

#include "engine/map/redundancy.hpp"
#include "ui/charts/chart.hpp"

#include <QImage>
#include <QString>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace spira::ui {

/// The numbers of splits that the user can choose. 0 means that the outputs keep their order.
inline constexpr std::array splits_to_choose{0, 1, 2, 3, 4, 5, 8};
/// Returns "unsorted", "1 split" or "2 splits".
[[nodiscard]] QString splitsText(int splits);

struct RowsFacts {
  RowsPicture natural, sorted;
  /// One entry per element of splits_to_choose. Its counts are 0 if `why_not` contains a reason.
  std::array<Redundancy, splits_to_choose.size()> counts;
  std::array<std::string, splits_to_choose.size()> why_not;
  /// Returns the counts for the number of splits of `sorted`.
  [[nodiscard]] const Redundancy& chosen() const;
};

class RowsChart : public Chart {
  Q_OBJECT
 public:
  explicit RowsChart(Theme* theme, QWidget* parent = nullptr);
  /// `subject` names the map. `nullptr` removes the pictures.
  void setFacts(std::shared_ptr<const RowsFacts> facts, const QString& subject);
  [[nodiscard]] const std::shared_ptr<const RowsFacts>& facts() const noexcept { return facts_; }
  /// Marks the lines that contain the selected voxel: one line of the natural order, and one line per split.
  void setMarkedLines(int natural, std::vector<int> sorted);
  [[nodiscard]] const std::vector<int>& markedLines() const noexcept { return marked_sorted_; }
  void setChosen(std::vector<int> columns);
  /// Returns a point inside a line, below the column `column`. `sorted` selects the right picture.
  [[nodiscard]] QPoint pointAt(bool sorted, int line, int column) const;

  [[nodiscard]] QString name() const override { return "rows"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;

 signals:
  void splitsClicked(int splits);
  /// A line of a picture was clicked. `sorted` is true for the right picture.
  void lineClicked(bool sorted, int line, int column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void chooseRow(int row) override;

 private:
  [[nodiscard]] QRectF pictureArea(bool sorted) const;
  [[nodiscard]] QRectF barsArea() const;
  [[nodiscard]] double columnLeft(const RowsPicture& picture, const QRectF& area, int column) const;
  [[nodiscard]] int columnAt(const RowsPicture& picture, const QRectF& area, double x) const;
  [[nodiscard]] QImage drawn(const RowsPicture& picture, const QRectF& area, double ratio) const;
  void paintPicture(QCPPainter& painter, bool sorted);
  void paintMarks(QCPPainter& painter, const RowsPicture& picture, const QRectF& area,
                  const std::vector<int>& lines);
  void paintBars(QCPPainter& painter) const;

  std::shared_ptr<const RowsFacts> facts_;
  QString subject_;
  int marked_natural_ = -1;
  std::vector<int> marked_sorted_, chosen_;
  // The pictures of the last paint event, and the state for which they were drawn.
  struct Drawn {
    QImage image;
    std::shared_ptr<const RowsFacts> of;
    bool dark = false;
  };
  std::array<Drawn, 2> drawn_;
};

}  // namespace spira::ui

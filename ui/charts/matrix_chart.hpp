// Heat map of a SettingMatrix, with one row for each layer and one column for each t. The user picks settings
// with a click, by dragging over several rows of a column, or with the keyboard.
#pragma once

#include "engine/tune/matrix.hpp"
#include "ui/charts/heat_map.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

/// Returns the column of the cell with this setting, or -1 if the layer cannot run with it.
[[nodiscard]] int column_of(const MatrixRow& row, const LayerSetting& setting) noexcept;

/// Returns the change from `before_ms` to `ms` in percent, for example "-2.2 %" or "+1.0 %".
[[nodiscard]] QString changeText(double ms, double before_ms);

/// Returns the rows of the matrix with too few samples for a verdict.
[[nodiscard]] std::vector<int> undecided_rows(const SettingMatrix& matrix);

/// Returns what a cell contains, and why the cells do not add up to the total of the network.
[[nodiscard]] QString matrixCostText();

/// Names the measurement of a matrix, because the layer list and Density show times of another measurement.
struct MatrixOrigin {
  QString subject;          ///< The network and the device, for titles of pictures.
  QString source;           ///< The measurement: "sweep" or "tuned".
  bool with_order = false;  ///< True if the times of the features contain the row order.
  bool tuned = false;       ///< True if the tuner chose the settings that the user did not pick.
  bool final = true;        ///< False while the tuner measures more cells.
};

class MatrixChart : public HeatMap {
  Q_OBJECT
 public:
  explicit MatrixChart(Theme* theme, QWidget* parent = nullptr);

  /// `nullptr` draws nothing.
  void setMatrix(std::shared_ptr<const SettingMatrix> matrix, MatrixOrigin origin);
  /// Draws a frame around the picked settings. Where the current plan has other settings, draws a dashed
  /// frame around them. Both lists have one setting for each row. `in_use` is empty if there is no plan to
  /// compare with.
  void setPicks(MatrixPicks picks, MatrixPicks in_use);
  /// Shows the full names of the layers instead of the short names.
  void setFullNames(bool full);
  /// Highlights a row and scrolls to it. -1 removes the highlight.
  void setChosenLayer(int layer);
  [[nodiscard]] const std::shared_ptr<const SettingMatrix>& matrix() const noexcept { return matrix_; }
  /// `place` must be a cell of the matrix.
  [[nodiscard]] const MatrixCell& cellAt(const MatrixPlace& place) const;
  [[nodiscard]] const MatrixPicks& picks() const noexcept { return picks_; }
  [[nodiscard]] const QStringList& names() const noexcept {
    return names_.shown;
  }  ///< One name for each row.
  [[nodiscard]] QString tipOf(const MatrixPlace& place) const override;
  [[nodiscard]] QString headTip(double x) const override;

  [[nodiscard]] QString name() const override { return "matrix"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return matrix_ && !matrix_->rows.empty(); }
  /// The table has one row for each cell, except for settings that the layer cannot run.
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  /// Emitted once for each click, drag or key press. Each layer in `rows` can run the setting of `column`.
  void picked(const std::vector<int>& rows, int column);
  void compareRequested(int row, int column);

 protected:
  [[nodiscard]] int rowCount() const override;
  [[nodiscard]] const std::vector<MatrixSetting>& settings() const override;
  [[nodiscard]] CellState stateOf(const MatrixPlace& place) const override;
  [[nodiscard]] QString nameHeading() const override { return tr("Layer"); }
  [[nodiscard]] QString nameOf(int row) const override { return names_.shown[row]; }
  [[nodiscard]] Widths widthsIn(double space) override;
  [[nodiscard]] std::vector<Entry> shownEntries() const override;
  [[nodiscard]] QString entryTip(EntryKind kind) const override;
  [[nodiscard]] QString scaleTitle() const override { return tr("time with map / best time (log)"); }
  void paintSideHeads(QPainter& painter) const override;
  void paintSides(QPainter& painter, int row, const QRectF& line) const override;
  void paintTimes(QPainter& painter, const MatrixPlace& place, const QRectF& area) const override;
  void paintMarks(QPainter& painter, int row) const override;
  void paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const override;
  void activate(const MatrixPlace& place, bool shift) override;

  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] bool canPick(const MatrixPlace& place) const;
  void nameRows();
  void orderRows();
  /// Returns why layers cannot run with the t of some cells.
  [[nodiscard]] QString infeasibleText() const;
  /// Returns the contents of the times: "features" or "features and row order".
  [[nodiscard]] QString contentsText() const;
  /// Returns the legend text for the column of times.
  [[nodiscard]] QString timesText() const;
  /// Returns the measurement of the times next to the layer names, such as "tuned, n = 9 to 15".
  [[nodiscard]] QString sourceText() const;
  /// Returns the cell whose time appears next to the layer name, or `nullptr`.
  [[nodiscard]] static const MatrixCell* timedCell(const MatrixRow& row);
  [[nodiscard]] std::vector<int> draggedRows() const;
  /// Returns why the layer of a cell cannot run with the t of the cell.
  [[nodiscard]] QString whyInfeasible(const MatrixPlace& place) const;
  /// Returns the times of the layer with the setting in use, the picked setting and the best setting.
  [[nodiscard]] QString gainText(int row) const;
  /// Returns the error of the model that predicted the time of a cell, or the reason why the cell has no
  /// modelled time. Returns an empty string if the chart has no model.
  [[nodiscard]] QString modelText(const MatrixCell& cell) const;
  [[nodiscard]] QString measuredText(const MatrixRow& row, const MatrixCell& cell) const;

  std::shared_ptr<const SettingMatrix> matrix_;
  struct {
    QStringList shown, brief;  // One name for each row.
    bool full = false;
  } names_;
  MatrixOrigin origin_;
  bool ordered_ = false;  // True if the rows are not in the order of the network.
  MatrixPicks picks_, in_use_;
  // The cell where the mouse button was pressed, and the row to which the user dragged.
  // The dragged row is a position from the top.
  std::optional<MatrixPlace> pressed_;
  int dragged_to_ = -1;
  bool wants_comparison_ = false;
};

}  // namespace spira::ui

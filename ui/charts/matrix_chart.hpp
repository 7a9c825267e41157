// Heat map of a SettingMatrix, with one row for each layer and one column for each t. The user picks settings
// with a click, by dragging over several rows of a column, or with the keyboard.
#pragma once

#include "engine/tune/matrix.hpp"
#include "ui/charts/chart.hpp"

#include <memory>
#include <optional>
#include <vector>

class QScrollBar;

namespace spira::ui {

/// Position of a cell. A value of -1 stands for no row or no column.
struct MatrixPlace {
  int row = -1, column = -1;
  bool operator==(const MatrixPlace&) const = default;
};

/// Returns the column of the cell with this setting, or -1 if the layer cannot run with it.
[[nodiscard]] int column_of(const MatrixRow& row, const LayerSetting& setting) noexcept;

/// Returns the colour of a cell whose time is `relative` times the time of the best setting of its layer. The
/// scale is logarithmic.
[[nodiscard]] QColor matrix_colour(double relative);

/// Returns the change from `before_ms` to `ms` in percent, for example "-2.2 %" or "+1.0 %".
[[nodiscard]] QString changeText(double ms, double before_ms);

/// Names the measurement of a matrix, because the layer list and Density show times of another measurement.
struct MatrixOrigin {
  QString subject;          ///< The network and the device, for titles of pictures.
  QString source;           ///< The measurement: "sweep" or "tuned".
  bool with_order = false;  ///< True if the times of the features contain the row order.
};

class MatrixChart : public Chart {
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
  /// Returns the cell at the keyboard cursor. A click also moves the cursor.
  [[nodiscard]] MatrixPlace current() const noexcept { return current_; }
  [[nodiscard]] const MatrixPicks& picks() const noexcept { return picks_; }
  [[nodiscard]] const QStringList& names() const noexcept {
    return names_.shown;
  }  ///< One name for each row.
  /// Returns all numbers of a cell as text with several lines.
  [[nodiscard]] QString tipOf(const MatrixPlace& place) const;
  /// Returns the centre of a cell for tests. Scrolls the row into view.
  [[nodiscard]] QPoint cellCentre(const MatrixPlace& place);

  [[nodiscard]] QString name() const override { return "matrix"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return matrix_ && !matrix_->rows.empty(); }
  /// The table has one row for each cell, except for settings that the layer cannot run.
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {260, 96}; }
  /// Returns how many rows are visible without scrolling, including hidden rows below the end of the chart.
  [[nodiscard]] int visibleRows() const noexcept;
  /// Returns by how many pixels the chart must grow to show `rows` rows, or all rows if there are fewer.
  [[nodiscard]] int missingHeight(int rows) const noexcept;
  /// Returns the explanation of t and of a column, as the tooltip of the heading at `x` shows it.
  [[nodiscard]] QString headTip(double x) const;
  /// Returns the height at which all rows are visible. Pictures have this height.
  [[nodiscard]] int heightForWidth(int width) const override;

 signals:
  /// Emitted once for each click, drag or key press. Each layer in `rows` can run the setting of `column`.
  void picked(const std::vector<int>& rows, int column);
  void compareRequested(int row, int column);
  void currentChanged(int row, int column);
  void rowHovered(int row);  ///< `row` is -1 if no row is hovered.

 protected:
  void chooseRow(int row) override;
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// Positions and sizes of the parts of the chart, in pixels.
  struct Layout {
    double names = 0;  ///< Width of the layer names.
    double times = 0;  ///< Width of the times of the best setting; 0 if they are not drawn.
    double cell = 0;   ///< Width of a cell.
    double row = 0;    ///< Height of a row.
    double head = 0;   ///< Height of the headings of the columns.
    QRectF cells;      ///< Visible part of the cells.
    QRectF legend;
    double legend_line = 0;  ///< Height of a line of the legend.
  };
  enum class EntryKind {
    scale,
    best,
    tied,
    undecided,
    pick,
    in_use,
    measured,
    modelled,
    not_measured,
    infeasible,
    unusable,
    only,
    note
  };
  struct Entry {
    EntryKind kind;
    QString text;
  };

  [[nodiscard]] bool canPick(const MatrixPlace& place) const;
  void nameRows();
  void place();
  [[nodiscard]] std::vector<Entry> shownEntries() const;
  /// Returns the legend text for cells whose layer cannot run with the t of the cell.
  [[nodiscard]] QString infeasibleText() const;
  /// Returns the contents of the times: "features" or "features and row order".
  [[nodiscard]] QString contentsText() const;
  /// Returns the legend text for the column of times.
  [[nodiscard]] QString timesText() const;
  /// Returns the measurement of the times next to the layer names, such as "tuned, n = 9 to 15".
  [[nodiscard]] QString sourceText() const;
  /// Returns the cell whose time appears next to the layer name, or `nullptr`.
  [[nodiscard]] static const MatrixCell* timedCell(const MatrixRow& row);
  /// Returns the areas of the legend entries, relative to the top left corner of the legend. `width` is the
  /// width of the legend.
  [[nodiscard]] std::vector<QRectF> entryAreas(const std::vector<Entry>& entries, double width) const;
  [[nodiscard]] double legendHeight(double width) const;
  [[nodiscard]] MatrixPlace placeAt(const QPointF& at) const;
  [[nodiscard]] QRectF rectOf(const MatrixPlace& place) const;
  [[nodiscard]] std::vector<int> draggedRows() const;
  void setCurrent(const MatrixPlace& place);
  void setHovered(const MatrixPlace& place);
  void scrollTo(int row);
  bool act(int key, bool compare);
  void paintHead(QPainter& painter) const;
  void paintEnds(QPainter& painter) const;
  /// Returns why the layer of a cell cannot run with the t of the cell.
  [[nodiscard]] QString whyInfeasible(const MatrixPlace& place) const;
  /// Returns the times of the layer with the setting in use, the picked setting and the best setting.
  [[nodiscard]] QString gainText(int row) const;
  void paintRow(QPainter& painter, int row) const;
  void paintCell(QPainter& painter, const MatrixPlace& place) const;
  /// Returns the error of the model that predicted the time of a cell, or the reason why the cell has no
  /// modelled time. Returns an empty string if the chart has no model.
  [[nodiscard]] QString modelText(const MatrixCell& cell) const;
  [[nodiscard]] QString measuredText(const MatrixRow& row, const MatrixCell& cell) const;
  void paintFrames(QPainter& painter, int row) const;
  void paintLegend(QPainter& painter) const;
  void paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const;
  void paintScale(QPainter& painter, const QRectF& area) const;
  [[nodiscard]] double scaleWidth() const;  // Returns the width of the colour scale and its title.

  std::shared_ptr<const SettingMatrix> matrix_;
  struct {
    QStringList shown, brief;  // One name for each row.
    bool full = false;
  } names_;
  MatrixOrigin origin_;
  MatrixPicks picks_, in_use_;
  int chosen_ = -1;
  MatrixPlace current_, hovered_;
  // The cell where the mouse button was pressed, and the row to which the user dragged.
  std::optional<MatrixPlace> pressed_;
  int dragged_to_ = -1;
  bool wants_comparison_ = false;
  Layout layout_;
  QScrollBar* bar_;
};

}  // namespace spira::ui

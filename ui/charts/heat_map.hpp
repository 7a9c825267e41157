// Base class of the heat maps of tuning. A heat map has one column for each setting. This class draws the
// headings, the cells and the legend. It handles scrolling and the keyboard cursor. Derived classes provide
// the rows.
#pragma once

#include "engine/tune/matrix.hpp"
#include "ui/charts/chart.hpp"

#include <vector>

class QScrollBar;

namespace spira::ui {

/// Position of a cell. A value of -1 stands for no row or no column.
struct MatrixPlace {
  int row = -1, column = -1;
  bool operator==(const MatrixPlace&) const = default;
};

/// Returns the colour of a cell whose time is `relative` times the time of the best setting of its row. The
/// scale is logarithmic.
[[nodiscard]] QColor matrix_colour(double relative);

/// Determines whether a mark next to a number can be small. Small marks leave no space for other marks.
enum class MarksBeside { usual_size, any_size };
/// Returns how far a number of the width `wide` is shifted to the left in a cell, to leave space for a mark.
/// All numbers of a column are shifted, so that numbers with and without a mark are aligned.
[[nodiscard]] double number_shift(double wide, const QRectF& area,
                                  MarksBeside marks = MarksBeside::usual_size);

class HeatMap : public Chart {
  Q_OBJECT
 public:
  HeatMap(Theme* theme, const QString& what, QWidget* parent);

  /// Returns the cell at the keyboard cursor. A click also moves the cursor.
  [[nodiscard]] MatrixPlace current() const noexcept { return current_; }
  /// Returns all numbers of a cell as text with several lines.
  [[nodiscard]] virtual QString tipOf(const MatrixPlace& place) const = 0;
  /// Returns the explanation of t and of a column, as the tooltip of the heading at `x` shows it.
  [[nodiscard]] virtual QString headTip(double x) const;
  /// Returns the tooltip of the cell, the heading or the legend entry at a position. May be empty.
  [[nodiscard]] QString tipAt(const QPointF& at) const;
  /// Returns the centre of a cell for tests. Scrolls the row into view.
  [[nodiscard]] QPoint cellCentre(const MatrixPlace& place);
  /// Returns how many rows are visible without scrolling, including hidden rows below the end of the chart.
  [[nodiscard]] int visibleRows() const noexcept;
  /// Returns by how many pixels the chart must grow to show `rows` rows, or all rows if there are fewer. The
  /// value is negative if the chart could shrink.
  [[nodiscard]] int missingHeight(int rows) const noexcept;

  [[nodiscard]] int rowAt(const QPointF& at) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {260, 96}; }
  /// Returns the height at which all rows are visible. Pictures have this height.
  [[nodiscard]] int heightForWidth(int width) const override;

 signals:
  void currentChanged(int row, int column);
  void rowHovered(int row);  ///< `row` is -1 if no row is hovered.

 protected:
  /// Positions and sizes of the parts of the chart, in pixels.
  struct Layout {
    double names = 0;   ///< Width of the row names.
    double before = 0;  ///< Width of the texts between the names and the cells; 0 if they are not drawn.
    double after = 0;   ///< Width of the texts to the right of the cells; 0 if they are not drawn.
    double cell = 0;    ///< Width of a cell.
    double row = 0;     ///< Height of a row.
    double head = 0;    ///< Height of the headings of the columns.
    QRectF cells;       ///< Visible part of the cells.
    QRectF legend;
    double legend_line = 0;  ///< Height of a line of the legend.
  };
  /// The widths that a derived class needs, in pixels.
  struct Widths {
    double before = 0, after = 0;  ///< See Layout.
    double comfortable_cell = 0;   ///< The legend is next to the cells only if they are at least this wide.
    double legend = 0;             ///< Minimum width of a legend next to the cells.
  };
  enum class EntryKind {
    scale,
    best,
    tied,
    undecided,
    pick,
    partial_pick,
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
    bool optional = false;  ///< True if the legend of a low chart omits the entry.
  };

  [[nodiscard]] virtual int rowCount() const = 0;
  [[nodiscard]] virtual const std::vector<MatrixSetting>& settings() const = 0;
  [[nodiscard]] virtual CellState stateOf(const MatrixPlace& place) const = 0;
  [[nodiscard]] virtual QString nameHeading() const = 0;
  [[nodiscard]] virtual QString nameOf(int row) const = 0;
  /// `space` is the width of the chart without the row names and the scroll bar.
  [[nodiscard]] virtual Widths widthsIn(double space) = 0;
  [[nodiscard]] virtual std::vector<Entry> shownEntries() const = 0;
  /// Returns the explanation of a legend entry. May be empty.
  [[nodiscard]] virtual QString entryTip(EntryKind /*kind*/) const { return {}; }
  [[nodiscard]] virtual QString scaleTitle() const = 0;
  virtual void paintSideHeads(QPainter& painter) const = 0;
  /// Draws the texts next to the cells of a row. `line` is the area of the row.
  virtual void paintSides(QPainter& painter, int row, const QRectF& line) const = 0;
  /// Draws a cell that is measured or modelled. `area` is the filled part of the cell.
  virtual void paintTimes(QPainter& painter, const MatrixPlace& place, const QRectF& area) const = 0;
  /// Draws frames and other marks on the cells of a row.
  virtual void paintMarks(QPainter& painter, int row) const = 0;
  /// Called when the user presses Enter or the space bar. `shift` is true if the user also holds Shift.
  virtual void activate(const MatrixPlace& place, bool shift) = 0;

  /// Must be called after the rows changed. `kept` is true if the rows are the same as before, so that the
  /// cursor and the scroll position stay valid.
  void rowsChanged(bool kept);
  /// Sets the rows from top to bottom. An empty list stands for the order of the row numbers.
  void setRowOrder(std::vector<int> rows);
  /// Returns the position of a row, counted from the top.
  [[nodiscard]] int positionOf(int row) const noexcept;
  /// Must be called after the widths or the legend entries changed.
  void place();
  /// Highlights a row and scrolls to it. -1 removes the highlight.
  void setChosenRow(int row);
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  /// Returns the cell at a position. The column is -1 left and right of the cells.
  [[nodiscard]] MatrixPlace placeAt(const QPointF& at) const;
  /// Returns the row at a position, counted from the top. Other values are returned unchanged.
  [[nodiscard]] int rowAtPosition(int position) const noexcept;
  /// Returns the position of the row at the height `y`, even if the row is not visible or does not exist.
  [[nodiscard]] int positionAtHeight(double y) const;
  [[nodiscard]] QRectF rectOf(const MatrixPlace& place) const;
  /// Returns the part of a cell that has a colour.
  [[nodiscard]] QRectF filledRectOf(const MatrixPlace& place) const;
  /// Returns the area of the icon of a legend entry.
  [[nodiscard]] static QRectF entryIcon(const QRectF& area);
  void setCurrent(const MatrixPlace& place);
  void scrollTo(int row);
  /// Returns the cell that a row of table() describes. The table has no rows for infeasible cells.
  [[nodiscard]] MatrixPlace placeOf(int table_row) const;
  /// Fills a cell and draws its number and the mark of its verdict. If both do not fit, draws only the mark.
  void paintNumber(QPainter& painter, const QRectF& area, double relative, const QString& number,
                   SettingVerdict verdict, MarksBeside marks = MarksBeside::usual_size) const;
  void paintCursor(QPainter& painter, int row) const;
  /// Draws the frame around a picked cell. A dashed frame marks a cell that only some layers picked.
  void paintPickFrame(QPainter& painter, const MatrixPlace& place, bool dashed) const;
  virtual void paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const;

  void chooseRow(int row) override;
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// Returns the areas of the legend entries, relative to the top left corner of the legend. `width` is the
  /// width of the legend.
  [[nodiscard]] std::vector<QRectF> entryAreas(const std::vector<Entry>& entries, double width) const;
  [[nodiscard]] double legendHeight(const std::vector<Entry>& entries, double width) const;
  /// Returns the entries of a legend of this size, without optional entries that do not fit.
  [[nodiscard]] std::vector<Entry> entriesIn(const QSizeF& size) const;
  [[nodiscard]] double scaleWidth() const;  // Returns the width of the colour scale and its title.
  void placeLegend(double x, bool beside);
  void setHovered(const MatrixPlace& place);
  void moveCursor(int key, bool shift);
  void paintHead(QPainter& painter) const;
  void paintEnds(QPainter& painter) const;
  void paintRow(QPainter& painter, int row) const;
  void paintCell(QPainter& painter, const MatrixPlace& place) const;
  void paintLegend(QPainter& painter) const;
  void paintScale(QPainter& painter, const QRectF& area) const;

  int chosen_ = -1;
  std::vector<int> order_, positions_;  // The row at each position, and the position of each row.
  MatrixPlace current_, hovered_;
  Layout layout_;
  QScrollBar* bar_;
};

}  // namespace spira::ui

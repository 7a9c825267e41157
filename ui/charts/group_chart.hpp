// Heat map of a GroupTable, with one row for each group of layers that share a kernel map. Next to the cells
// are the time of the choices, and the time that one setting for the whole group adds to it.
#pragma once

#include "engine/tune/group_table.hpp"
#include "ui/charts/heat_map.hpp"

#include <memory>
#include <vector>

namespace spira::ui {

class GroupChart : public HeatMap {
  Q_OBJECT
 public:
  explicit GroupChart(Theme* theme, QWidget* parent = nullptr);

  /// `layers` contains the names of all layers of the network. `subject` names the network and the device for
  /// titles of pictures. If `table` is `nullptr`, the chart draws nothing.
  void setTable(std::shared_ptr<const GroupTable> table, QStringList layers, QString subject);
  /// Shows the full names of the layers instead of the short names.
  void setFullNames(bool full);
  /// Highlights the group of a layer and scrolls to it. -1 removes the highlight.
  void setChosenLayer(int layer);
  [[nodiscard]] const std::shared_ptr<const GroupTable>& groups() const noexcept { return table_; }
  /// Returns the indices of the layers of a row.
  [[nodiscard]] std::vector<int> layersOf(int row) const;
  /// Returns a text such as "3x3x3, stride 1 to 2".
  [[nodiscard]] QString mapText(int row) const;
  /// Returns the texts to the right of the cells: the time of the choices, the time that one dataflow adds,
  /// and with training the times that the bindings add.
  [[nodiscard]] QStringList textsAfter(int row) const;

  [[nodiscard]] QString name() const override { return "groups"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return rowCount() > 0 && !settings().empty(); }
  /// The table has one row for each cell, except for settings that no layer of the group can run.
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  [[nodiscard]] QString tipOf(const MatrixPlace& place) const override;
  [[nodiscard]] QString headTip(double x) const override;

 signals:
  /// Emitted when the user clicks a cell, or presses Enter or the space bar.
  void samplesRequested();

 protected:
  [[nodiscard]] int rowCount() const override;
  [[nodiscard]] const std::vector<MatrixSetting>& settings() const override { return table_->columns; }
  [[nodiscard]] CellState stateOf(const MatrixPlace& place) const override { return cellAt(place).state; }
  [[nodiscard]] QString nameHeading() const override { return tr("Map, stride"); }
  [[nodiscard]] QString nameOf(int row) const override;
  [[nodiscard]] Widths widthsIn(double space) override;
  [[nodiscard]] std::vector<Entry> shownEntries() const override;
  [[nodiscard]] QString entryTip(EntryKind kind) const override;
  [[nodiscard]] QString scaleTitle() const override { return tr("time / best time of group (log)"); }
  void paintSideHeads(QPainter& painter) const override;
  void paintSides(QPainter& painter, int row, const QRectF& line) const override;
  void paintTimes(QPainter& painter, const MatrixPlace& place, const QRectF& area) const override;
  void paintMarks(QPainter& painter, int row) const override;
  void activate(const MatrixPlace& place, bool shift) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  /// A column to the right of the cells.
  struct SideColumn {
    QString above, heading;  ///< The two lines of the heading. `above` can be empty.
    QString explanation;     ///< The tooltip of the heading.
    double width = 0;        ///< In pixels.
  };

  [[nodiscard]] const GroupRow& rowOf(int row) const;
  [[nodiscard]] const GroupCell& cellAt(const MatrixPlace& place) const;
  /// Returns the times that textsAfter() shows after the choice. An entry is empty if it is not known.
  [[nodiscard]] std::vector<std::optional<ExtraTime>> extrasOf(int row) const;
  void placeSides();
  /// Returns a name such as "s1.c and 4 more".
  [[nodiscard]] QString layersText(int row) const;
  [[nodiscard]] QString shownName(const std::string& layer) const;
  /// Returns the number of layers, or of their passes, whose choices the picks of a row count.
  [[nodiscard]] int pickedOf(int row) const;
  [[nodiscard]] QString groupTip(int row) const;
  [[nodiscard]] QString cellTip(const MatrixPlace& place) const;

  std::shared_ptr<const GroupTable> table_;
  struct {
    QStringList layers, brief;  // One name for each layer of the network.
    bool full = false;
  } names_;
  QString subject_;
  std::vector<SideColumn> sides_;  // The columns to the right of the cells.
};

}  // namespace spira::ui

// The graph of a relational run, which has no 3D view: the triples of each relation, how many sources the
// rows have, and the nodes with their sources in the chosen relation.
#pragma once

#include "engine/report/report.hpp"
#include "ui/theme/theme.hpp"

#include <QAbstractTableModel>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

class QBoxLayout;
class QLabel;
class QTableView;

namespace spira::ui {

class CountChart;

/// One row per node that has a source in a relation, in the order of the node numbers.
class NodeSourcesModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { node, count, sources, column_count };
  using QAbstractTableModel::QAbstractTableModel;

  /// Shows a relation of `graph`. If `graph` is `nullptr`, the table is empty.
  void setRelation(std::shared_ptr<const Triples> graph, int relation);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const Triples> graph_;
  /// The first triple of each row, and the end of the last row.
  std::vector<std::size_t> first_{0};
};

class RelationsView : public QWidget {
  Q_OBJECT
 public:
  explicit RelationsView(Theme* theme, QWidget* parent = nullptr);

  /// Shows the graph of a report. Hides the view if `report` is `nullptr`, or if it contains no counts of the
  /// relations.
  void setReport(const std::shared_ptr<const Report>& report);
  [[nodiscard]] CountChart* relations() const noexcept { return relations_; }
  [[nodiscard]] CountChart* rows() const noexcept { return rows_; }
  [[nodiscard]] QTableView* nodes() const noexcept { return nodes_; }
  [[nodiscard]] QString chosenText() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void choose(int bar);
  void followWidth();
  [[nodiscard]] QWidget* makeColumn(CountChart* chart);

  std::shared_ptr<const Report> report_;
  std::vector<std::size_t> by_triples_;  // The relations in the order of the bars: most triples first.
  CountChart *relations_, *rows_;
  QWidget* rows_part_ = nullptr;  // `rows_` and its heading.
  NodeSourcesModel* model_;
  QTableView* nodes_;
  QLabel* chosen_;  // The numbers of the chosen relation.
  QBoxLayout* parts_;
};

}  // namespace spira::ui

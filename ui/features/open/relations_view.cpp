#include "ui/features/open/relations_view.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/count_chart.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira::ui {

void NodeSourcesModel::setRelation(std::shared_ptr<const Triples> graph, int relation) {
  beginResetModel();
  graph_ = std::move(graph);
  first_.clear();
  if (graph_) {
    const auto& all = graph_->triples;
    const auto [begin, end] = std::equal_range(
        all.begin(), all.end(), Triple{relation, 0, 0},
        [](const Triple& one, const Triple& other) { return one.relation < other.relation; });
    for (auto at = begin; at != end; ++at) {
      if (at == begin || at->tail != std::prev(at)->tail)
        first_.push_back(static_cast<std::size_t>(at - all.begin()));
    }
    first_.push_back(static_cast<std::size_t>(end - all.begin()));
  } else {
    first_.push_back(0);
  }
  endResetModel();
}

int NodeSourcesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(first_.size()) - 1;
}

int NodeSourcesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant NodeSourcesModel::data(const QModelIndex& index, int role) const {
  const auto row = static_cast<std::size_t>(index.row());
  if (role == Qt::TextAlignmentRole && index.column() == count)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  const bool full_names = role == Qt::ToolTipRole && index.column() == sources;  // The cell may be narrow.
  if (role != Qt::DisplayRole && !full_names) return {};
  const auto name = [this](std::int32_t at) {
    return QString::fromStdString(graph_->nodes[static_cast<std::size_t>(at)]);
  };
  const std::size_t begin = first_[row], end = first_[row + 1];
  if (index.column() == node) return name(graph_->triples[begin].tail);
  if (index.column() == count) return onScreen(count_text(static_cast<std::int64_t>(end - begin)));
  constexpr std::size_t most_names = 20;
  QStringList names;
  for (std::size_t at = begin; at < std::min(end, begin + most_names); ++at)
    names += name(graph_->triples[at].head);
  if (end - begin > most_names)
    names += tr("%1 more").arg(onScreen(count_text(static_cast<std::int64_t>(end - begin - most_names))));
  return names.join(", ");
}

QVariant NodeSourcesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical || role != Qt::DisplayRole) return {};
  return section == node ? tr("Node") : section == count ? tr("Sources") : tr("Names");
}

RelationsView::RelationsView(Theme* theme, QWidget* parent)
    : QWidget(parent),
      relations_(new CountChart({"relations", tr("Triples of each relation"), tr("Relation"), tr("triples"),
                                 tr("Nodes with a source")},
                                theme)),
      rows_(new CountChart({"sources", tr("Sources per row"), tr("Sources"), tr("rows"), {}}, theme)),
      model_(new NodeSourcesModel(this)),
      nodes_(new QTableView),
      chosen_(new WrappedLabel),
      parts_(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
  parts_->setContentsMargins(0, 0, 0, 0);
  parts_->addWidget(makeColumn(relations_), 4);
  rows_part_ = makeColumn(rows_);
  parts_->addWidget(rows_part_, 2);
  auto* last = new QWidget;
  last->setMinimumHeight(1);  // The table may be low.
  auto* column = new QVBoxLayout(last);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  chosen_->setTextFormat(Qt::PlainText);
  nodes_->setModel(model_);
  nodes_->setAccessibleName(tr("Nodes with a source in the chosen relation"));
  nodes_->verticalHeader()->hide();
  nodes_->verticalHeader()->setDefaultSectionSize(nodes_->fontMetrics().height() + 6);
  // Unlike setStretchLastSection(), this also makes sections narrower than their default width.
  for (const int column_of_names : {NodeSourcesModel::node, NodeSourcesModel::sources})
    nodes_->horizontalHeader()->setSectionResizeMode(column_of_names, QHeaderView::Stretch);
  nodes_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  const QFontMetrics metrics = nodes_->fontMetrics();
  const int count_width = metrics.horizontalAdvance(tr("Sources")) + 24;
  const int name_width = metrics.horizontalAdvance("n000000000");
  nodes_->setColumnWidth(NodeSourcesModel::count, count_width);
  nodes_->setMinimumWidth(count_width + (2 * name_width) + nodes_->verticalScrollBar()->sizeHint().width());
  nodes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  nodes_->setShowGrid(false);
  nodes_->setSelectionBehavior(QAbstractItemView::SelectRows);
  nodes_->setTabKeyNavigation(false);
  new CutRowCover(nodes_);
  column->addWidget(chosen_);
  column->addWidget(nodes_, 1);
  parts_->addWidget(last, 3);
  connect(relations_, &CountChart::barChosen, this, &RelationsView::choose);
  hide();
}

QWidget* RelationsView::makeColumn(CountChart* chart) {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(QString("<b>%1</b>").arg(chart->text().title)), 1);
  head->addWidget(chart->makeTableSwitch(part));
  column->addLayout(head);
  column->addWidget(chart, 1);
  return part;
}

void RelationsView::setReport(const std::shared_ptr<const Report>& report) {
  const bool shown = report && report->scene.triples && !report->scene.triples->each.empty();
  setVisible(shown);
  if (shown && report == report_) return;
  report_ = shown ? report : nullptr;
  if (!shown) return model_->setRelation(nullptr, 0);  // Frees the memory of the graph.
  const TripleFacts& graph = *report->scene.triples;
  by_triples_.resize(graph.each.size());
  std::iota(by_triples_.begin(), by_triples_.end(), std::size_t{0});
  std::stable_sort(by_triples_.begin(), by_triples_.end(), [&](std::size_t one, std::size_t other) {
    return graph.each[one].triples > graph.each[other].triples;
  });
  std::vector<CountBar> relations, rows;
  for (const std::size_t at : by_triples_) {
    const RelationFacts& relation = graph.each[at];
    relations.push_back({QString::fromStdString(relation.name), relation.triples,
                         graph.nodes > 0 ? std::optional(static_cast<double>(relation.nodes) /
                                                         static_cast<double>(graph.nodes))
                                         : std::nullopt});
  }
  for (std::size_t bin = 0; bin < graph.rows_by_sources.size(); ++bin) {
    const std::int64_t low = std::int64_t{1} << bin, high = (2 * low) - 1;
    rows.push_back({bin == 0 ? QString("1") : QString("%1-%2").arg(low).arg(high), graph.rows_by_sources[bin],
                    std::nullopt});
  }
  relations_->setBars(std::move(relations));
  rows_->setBars(std::move(rows));
  nodes_->setVisible(report->graph != nullptr);
  followWidth();
  choose(0);
  relations_->setChosen(0);
}

/// Shows the numbers and the nodes of the relation of a bar.
void RelationsView::choose(int bar) {
  const std::size_t relation = by_triples_.at(static_cast<std::size_t>(bar));
  const TripleFacts& graph = *report_->scene.triples;
  const RelationFacts& facts = graph.each[relation];
  const double share =
      graph.nodes > 0 ? static_cast<double>(facts.nodes) / static_cast<double>(graph.nodes) : 0;
  chosen_->setText(
      tr("%1: %2. %3 of the nodes have a source in this relation.")
          .arg(QString::fromStdString(facts.name), counted(facts.triples, tr("1 triple"), tr("%1 triples")),
               onScreen(percent_text(share, 1))) +
      (report_->graph ? QString() : "\n" + tr("Open the file with the triples to see the nodes.")));
  if (report_->graph) model_->setRelation(report_->graph, static_cast<int>(relation));
}

QString RelationsView::chosenText() const {
  return chosen_->text();
}

/// Places the parts below each other if the view is narrow.
void RelationsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int narrow = 560;
  const auto direction = width() < narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
  if (direction != parts_->direction()) parts_->setDirection(direction);
  followWidth();
}

/// Shows the sources of the rows only if there is space next to the relations, or if there is no table of
/// nodes.
void RelationsView::followWidth() {
  const bool narrow = parts_->direction() == QBoxLayout::TopToBottom;
  rows_part_->setVisible(!narrow || nodes_->isHidden());
}

}  // namespace spira::ui

#include "ui/panels/rows_panel.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/model/selection.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

using SharedFacts = std::shared_ptr<const RowsFacts>;

struct CountArgs {
  std::shared_ptr<const KernelMap> map;
  RowSorting sorting;
};

void count_rows(const CountArgs& args, Job& job, const Send<SharedFacts>& send) {
  constexpr int max_lines = 512;  // More lines than this do not fit into the panel.
  auto facts = std::make_shared<RowsFacts>();
  const int tile = args.sorting.tile_rows;
  facts->natural = rows_picture(*args.map, {0, tile}, max_lines);
  job.checkpoint({"drawing the rows of the map", 1, 3});
  facts->sorted = rows_picture(*args.map, args.sorting, max_lines);
  job.checkpoint({"counting slots", 2, 3});
  std::vector<RowSorting> possible;
  for (std::size_t at = 0; at < splits_to_choose.size(); ++at) {
    const int splits = splits_to_choose.at(at);
    if (splits > 0) facts->why_not.at(at) = why_not_splits(args.map->offsets->columns(), splits);
    if (facts->why_not.at(at).empty()) possible.push_back({splits, tile});
  }
  auto counted = redundancy(*args.map, possible);
  for (std::size_t at = 0, next = 0; at < splits_to_choose.size(); ++at) {
    if (facts->why_not.at(at).empty()) facts->counts.at(at) = counted.at(next++);
  }
  send(std::move(facts));
}

struct MarkArgs {
  SharedFacts facts;
  std::int32_t output = 0;
};

void mark_lines(const MarkArgs& args, Job& /*job*/, const Send<std::pair<int, std::vector<int>>>& send) {
  send({args.facts->natural.bins_of(args.output).front(), args.facts->sorted.bins_of(args.output)});
}

/// Returns the row of a sweep with this dataflow. Returns `nullptr` if it was not measured.
const SweepRow* measured_row(const Sweep& sweep, const std::string& dataflow) {
  const auto found = std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    return row.label == dataflow && !row.stages.nodes.empty();
  });
  return found == sweep.rows.end() ? nullptr : &*found;
}

/// The time of a map with its row order, and the time of the features, in ms.
struct MapAndFeatures {
  double map_ms = 0, features_ms = 0;
  explicit MapAndFeatures(const SweepRow& row) {
    const SweepParts parts = sweep_parts(row.stages);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const StageGroup group = sweep_part_groups.at(part);
      (group == StageGroup::search || group == StageGroup::order ? map_ms : features_ms) += parts.at(part);
    }
  }
};

}  // namespace

RowsPanel::RowsPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      headline_(new QLabel),
      cost_(new QLabel),
      splits_(new QButtonGroup(this)),
      tile_(new QComboBox),
      chart_(new RowsChart(theme)),
      marking_(tasks),
      counting_(tasks) {
  makeHead();
  connectModel();
  follow();
}

void RowsPanel::makeHead() {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  headline_->setWordWrap(true);
  cost_->setWordWrap(true);
  cost_->setForegroundRole(QPalette::PlaceholderText);
  auto* choice = new QHBoxLayout;
  head->addWidget(headline_, 1);
  choice->addWidget(new QLabel(tr("Splits")));
  for (const int splits : splits_to_choose) {
    auto* button = new QToolButton;
    button->setText(splits == 0 ? tr("unsorted") : QString::number(splits));
    button->setAccessibleName(splitsText(splits));
    button->setCheckable(true);
    splits_->addButton(button, splits);
    choice->addWidget(button);
  }
  constexpr int usual = 2;
  splits_->button(usual)->setChecked(true);
  for (const int rows : {16, 64, 128})
    tile_->addItem(tr("tiles of %1").arg(rows), rows);
  tile_->setAccessibleName(tr("Rows of a tile"));
  tile_->setToolTip(tr("Number of outputs that are multiplied together"));
  head->addWidget(tile_);
  head->addWidget(chart_->makeTableSwitch(body()));
  choice->addWidget(cost_, 1);
  layout->addLayout(head);
  layout->addLayout(choice);
  layout->addWidget(chart_, 1);
}

void RowsPanel::connectModel() {
  connect(splits_, &QButtonGroup::idClicked, this, &RowsPanel::count);
  connect(tile_, &QComboBox::currentIndexChanged, this, &RowsPanel::count);
  connect(cost_, &QLabel::linkActivated, this, [this] { emit commandRequested("sweep.dataflows"); });
  connect(chart_, &RowsChart::splitsClicked, this, [this](int splits) {
    splits_->button(splits)->setChecked(true);
    count();
  });
  connect(chart_, &RowsChart::lineClicked, this, &RowsPanel::chooseLine);
  connect(shown_, &Selection::layerChanged, this, &RowsPanel::followSoon);
  connect(shown_, &Selection::strideChanged, this, &RowsPanel::followSoon);
  connect(shown_, &Selection::voxelChanged, this, &RowsPanel::followVoxel);
  connect(shown_, &Selection::columnsChanged, this, [this] { chart_->setChosen(shown_->columns()); });
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &RowsPanel::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &RowsPanel::followSoon);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &RowsPanel::followSoon);
  connect(&workspace_->results(), &RunResults::sweepsChanged, this, &RowsPanel::showHeadline);
}

QString RowsPanel::headline() const {
  return headline_->text() + "\n" + cost_->text();
}

void RowsPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  follow();
}

void RowsPanel::follow() {
  if (workspace_->results().report())
    return showEmpty(tr("A report contains only the counts of its kernel maps. Open its scene to see a map."),
                     "file.open", tr("Open scene..."));
  if (!workspace_->scene().voxels())
    return showEmpty(tr("Open a scene to see the rows of its kernel map, unsorted and sorted by mask."),
                     "file.open", tr("Open scene..."));
  if (!has_shown_map(*workspace_, shown_->layer())) return showNoMap(shown_->layer());
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!shown.map) return showEmpty(tr("The kernel map is being built."), "run.map", tr("Build map"));
  if (shown.map->many())
    return showEmpty(
        tr("Native layers run weight-stationary, so their rows are not sorted by mask. Choose the "
           "neighbours Voxels to see the rows of the voxel convolution."),
        "neighbours.voxels", tr("Voxels"));
  showBody();
  stride_out_ = shown.stride_out;
  const int columns = shown.map->offsets->columns();
  for (const int splits : splits_to_choose) {
    const std::string why = splits == 0 ? std::string() : why_not_splits(columns, splits);
    splits_->button(splits)->setEnabled(why.empty());
    splits_->button(splits)->setToolTip(
        why.empty() ? tr("Sort the outputs by their bitmasks, in %1").arg(splitsText(splits))
                    : tr("Not possible: %1").arg(QString::fromStdString(why)));
  }
  splits_->button(0)->setToolTip(tr("Keep the outputs in their natural order"));
  if (!splits_->checkedButton()->isEnabled()) {
    const auto all = splits_->buttons();
    (*std::find_if(all.begin() + 1, all.end(), [](const auto* one) {
      return one->isEnabled();
    }))->setChecked(true);
  }
  count();
}

/// Starts the task that counts the slots and draws the rows, if the panel is visible and its facts are
/// outdated.
void RowsPanel::count() {
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!isVisible() || !shown.map) return;
  const Wanted wanted{shown.map, {splits_->checkedId(), tile_->currentData().toInt()}};
  if (wanted == wanted_ && (counting_.busy() || chart_->facts())) return;
  if (wanted.map != wanted_.map) chart_->setFacts(nullptr, {});
  wanted_ = wanted;
  showHeadline();
  counting_.start(tr("Counting the rows of the kernel map"), count_rows, {wanted.map, wanted.sorting},
                  [this, title = shown.title](const SharedFacts& facts) {
                    chart_->setFacts(facts, title);
                    chart_->setChosen(shown_->columns());
                    showHeadline();
                    followVoxel();
                  });
}

/// Shows the slots per pair of the chosen sorting, and what the sorting costs and saves.
void RowsPanel::showHeadline() {
  const auto& facts = chart_->facts();
  // The label stays visible, so that the buttons do not move. The Tab key must not reach an empty label.
  cost_->setText(facts ? costText() : QString());
  cost_->setTextInteractionFlags(cost_->text().isEmpty()
                                     ? Qt::TextInteractionFlags(Qt::NoTextInteraction)
                                     : Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  if (!facts) return headline_->setText(tr("Counting..."));
  const auto per_pair = [](const Redundancy& of) { return onScreen(of.slots_per_pair(), 'f', 2); };
  const Redundancy &now = facts->chosen(), &natural = facts->counts.front();
  if (facts->sorted.sorting.splits == 0)
    return headline_->setText(tr("<b>%1 slots per pair</b>, unsorted").arg(per_pair(natural)));
  const double ratio =
      natural.active > 0 ? static_cast<double>(now.active) / static_cast<double>(natural.active) : 1.0;
  const QString share = onScreen(percent_text(std::abs(1 - ratio), 0));
  headline_->setText((ratio <= 1 ? tr("<b>%1 slots per pair</b>, %3 fewer than unsorted (%2)")
                                 : tr("<b>%1 slots per pair</b>, %3 more than unsorted (%2)"))
                         .arg(per_pair(now), per_pair(natural), share));
}

/// Returns what the sorting costs and saves in the sweep of dataflows of this layer.
QString RowsPanel::costText() const {
  const int splits = chart_->facts()->sorted.sorting.splits;
  if (splits == 0) return {};
  const int layer = shown_map(*workspace_, *shown_).layer;
  const auto& sweep = workspace_->results().dataflowSweep();
  const bool of_layer = sweep && layer >= 0 && sweep->layer == layer;
  const SweepRow* unsorted = of_layer ? measured_row(*sweep, "unsorted") : nullptr;
  const SweepRow* sorted = of_layer ? measured_row(*sweep, "mask-sorted:" + std::to_string(splits)) : nullptr;
  if (unsorted == nullptr || sorted == nullptr)
    return layer < 0
               ? tr("Select a layer and sweep its dataflows to see how much time sorting costs and saves.")
               : tr("Not measured. <a href='sweep'>Sweep dataflows</a> measures how much time sorting costs "
                    "and saves.");
  const MapAndFeatures before(*unsorted), after(*sorted);
  const double cost = after.map_ms - before.map_ms, saved = before.features_ms - after.features_ms;
  QString text = tr("Measured: map and row order %1 (unsorted: %2), features %3 (unsorted: %4); ")
                     .arg(onScreen(ms_text(after.map_ms)), onScreen(ms_text(before.map_ms)),
                          onScreen(ms_text(after.features_ms)), onScreen(ms_text(before.features_ms)));
  if (saved <= 0) return text + tr("sorting does not make this layer faster.");
  const auto layers = static_cast<std::int64_t>(std::max(1.0, std::ceil(cost / saved)));
  return text + counted(layers, tr("sorting saves time if at least 1 layer uses the map."),
                        tr("sorting saves time if at least %1 layers use the map."));
}

void RowsPanel::followVoxel() {
  const auto& facts = chart_->facts();
  const auto& voxel = shown_->voxel();
  if (!facts || !voxel || voxel->stride != stride_out_ || !workspace_->scene().voxels())
    return chart_->setMarkedLines(-1, {});
  const auto row = row_of_voxel(workspace_->scene().voxels()->level(stride_out_), voxel->voxel);
  if (!row || *row >= facts->natural.outputs) return chart_->setMarkedLines(-1, {});
  marking_.start(tr("Finding the voxel in the rows"), mark_lines, {facts, static_cast<std::int32_t>(*row)},
                 [this, facts](const std::pair<int, std::vector<int>>& lines) {
                   if (facts == chart_->facts()) chart_->setMarkedLines(lines.first, lines.second);
                 });
}

void RowsPanel::chooseLine(bool sorted, int line, int column) {
  const RowsFacts& facts = *chart_->facts();
  emit voxelsWanted(stride_out_, (sorted ? facts.sorted : facts.natural).outputs_of(line, column));
}

}  // namespace spira::ui

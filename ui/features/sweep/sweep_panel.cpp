#include "ui/features/sweep/sweep_panel.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <string>
#include <tuple>

namespace spira::ui {
namespace {

/// Returns a time as text. It has 3 decimals below 10 ms, 2 decimals below 100 ms, and otherwise 1 decimal.
QString number(double ms) {
  return onScreen(ms, 'f', ms < 10 ? 3 : ms < 100 ? 2 : 1);
}

/// Sets the height of each row so that its reason is completely visible. The reason spans the columns after
/// the setting.
void fit_reasons(QTableWidget& rows) {
  constexpr int usual = 21, margins = 8;
  int width = -margins;
  for (int column = 1; column < rows.columnCount(); ++column)
    width += rows.columnWidth(column);
  for (int row = 0; row < rows.rowCount(); ++row) {
    int height = usual;
    if (rows.columnSpan(row, 1) > 1) {
      const QRect area = rows.fontMetrics().boundingRect(QRect(0, 0, std::max(60, width), 1000),
                                                         Qt::TextWordWrap, rows.item(row, 1)->text());
      height = std::max(usual, area.height() + margins);
    }
    rows.setRowHeight(row, height);
  }
}

/// Returns `old`, the sweep of the baseline, if it measured the same layer as the sweep `now`. Otherwise
/// returns `nullptr`.
std::shared_ptr<const Sweep> baselineOf(const std::shared_ptr<const Sweep>& now,
                                        const std::shared_ptr<const Sweep>& old) {
  return now && old && now->layer == old->layer ? old : nullptr;
}

}  // namespace

SweepPanel::SweepPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      tabs_(new QTabWidget(body())),
      custom_(new QLineEdit),
      custom_fault_(new ElidedLabel) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(4, 0, 4, 4);
  layout->addWidget(tabs_);
  tabs_->setAccessibleName(tr("Sweeps"));
  auto* first = new QWidget(tabs_);
  auto* second = new QWidget(tabs_);
  thresholds_ = makePage(first, "sweep.thresholds", tr("Sweep t"));
  packings_ = makePage(second, "sweep.packings", tr("Sweep packings"));
  auto* third = new QWidget(tabs_);
  dataflows_ = makePage(third, "sweep.dataflows", tr("Sweep dataflows"));
  connectSamples(thresholds_, Kind::thresholds);
  connectSamples(packings_, Kind::packings);
  connectSamples(dataflows_, Kind::dataflows);
  for (auto& [page, widget, kind] :
       {std::tuple(&thresholds_, first, Kind::thresholds), std::tuple(&dataflows_, third, Kind::dataflows)}) {
    page->use = new QPushButton;
    widget->findChild<QHBoxLayout*>("bar")->insertWidget(1, page->use);
    connect(page->use, &QPushButton::clicked, this, [this, kind = kind] { usePick(kind); });
  }
  // The slots per pair are in an additional column.
  dataflows_.rows->setColumnCount(5);
  dataflows_.rows->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  dataflows_.rows->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Interactive);
  constexpr int margins = 18;
  dataflows_.rows->setColumnWidth(
      0, dataflows_.rows->fontMetrics().horizontalAdvance(dataflowText("mask-sorted:2")) + margins);
  dataflows_.rows->setHorizontalHeaderItem(4, new QTableWidgetItem(tr("Slots per pair")));
  dataflows_.rows->horizontalHeaderItem(4)->setToolTip(
      tr("Number of slots (an output and an offset) that are multiplied per pair, for tiles of 16 rows. The "
         "minimum is 1."));
  auto* bar = second->findChild<QHBoxLayout*>("bar");
  bar->insertWidget(1, custom_);
  bar->insertWidget(2, custom_fault_);
  custom_->setObjectName("customBits");
  custom_->setPlaceholderText(tr("custom bits: 11/12/9"));
  custom_->setMaximumWidth(150);
  custom_->setAccessibleName(tr("Custom packing widths"));
  tabs_->addTab(first, tr("Threshold t"));
  tabs_->addTab(second, tr("Packing"));
  tabs_->addTab(third, tr("Dataflow"));
  connect(tabs_, &QTabWidget::currentChanged, this, &SweepPanel::missingHeightChanged);
  tabs_->tabBar()->setDrawBase(false);
  tabs_->setCornerWidget(new FollowHead(workspace, shown_, tabs_));
  connect(custom_, &QLineEdit::textChanged, this, &SweepPanel::checkBits);
  connect(&workspace_->results(), &RunResults::sweepsChanged, this, &SweepPanel::follow);
  connect(&workspace_->baseline(), &BaselineRun::reportChanged, this, &SweepPanel::follow);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &SweepPanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &SweepPanel::follow);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &SweepPanel::follow);
  connect(selection_, &Selection::layerChanged, this, &SweepPanel::follow);
  for (const auto changed : {&Selection::columnsChanged, &Selection::hoverChanged})
    connect(shown_, changed, this, &SweepPanel::markOffsets);
  connect(shown_, &Selection::layerChanged, this, &SweepPanel::markOffsets);
  connect(selection_, &Selection::triedChanged, this, &SweepPanel::markTried);
  follow();
}

/// For each hovered or selected offset, marks two values of t: its L1 norm and the next larger t. The offset
/// runs weight-stationary with the first value and output-stationary with the second.
void SweepPanel::markOffsets() {
  const auto& over = shown_->hover().columns;
  const ShownMap shown = workspace_->shownMap(shown_->layer());
  std::set<int> thresholds;
  for (const int column : over.empty() ? shown_->columns() : over) {
    if (!shown.densities || column >= static_cast<int>(shown.densities->columns.size())) continue;
    const int l1 = shown.densities->columns[static_cast<std::size_t>(column)].l1;
    thresholds.insert({l1, l1 + 1});
  }
  thresholds_.chart->setMarked(thresholds);
}

void SweepPanel::markTried() {
  const auto& sweep = workspace_->results().thresholdSweep();
  const auto& tried = selection_->tried();
  const bool of_it = sweep && tried && (sweep->layer < 0 || sweep->layer == tried->layer);
  thresholds_.chart->setTried(of_it ? tried->threshold : -1);
}

void SweepPanel::setTuning(const Tuning* tuning) {
  tuning_ = tuning;
  connect(tuning_, &Tuning::changed, this, &SweepPanel::markTuned);
  markTuned();
}

/// Marks the t that the tuning profile sets for the swept layer. A sweep of the whole network gets no mark,
/// because the profile rarely sets the same t for all layers.
void SweepPanel::markTuned() {
  const auto& sweep = workspace_->results().thresholdSweep();
  const auto& applied = tuning_ != nullptr ? tuning_->applied() : std::nullopt;
  const auto layer = static_cast<std::size_t>(sweep ? std::max(sweep->layer, 0) : 0);
  const bool known = sweep && sweep->layer >= 0 && applied && layer < applied->why_not.size() &&
                     applied->why_not[layer].empty();
  thresholds_.chart->setTuned(known ? applied->plan.layers[layer].threshold : -1);
}

SweepPanel::Page SweepPanel::makePage(QWidget* page, const QString& command, const QString& button) {
  Page result{new QPushButton(button, page), new ElidedLabel(page), new SweepChart(theme_, page),
              new QTableWidget(page),        new QLabel(page),      new SamplesPane(theme_)};
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 4, 4, 0);
  auto* bar = new QHBoxLayout;
  bar->setObjectName("bar");
  result.run->setObjectName(command);
  result.rows->setObjectName("rows");
  bar->addWidget(result.run);
  bar->addWidget(result.title, 1);
  auto* below = new QHBoxLayout;
  result.chart->setObjectName(command + ".chart");
  result.samples->setObjectName(command + ".samples");
  below->addWidget(result.chart, 1);
  below->addWidget(result.rows, 1);
  below->addWidget(result.none, 1);
  below->addWidget(result.samples);
  result.samples->hide();
  showDuration(result, {});
  result.none->setAlignment(Qt::AlignCenter);
  result.none->setWordWrap(true);
  result.none->setForegroundRole(QPalette::PlaceholderText);
  layout->addLayout(bar);
  layout->addLayout(below, 1);
  result.rows->setAccessibleName(tr("Times by setting"));
  result.rows->setColumnCount(4);
  result.rows->setHorizontalHeaderLabels({tr("Setting"), tr("Median, ms"), tr("IQR, ms"), tr("n, verdict")});
  result.rows->verticalHeader()->hide();
  result.rows->verticalHeader()->setDefaultSectionSize(21);
  result.rows->setWordWrap(true);
  result.rows->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  result.rows->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Stretch);
  for (int column = 0; column < 3; ++column) {
    constexpr int margins = 18;
    const QString title = result.rows->horizontalHeaderItem(column)->text();
    const QString widest = column == 0 ? tr("t = max (%1)").arg(10) : title;
    const QFontMetrics metrics = result.rows->fontMetrics();
    result.rows->setColumnWidth(
        column, std::max(metrics.horizontalAdvance(title), metrics.horizontalAdvance(widest)) + margins);
  }
  connect(
      result.rows->horizontalHeader(), &QHeaderView::sectionResized, result.rows,
      [rows = result.rows] { fit_reasons(*rows); }, Qt::QueuedConnection);
  result.rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
  result.rows->setTabKeyNavigation(false);
  connect(result.run, &QPushButton::clicked, this, [this, command] { emit commandRequested(command); });
  return result;
}

void SweepPanel::showDuration(const Page& page, const QString& duration) {
  const QString text =
      tr("Press the button above to measure all settings with interleaved samples. Medians and the fastest "
         "setting appear here.");
  page.none->setText(duration.isEmpty() ? text : text + "\n\n" + duration);
  page.run->setToolTip(duration);
}

void SweepPanel::setDurations(const QString& thresholds, const QString& packings, const QString& dataflows) {
  showDuration(thresholds_, thresholds);
  showDuration(packings_, packings);
  showDuration(dataflows_, dataflows);
}

const std::shared_ptr<const Sweep>& SweepPanel::sweepOf(Kind kind) const {
  switch (kind) {
    case Kind::packings:
      return workspace_->results().packSweep();
    case Kind::dataflows:
      return workspace_->results().dataflowSweep();
    case Kind::thresholds:
      break;
  }
  return workspace_->results().thresholdSweep();
}

/// Shows the samples of a setting after a click or Enter in the table, or after a click on a bar of the
/// chart.
void SweepPanel::connectSamples(const Page& page, Kind kind) {
  const auto show = [this, page, kind](int row) { showSamples(page, sweepOf(kind), row); };
  connect(page.rows, &QTableWidget::cellClicked, this, show);
  connect(page.rows, &QTableWidget::cellActivated, this, show);
  connect(page.chart, &SweepChart::rowClicked, this, show);
  connect(page.samples, &SamplesPane::closeRequested, page.samples, &QWidget::hide);
}

/// Shows the samples of one row of a sweep: first the wall time, then each stage.
void SweepPanel::showSamples(const Page& page, const std::shared_ptr<const Sweep>& sweep, int row) {
  if (!sweep || row < 0 || row >= static_cast<int>(sweep->rows.size())) return;
  const SweepRow& facts = sweep->rows[static_cast<std::size_t>(row)];
  if (facts.wall.ms.empty()) return page.samples->hide();
  std::vector<SampleSeries> series{{tr("wall time"), facts.wall.ms}};
  for (const StageNode& node : facts.stages.nodes) {
    if (!node.samples_ms.empty()) series.push_back({QString::fromStdString(node.name), node.samples_ms});
  }
  page.samples->setSeries(sweepRowText(*sweep, facts), std::move(series));
  page.samples->show();
}

void SweepPanel::fill(const Page& page, const std::shared_ptr<const Sweep>& sweep,
                      const std::shared_ptr<const Sweep>& baseline, int now) {
  // If the sweep has changed, hide the samples, because they belong to the previous sweep.
  if (page.chart->sweep() != sweep) page.samples->hide();
  const bool first = sweep && !page.chart->sweep();
  page.chart->setSweep(sweep, now);
  page.chart->setBaseline(baseline);
  page.chart->setVisible(sweep != nullptr);
  page.rows->setVisible(sweep != nullptr);
  if (first) emit missingHeightChanged();
  page.none->setVisible(!sweep && !workspace_->results().report());
  page.rows->setRowCount(sweep ? static_cast<int>(sweep->rows.size()) : 0);
  if (!sweep) return;
  QString title = tr("%1; %2").arg(sweepSubjectText(*sweep, workspace_->network().get()),
                                   QString::fromStdString(sweep->device.name));
  if (baseline) title += tr(" Dashed line with squares: baseline.");
  page.title->setText(title);
  for (int at = 0; at < page.rows->rowCount(); ++at) {
    const SweepRow& row = sweep->rows[static_cast<std::size_t>(at)];
    const Statistics s = row.wall.stats();
    const bool measured = s.n > 0;
    const auto standing = QString::fromStdString(row.standing);
    const QString why = QString::fromStdString(row.why_not);
    const int span = why.isEmpty() ? 1 : page.rows->columnCount() - 1;
    if (page.rows->columnSpan(at, 1) != span) page.rows->setSpan(at, 1, 1, span);
    QStringList cells{
        sweepRowText(*sweep, row), measured ? number(s.median) : why, measured ? number(s.iqr()) : QString(),
        measured ? QStringList{QString::number(s.n), standing}.join(standing.isEmpty() ? QString() : tr(", "))
                 : QString()};
    if (row.slots_per_pair) cells.append(onScreen(*row.slots_per_pair, 'f', 2));
    if (page.rows->columnCount() > cells.size()) cells.append(QString());
    for (int column = 0; column < cells.size(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      item->setToolTip(why);
      if (!row.why_not.empty()) item->setForeground(theme_->palette().faint_text);
      page.rows->setItem(at, column, item);
    }
  }
  fit_reasons(*page.rows);
}

/// Returns the threshold t of a layer in the plan. Returns -1 if its dataflow has no t.
int SweepPanel::thresholdOf(int layer) const {
  const auto at = static_cast<std::size_t>(layer);
  const LayerPlan& plan = workspace_->requested().plan().layers.at(at);
  return divides_at_threshold(workspace_->network()->layers.at(at), plan) ? plan.threshold : -1;
}

/// Returns the threshold t of the plan if it is the same in all layers. Returns -1 if the layers differ or
/// have no plan yet.
int SweepPanel::thresholdOfAll() const {
  const auto& layers = workspace_->requested().plan().layers;
  int most = -1;
  for (const LayerPlan& layer : layers)
    most = std::max(most, layer.threshold);
  if (most < 0 || !workspace_->network()) return -1;
  Plan same = workspace_->requested().plan();
  set_threshold(same, *workspace_->network(), most);
  return same.layers == layers ? most : -1;
}

void SweepPanel::follow() {
  if (!workspace_->scene().facts() || !workspace_->network()) {
    return showEmpty(tr("Open a scene and choose a network to measure all values of t and several packings."),
                     "file.open", tr("Open scene..."));
  }
  const int layer = selection_->layer();
  const bool recorded = workspace_->results().report() != nullptr;
  for (const Page& page : {thresholds_, packings_, dataflows_}) {
    page.run->setVisible(!recorded);
    if (page.use != nullptr) page.use->setVisible(!recorded);
  }
  custom_->setVisible(!recorded);
  custom_fault_->setVisible(!recorded);
  const auto& thresholds = workspace_->results().thresholdSweep();
  if (!thresholds)
    thresholds_.title->setText(
        recorded    ? tr("The report contains no sweep of t.")
        : layer < 0 ? tr("A sweep uses the same t in all layers. Select a layer to sweep only that layer.")
                    : tr("A sweep measures every setting of t for the selected layer."));
  const int now = thresholds && thresholds->layer >= 0 ? thresholdOf(thresholds->layer) : thresholdOfAll();
  const auto& before = workspace_->baseline().report();
  fill(thresholds_, thresholds, baselineOf(thresholds, before ? before->threshold_sweep : nullptr), now);
  followUse(thresholds_, thresholds);
  followDataflows();
  const auto& packings = workspace_->results().packSweep();
  if (!packings)
    packings_.title->setText(recorded ? tr("The report contains no sweep of packings.")
                                      : tr("A sweep measures the whole network with each packing."));
  int in_use = -1;
  for (std::size_t at = 0; packings && at < packings->rows.size(); ++at) {
    if (packings->rows[at].pack == workspace_->scene().facts()->pack) in_use = static_cast<int>(at);
  }
  fill(packings_, packings, baselineOf(packings, before ? before->pack_sweep : nullptr), in_use);
  markTuned();
  showBody();
}

int SweepPanel::missingHeight() const {
  constexpr int readable =
      210;  // Height in pixels at which the legend and the names leave space for the bars.
  for (const Page* page : {&thresholds_, &packings_, &dataflows_}) {
    if (page->chart->isVisible()) return std::max(0, readable - page->chart->height());
  }
  return 0;
}

void SweepPanel::followDataflows() {
  const auto& sweep = workspace_->results().dataflowSweep();
  if (!sweep)
    dataflows_.title->setText(
        workspace_->results().report() ? tr("Reports do not contain sweeps of dataflows.")
        : selection_->layer() < 0
            ? tr("A sweep uses the same dataflow in all layers that can run it. Select a "
                 "layer to sweep only that layer.")
            : tr("A sweep measures every dataflow of the selected layer."));
  int now = -1;
  for (int row = 0; sweep && row < static_cast<int>(sweep->rows.size()); ++row) {
    if (sweep->rows[static_cast<std::size_t>(row)].why_not.empty() &&
        planOf(*sweep, row).layers == workspace_->requested().plan().layers)
      now = row;
  }
  fill(dataflows_, sweep, nullptr, now);
  followUse(dataflows_, sweep);
}

Plan SweepPanel::planOf(const Sweep& sweep, int row) const {
  const int t = sweep.rows[static_cast<std::size_t>(row)].threshold;
  Plan plan = workspace_->requested().plan();
  if (sweep.of_dataflows) {
    const std::string& name = sweep.rows[static_cast<std::size_t>(row)].label;
    for (std::size_t at = 0; at < plan.layers.size(); ++at) {
      const Layer& layer = workspace_->network()->layers.at(at);
      const auto possible = dataflows_of(layer);
      if ((sweep.layer < 0 || sweep.layer == static_cast<int>(at)) &&
          std::find(possible.begin(), possible.end(), name) != possible.end())
        plan.layers[at] = with_dataflow(layer, plan.layers[at], name);
    }
    return plan;
  }
  if (sweep.layer >= 0) {
    plan.layers.at(static_cast<std::size_t>(sweep.layer)).set_threshold(t);
  } else {
    set_threshold(plan, *workspace_->network(), t);
  }
  return plan;
}

/// Updates the button that applies the fastest t. The text of the button contains this t and whether it is
/// tied with other values. The tooltip explains the action.
void SweepPanel::followUse(const Page& page, const std::shared_ptr<const Sweep>& sweep) {
  QPushButton* use = page.use;
  const bool dataflows = &page == &dataflows_;
  const int pick = sweep ? sweep->pick() : -1;
  if (pick < 0) {
    use->setText(dataflows ? tr("Use the fastest dataflow") : tr("Use the fastest t"));
    use->setEnabled(false);
    return use->setToolTip(
        sweep ? (dataflows ? tr("Too few samples to find the fastest dataflow; sweep again with more samples")
                           : tr("Too few samples to find the fastest t; sweep again with more samples"))
              : (dataflows ? tr("Sweep the dataflows first to find the fastest dataflow")
                           : tr("Sweep t first to find the fastest t")));
  }
  const SweepRow& row = sweep->rows[static_cast<std::size_t>(pick)];
  const QString label = sweepRowText(*sweep, row);
  const bool tied = row.standing == "tied";
  const bool in_use = planOf(*sweep, pick).layers == workspace_->requested().plan().layers;
  use->setText(tied ? tr("Use %1 (tied)").arg(label) : tr("Use %1 (fastest)").arg(label));
  use->setEnabled(!in_use);
  use->setToolTip(
      in_use ? tr("%1 is already in use").arg(label)
      : tied
          ? tr("Use the simplest setting that is tied with the fastest setting, in all layers of this sweep")
          : tr("Use this setting in all layers of this sweep"));
}

void SweepPanel::usePick(Kind kind) {
  const auto& sweep = sweepOf(kind);
  const int pick = sweep ? sweep->pick() : -1;
  if (pick < 0) return;
  Plan plan = planOf(*sweep, pick);
  plan.source = "sweep";
  workspace_->setPlan(plan);
}

void SweepPanel::checkBits() {
  custom_fault_->setText({});
  custom_pack_.reset();
  if (custom_->text().isEmpty()) return;
  try {
    custom_pack_ = parse_pack_spec(custom_->text().toStdString());
  } catch (const Error& error) {
    custom_fault_->setText(QString::fromStdString(error.what()));
  }
}

std::vector<PackSpec> SweepPanel::packs() const {
  std::vector<PackSpec> all{PackSpec::bits32(), PackSpec::bits64()};
  const auto add = [&](PackSpec pack) {
    if (std::find(all.begin(), all.end(), pack) == all.end()) all.push_back(pack);
  };
  if (workspace_->scene().voxels()) add(workspace_->scene().voxels()->pack);
  if (custom_pack_) add(*custom_pack_);
  return all;
}

void SweepPanel::showKind(Kind kind) {
  tabs_->setCurrentIndex(static_cast<int>(kind));
}

}  // namespace spira::ui

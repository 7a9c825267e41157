#include "ui/panels/density_panel.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/threshold_bars.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns `all` with the columns of `by` added. If `all` already contains all columns of `by`, returns `all`
/// without these columns.
std::vector<int> toggled(std::vector<int> all, const std::vector<int>& by) {
  const auto has = [&all](int column) { return std::find(all.begin(), all.end(), column) != all.end(); };
  if (std::all_of(by.begin(), by.end(), has)) {
    std::erase_if(all, [&by](int column) { return std::find(by.begin(), by.end(), column) != by.end(); });
  } else {
    all.insert(all.end(), by.begin(), by.end());
  }
  return all;
}

}  // namespace

DensityPanel::DensityPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      controls_(new QWidget(body())),
      switches_(new QWidget(body())),
      chart_(new DensityChart(theme, body())),
      times_(new ThresholdBars(theme, body())),
      title_(new QLabel(body())),
      stride_(new QComboBox(body())),
      kernel_(new QComboBox(body())),
      logarithmic_(new QCheckBox(tr("log"), body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(6, 6, 6, 6);
  auto* row = new QHBoxLayout(controls_);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(new QLabel(tr("Stride"), body()));
  row->addWidget(stride_);
  row->addWidget(new QLabel(tr("Kernel"), body()));
  row->addWidget(kernel_);
  row->addStretch(1);
  row->addWidget(new PinButton(shown_, body()));
  // The switches are next to the two lines of the title, so that the panel fits into a narrow dock.
  auto* head = new QHBoxLayout;
  auto* switches = new QVBoxLayout(switches_);
  switches->setContentsMargins(0, 0, 0, 0);
  switches->setSpacing(0);
  switches->addWidget(logarithmic_);
  switches->addWidget(chart_->makeTableSwitch(body()));
  head->addWidget(title_, 1, Qt::AlignTop);
  head->addWidget(switches_);
  layout->addWidget(controls_);
  layout->addLayout(head);
  layout->addWidget(chart_, 1);
  layout->addWidget(times_);
  WholeRowScroll::keepWhole(*times_);
  makeScrollable();  // The results below this panel may need its height.
  title_->setObjectName("densityTitle");
  title_->setWordWrap(true);
  for (const int k : {3, 5, 7})
    kernel_->addItem(QString("%1x%1x%1").arg(k), k);
  kernel_->setToolTip(tr("Kernel size for the scene; layers use their own kernel size"));
  stride_->addItem("1", 1);  // An empty list would be wider than a list of strides.
  stride_->setObjectName("densityStride");
  stride_->setAccessibleName(tr("Stride"));
  kernel_->setObjectName("densityKernel");
  kernel_->setAccessibleName(tr("Kernel size"));
  logarithmic_->setToolTip(tr("Logarithmic densities"));
  connect(kernel_, &QComboBox::activated, this,
          [this] { workspace_->requested().setSceneKernelSize(kernel_->currentData().toInt()); });
  connect(stride_, &QComboBox::activated, this,
          [this] { selection_->setStride(stride_->currentData().toInt()); });
  connect(logarithmic_, &QCheckBox::toggled, chart_, &DensityChart::setLogarithmic);
  connect(chart_, &DensityChart::columnsChosen, this, [this](const std::vector<int>& columns, bool add) {
    selection_->setColumns(add ? toggled(selection_->columns(), columns) : columns);
  });
  connect(chart_, &DensityChart::thresholdDragged, this, [this](int t) {
    const int layer = shown_map(*workspace_, *shown_).layer;
    if (layer < 0) return;
    Plan plan = workspace_->requested().plan();
    plan.layers.at(static_cast<std::size_t>(layer)).set_threshold(t);
    plan.source = "window";
    workspace_->setPlan(plan);
  });
  connect(chart_, &DensityChart::thresholdTried, this, [this](int t) {
    const int layer = shown_map(*workspace_, *shown_).layer;
    selection_->setTried(t < 0 ? std::nullopt : std::optional(TriedThreshold{layer, t}));
  });
  connectModel();
  follow();
}

void DensityPanel::connectModel() {
  connect(selection_, &Selection::triedChanged, this, &DensityPanel::followTimes);
  for (const auto changed :
       {&RunResults::measurementChanged, &RunResults::sweepsChanged, &RunResults::trialsChanged})
    connect(&workspace_->results(), changed, this, &DensityPanel::followTimes);
  connect(chart_, &DensityChart::columnsHovered, this, [this](const std::vector<int>& columns) {
    Hover hover;
    hover.columns = columns;
    selection_->setHover(hover);
  });
  connect(shown_, &Selection::hoverChanged, this, [this] {
    chart_->setHovered(shown_->hover().columns);
    followVoxel();
  });
  connect(selection_, &Selection::layerChanged, this, &DensityPanel::followSubset);
  connect(shown_, &FollowedSelection::pinnedChanged, this, &DensityPanel::followSubset);
  connect(shown_, &Selection::voxelChanged, this, &DensityPanel::followVoxel);
  connect(shown_, &Selection::columnsChanged, this, [this] { chart_->setChosen(shown_->columns()); });
  connect(shown_, &Selection::layerChanged, this, &DensityPanel::follow);
  connect(shown_, &Selection::strideChanged, this, &DensityPanel::follow);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &DensityPanel::follow);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer < 0 || layer == shown_->layer()) follow();
  });
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &DensityPanel::follow);
  connect(&workspace_->requested(), &RequestedSettings::sceneKernelChanged, this, &DensityPanel::follow);
}

void DensityPanel::follow() {
  if (!workspace_->scene().facts())
    return showEmpty(tr("Open a scene to see the share of its voxels that have a neighbour at each offset."),
                     "file.open", tr("Open scene..."));
  if (workspace_->scene().facts()->triples)
    return showEmpty(tr("A graph has no kernel map and no densities."));
  const int layer = shown_->layer();
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!has_shown_map(*workspace_, layer)) return showNoMap(layer);
  if (!shown.densities && workspace_->results().report() && layer >= 0)
    return showEmpty(
        tr("The densities of this layer are missing: the report is truncated before the end of this layer."));
  if (!shown.densities && workspace_->results().report())
    return showEmpty(tr("Select a layer in the list on the left to see its densities."));
  if (!shown.densities && map_stopped_)
    return showEmpty(tr("The kernel map was not built. It is needed to count the densities."), "run.map",
                     tr("Build map"));
  // After the first map of a scene has been built, keep the controls visible while the map of another stride
  // is built.
  if (!shown.densities && !workspace_->shownMap(-1).densities)
    return showEmpty(tr("The kernel map is being built."));
  followMap(shown);
  followVoxel();
  followTimes();
  showBody();
}

void DensityPanel::followMap(const ShownMap& shown) {
  fillTitle();
  fillStrides();
  const QSignalBlocker quiet(kernel_);
  kernel_->setEnabled(shown.layer < 0);
  const int k = shown.densities ? shown.densities->kernel.size[0] : workspace_->requested().sceneKernelSize();
  if (const int index = kernel_->findData(k); index >= 0) kernel_->setCurrentIndex(index);
  chart_->setDensities(shown.densities, shown.densities_title, shown.layer, shown.stride_out);
  if (shown.layer < 0) return chart_->setThreshold(-1, {});
  const auto layer = static_cast<std::size_t>(shown.layer);
  const Layer& facts = workspace_->network()->layers[layer];
  const LayerPlan& plan = workspace_->requested().plan().layers.at(layer);
  if (facts.neighbourhood.native() || !divides_at_threshold(facts, plan))
    return chart_->setThreshold(-1, {{}, dataflowText(facts, plan), plan.threshold > 0});
  const auto why_not = [facts, recorded = workspace_->results().report() != nullptr](int t) {
    return recorded ? tr("the t of a recorded run cannot be changed")
                    : QString::fromStdString(why_not_threshold(facts, t));
  };
  chart_->setThreshold(plan.threshold, {why_not});
}

/// Fills the list with the strides of the open scene. For a report, which contains no voxels, the list
/// contains only the stride of the outputs of the displayed map.
void DensityPanel::fillStrides() {
  const QSignalBlocker quiet(stride_);
  const auto& voxels = workspace_->scene().voxels();
  stride_->setEnabled(voxels != nullptr);
  QList<std::pair<int, QString>> levels;
  if (voxels) {
    for (const auto& level : voxels->levels) {
      if (has_level(*voxels, level->stride))
        levels.emplace_back(level->stride, QString::fromStdString(level_text(*voxels, level->stride)));
    }
  } else {
    const int number = shown_map(*workspace_, *shown_).stride_out;
    const auto& network = workspace_->network();
    levels.emplace_back(number, network ? QString::fromStdString(level_text(levels_of(*network), number))
                                        : QString::number(number));
  }
  bool same = levels.size() == stride_->count();
  for (int at = 0; same && at < stride_->count(); ++at)
    same = stride_->itemData(at).toInt() == levels[at].first && stride_->itemText(at) == levels[at].second;
  if (!same) {
    stride_->clear();
    bool wide = false;
    for (const auto& [number, text] : levels) {
      stride_->addItem(text, number);
      wide = wide || number >= first_numbered_level;
    }
    // Long names of levels must not widen the panel. The list shows them in full.
    constexpr int letters = 4;
    stride_->setMinimumContentsLength(wide ? letters : 0);
    stride_->setSizeAdjustPolicy(wide ? QComboBox::AdjustToMinimumContentsLengthWithIcon
                                      : QComboBox::AdjustToContentsOnFirstShow);
  }
  stride_->setCurrentIndex(voxels ? stride_->findData(shown_->stride()) : 0);
  stride_->setToolTip(
      voxels ? tr("Stride of the voxels in the 3D view, the status bar and this chart")
             : tr("Stride of the outputs of this layer. A report contains no voxels, so no other "
                  "stride can be chosen."));
}

namespace {

ThresholdBar bar_of(const ThresholdTime& time, const QString& name) {
  const QString brief =
      (time.source == ThresholdTime::Source::sweep   ? DensityPanel::tr("%1 (sweep, n = %2)")
       : time.source == ThresholdTime::Source::trial ? DensityPanel::tr("%1 (trial, n = %2)")
                                                     : DensityPanel::tr("%1 (median of %2)"))
          .arg(onScreen(ms_text(time.features_ms)))
          .arg(time.n);
  return {name, time.features_ms, !time.measured(), time.text(), time.how, time.n > 1 ? brief : QString()};
}

ThresholdBar bar_of(const ThresholdTime& time, const KernelShape& kernel) {
  return bar_of(time, thresholdText(kernel, time.threshold));
}

ThresholdBar unmeasured_bar(const QString& name) {
  return {name, -1.0, false, DensityPanel::tr("not measured yet"), {}};
}

}  // namespace

/// Shows the time of the features stage with the current t. If the user tries another t, also shows the time
/// with this t. This second time is an estimate until a comparison job has measured both values with
/// interleaved samples.
void DensityPanel::showTimes() {
  const int layer = shown_map(*workspace_, *shown_).layer;
  const auto run = threshold_of_run(*workspace_, layer);
  if (!run) return times_->setTimes({}, {});
  const auto at = static_cast<std::size_t>(layer);
  const Layer& facts = workspace_->network()->layers.at(at);
  const KernelShape kernel = facts.kernel();
  times_->setMaxBars(workspace_->results().report() ? 1 : 2);  // The t of a recorded run cannot be changed.
  const auto time_of_run = features_of_run(*workspace_, layer);
  QString contents = feature_time_text(time_of_run && time_of_run->with_order);
  contents[0] = contents[0].toUpper();
  // The layer list shows times that contain the map, so both captions name their contents.
  times_->setCaption((workspace_->results().measurement() ? tr("%1 without map, isolated runs")
                                                          : tr("%1 without map, last run"))
                         .arg(contents),
                     tr("%1 without map").arg(contents));
  if (const auto compared = threshold_comparison(*workspace_, *selection_, layer))
    return times_->setTimes({bar_of(compared->baseline, kernel), bar_of(compared->tried, kernel)},
                            compared->text());
  std::vector<ThresholdBar> bars;
  const LayerPlan& plan = workspace_->requested().plan().layers.at(at);
  if (!run_has_threshold(*workspace_, layer) || !divides_at_threshold(facts, plan)) {
    const QString then = settingText(facts, *plan_of_run(*workspace_, layer)), now = settingText(facts, plan);
    bars.push_back(time_of_run ? bar_of(*time_of_run, then) : unmeasured_bar(then));
    if (now != then) bars.push_back(unmeasured_bar(now));
    return times_->setTimes(std::move(bars), {});
  }
  const auto add = [&](int t) {
    const auto time = features_at(*workspace_, layer, t);
    bars.push_back(time ? bar_of(*time, kernel) : unmeasured_bar(thresholdText(kernel, t)));
  };
  const auto other = compared_threshold(*workspace_, *selection_, layer);
  add(other.value_or(*run));
  if (other) add(threshold_looked_at(*workspace_, *selection_, layer));
  times_->setTimes(std::move(bars), {});
}

void DensityPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  fitHeight();
}

void DensityPanel::followTimes() {
  showTimes();
  fitHeight();
}

/// Shows fewer lines above and below the bars if the panel is low. The bars would otherwise be too low to
/// compare. The 3D view has buttons for the stride too, and the lists of a recorded run cannot be changed.
void DensityPanel::fitHeight() {
  constexpr int low_below = 200, brief_below = 320, bars_need = 140;  // in pixels
  const bool recorded = workspace_->results().report() != nullptr;
  const bool timed = !times_->times().empty();
  const int times = timed ? times_->minimumSizeHint().height() : 0;
  times_->setVisible(timed && height() >= bars_need + times);
  controls_->setVisible(height() >= (recorded ? brief_below : low_below + times));
  switches_->setVisible(height() >= brief_below);
  if (std::exchange(brief_, height() < brief_below) != (height() < brief_below)) fillTitle();
}

void DensityPanel::fillTitle() {
  const ShownMap shown = shown_map(*workspace_, *shown_);
  if (!shown.densities)
    return title_->setText(
        tr("<b>stride %1</b><br>The kernel map is being built.").arg(stride_->currentText()));
  const auto counts = [](const Densities& of) {
    if (of.kernel.native())
      return tr("%1, %2, %3")
          .arg(counted(of.outputs, tr("1 output"), tr("%1 outputs")),
               counted(of.pairs, tr("1 group"), tr("%1 groups")),
               counted(of.triplets, tr("1 triplet"), tr("%1 triplets")));
    return tr("%1, %2").arg(counted(of.outputs, tr("1 output"), tr("%1 outputs")),
                            counted(of.pairs, tr("1 pair"), tr("%1 pairs")));
  };
  QString text = tr("<b>%1</b><br>%2").arg(shown.densities_title.toHtmlEscaped(), counts(*shown.densities));
  if (const Densities* subset = chart_->subset())
    text += tr("<br>Selection: %1, <span style='color: %2'>outlined</span>")
                .arg(counts(*subset), theme_->palette().drawn.name());
  const int layer = shown_->layer();
  if (layer >= 0 && !workspace_->results().wasRun(layer))
    text += tr("<br>The selected layer has not run yet. The chart shows the map of the scene.");
  if (layer >= 0 && workspace_->results().wasRun(layer) && shown.layer < 0)
    text += tr("<br>The selected layer has a different stride. The chart shows the map of the scene.");
  QString tip = brief_ ? text : QString();
  if (shown.layer >= 0 && shown.densities->kernel.native())
    tip += (tip.isEmpty() ? QString() : QString("<br>")) +
           QString::fromStdString(
               why_not_threshold(workspace_->network()->layers[static_cast<std::size_t>(shown.layer)], 1));
  title_->setToolTip(tip);
  title_->setText(brief_ ? text.section("<br>", 0, 0) : text);
}

void DensityPanel::setMapStopped(bool stopped) {
  map_stopped_ = stopped;
  follow();
}

void DensityPanel::setSubset(std::shared_ptr<const Densities> subset) {
  subset_ = std::move(subset);
  followSubset();
}

void DensityPanel::setVoxels(std::shared_ptr<const Densities> voxels) {
  chart_->setVoxels(std::move(voxels));
}

/// Shows the densities of the selected voxels, which were counted for the selected layer. Does not show them
/// if the panel is pinned to another layer or stride.
void DensityPanel::followSubset() {
  const bool same = shown_->layer() == selection_->layer() && shown_->stride() == selection_->stride();
  chart_->setSubset(same ? subset_ : nullptr);
  fillTitle();
}

/// Marks the offsets at which the voxel under the pointer has an input. If the pointer is not over a voxel,
/// uses the selected voxel.
void DensityPanel::followVoxel() {
  const ShownMap shown = shown_map(*workspace_, *shown_);
  const auto& scene = workspace_->scene().voxels();
  const auto& voxel = shown_->hover().voxel ? shown_->hover().voxel : shown_->voxel();
  std::vector<int> hits;
  if (scene && voxel && shown.map && voxel->stride == shown.stride_out) {
    const auto row = row_of_voxel(scene->level(voxel->stride), voxel->voxel);
    const auto inputs = row && *row < shown.map->outputs ? row_of(*shown.map, static_cast<std::int32_t>(*row))
                                                         : std::vector<std::int32_t>{};
    for (std::size_t column = 0; column < inputs.size(); ++column) {
      if (inputs[column] >= 0) hits.push_back(static_cast<int>(column));
    }
  }
  chart_->setMarked(hits);
}

}  // namespace spira::ui

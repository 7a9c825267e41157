#include "ui/panels/profile/roofline_panel.hpp"

#include "engine/run/layer_work.hpp"
#include "ui/charts/roofline_chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

Dataflow dataflow_of(const Layer& layer, int threshold) {
  if (threshold == 0) return Dataflow::weight_stationary;
  const auto feasible = feasible_thresholds(layer);
  return threshold >= feasible.back() ? Dataflow::output_stationary : Dataflow::hybrid;
}

std::vector<RooflinePoint> points_of(const Workspace& workspace) {
  std::vector<RooflinePoint> points;
  const Network& network = *workspace.network();
  const Levels levels = levels_of(network);
  const QStringList short_names = shortLayerNames(network);
  const auto times = run_times(workspace);
  const double all_ms = times ? times->sum_ms : 0;
  for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer) {
    const auto facts = measured_layer(workspace, levels, layer);
    if (!facts) continue;
    RooflinePoint point;
    point.name = QString::fromStdString(facts->layer.name);
    point.short_name = short_names[layer];
    point.layer = layer;
    point.dataflow = dataflow_of(facts->layer, facts->threshold);
    const auto& measured = workspace.results().measurement();
    point.dataflow_text =
        dataflowText(facts->layer, measured ? measured->plan.layers.at(static_cast<std::size_t>(layer))
                                            : workspace.results().layer(layer)->plan);
    point.features = features_work(*facts);
    point.stages = stage_work(*facts);
    point.share = all_ms > 0 ? point.features.median_ms() / all_ms : 0;
    points.push_back(std::move(point));
  }
  return points;
}

QString rate_text(const DeviceRate& rate, const char* unit) {
  QString how = QString::fromStdString(rate.how).toHtmlEscaped();
  if (!rate.per_second) return how;
  return RooflinePanel::tr("<b>%1</b> (%2, median of %3 samples)")
      .arg(onScreen(scaled_text(*rate.per_second, unit)), how)
      .arg(rate.samples_ms.size());
}

}  // namespace

RooflinePanel::RooflinePanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      headline_(new QLabel(body())),
      measure_rates_(new QPushButton(tr("Measure device rates"), body())),
      chart_(new RooflineChart(theme, body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  auto* head = new QHBoxLayout;
  headline_->setWordWrap(true);
  head->addWidget(headline_, 1);
  auto* tools = new QHBoxLayout;
  tools->addWidget(measure_rates_);
  tools->addWidget(new FollowHead(workspace, shown_, body()));
  tools->addWidget(chart_->makeTableSwitch(body()));
  head->addLayout(tools);
  head->setAlignment(tools, Qt::AlignTop);
  layout->addLayout(head);
  layout->addWidget(chart_, 1);
  measure_rates_->setToolTip(tr("Measure the memory rate and the arithmetic rate of the device (about 1 s)"));
  connect(measure_rates_, &QPushButton::clicked, this, [this] { emit commandRequested("run.rates"); });
  connect(chart_, &RooflineChart::layerClicked, selection_, &Selection::setLayer);
  connect(chart_, &RooflineChart::layerHovered, this, [this](int layer) {
    Hover hover;
    hover.layer = layer;
    selection_->setHover(hover);
  });
  connect(shown_, &Selection::layerChanged, chart_, &RooflineChart::setChosenLayer);
  connect(shown_, &Selection::hoverChanged, this, [this] { chart_->setHoveredLayer(shown_->hover().layer); });
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &RooflinePanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &RooflinePanel::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &RooflinePanel::followSoon);
  for (const auto changed : {&RunResults::measurementChanged, &RunResults::reportChanged})
    connect(&workspace_->results(), changed, this, &RooflinePanel::followSoon);
  follow();
}

QString RooflinePanel::headline() const {
  return headline_->text();
}

void RooflinePanel::follow() {
  if (!workspace_->scene().facts())
    return showEmpty(tr("Open a scene and measure a network to compare its layers with the device."),
                     "file.open", tr("Open scene..."));
  const auto& measured = workspace_->results().measurement();
  if (!workspace_->network() || (!measured && workspace_->results().layersRun() == 0))
    return showEmpty(tr("Measure the network to compare its layers with the device."), "run.measure",
                     tr("Measure"));
  chart_->setPoints(points_of(*workspace_), measured ? measured->rates : std::nullopt,
                    tr("n = %1").arg(measured ? measured->repetitions() : 1));
  chart_->setChosenLayer(shown_->layer());
  headline_->setForegroundRole(times_are_void(*workspace_) ? QPalette::PlaceholderText
                                                           : QPalette::WindowText);
  headline_->setText(roofsText());
  headline_->setToolTip(
      tr("Each point shows the feature computation of one layer, without its kernel map and row order. The "
         "area of a point is proportional to the time. The bytes include each input, weight, map entry and "
         "output once."));
  measure_rates_->setVisible(measured && !measured->rates && !workspace_->results().report());
  showBody();
}

QString RooflinePanel::roofsText() const {
  if (!workspace_->results().measurement())
    return tr(
        "One run of each layer (n = 1). Press Measure for medians, and to compare them with the maximum "
        "rates of the device.");
  const Measurement& measured = *workspace_->results().measurement();
  const QString device = QString::fromStdString(measured.device.name).toHtmlEscaped();
  if (measured.rates)
    return tr("Roofs measured on %1: memory %2; arithmetic %3.")
        .arg(device, rate_text(measured.rates->bytes, "B/s"), rate_text(measured.rates->flops, "FLOP/s"));
  if (workspace_->results().report())
    return tr("No roofs: this report does not contain the maximum rates of %1. Record the run again with "
              "<code>spira "
              "run --rates</code> to add them.")
        .arg(device);
  return tr("No roofs yet: the maximum rates of %1 have not been measured.").arg(device);
}

}  // namespace spira::ui

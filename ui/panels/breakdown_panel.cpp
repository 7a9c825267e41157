#include "ui/panels/breakdown_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/model/layer_table_model.hpp"

#include <QLabel>
#include <QVBoxLayout>

namespace spira::ui {
namespace {

/// Adds the leaves of a tree to a bar; what no leaf covers goes to the epilogue's colour as rest. The tip has
/// every stage, with the peak of live buffers where it was taken.
void add_stages(const StageTree& stages, StageBar& bar) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    const double ms = stages.median_ms(node);
    const Statistics s = statistics(here.samples_ms);
    bar.tip += QString("\n%1: %2, n = %3, IQR %4")
                   .arg(QString::fromStdString(stages.path(node)), QString::fromStdString(ms_text(s.median)))
                   .arg(s.n)
                   .arg(QString::fromStdString(ms_text(s.iqr())));
    if (here.peak_bytes)
      bar.tip += BreakdownPanel::tr(", peak %1").arg(QString::fromStdString(bytes_text(*here.peak_bytes)));
    double children = 0;
    for (int child = node + 1; child < static_cast<int>(stages.nodes.size()); ++child) {
      if (stages.nodes[static_cast<std::size_t>(child)].parent == node) children += stages.median_ms(child);
    }
    StageGroup group = stage_group(here.name);
    if (children > 0 || group == StageGroup::other)
      group = group == StageGroup::voxelize || group == StageGroup::downsample ? group : StageGroup::epilogue;
    bar.parts[group] += std::max(0.0, ms - children);
  }
}

}  // namespace

BreakdownPanel::BreakdownPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      headline_(new QLabel(body())),
      chart_(new StageChart(theme, body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->addWidget(headline_);
  layout->addWidget(chart_, 1);
  headline_->setWordWrap(true);
  connect(chart_, &StageChart::layerClicked, selection_, &Selection::setLayer);
  connect(selection_, &Selection::layerChanged, chart_, &StageChart::setChosenLayer);
  connect(workspace_, &Workspace::voxelsChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::networkChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::layerChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::measurementChanged, this, &BreakdownPanel::follow);
  follow();
}

QString BreakdownPanel::headline() const {
  return headline_->text();
}

void BreakdownPanel::follow() {
  if (!workspace_->sceneFacts())
    return showEmpty(
        tr("Open a scene and run a network: the time of each layer stands here, split into its stages."),
        "file.open", tr("Open scene..."));
  if (workspace_->layersRun() == 0)
    return showEmpty(tr("Run the network to see where its time goes."), "run.run", tr("Run network"));
  std::vector<StageBar> bars;
  const auto& measured = workspace_->measurement();
  StageBar indexing{tr("indexing"), tr("voxelise and down-sample"), -1, {}};
  add_stages(measured ? measured->indexing : workspace_->voxels()->stages, indexing);
  bars.push_back(indexing);
  for (int layer = 0; layer < static_cast<int>(workspace_->network()->layers.size()); ++layer) {
    const auto& result = workspace_->layer(layer);
    if (!measured && !result) continue;
    const auto name =
        QString::fromStdString(workspace_->network()->layers[static_cast<std::size_t>(layer)].name);
    StageBar bar{shortLayerName(name), name, layer, {}};
    add_stages(measured ? measured->layers.at(static_cast<std::size_t>(layer)).stages : result->stages, bar);
    bars.push_back(std::move(bar));
  }
  if (measured) {
    const Statistics wall = measured->wall.stats();
    headline_->setText(tr("<b>wall time %1</b> (median of %2, IQR %3), <b>sum of stages %4</b>, in turns, "
                          "with marks and without. %5, %6.")
                           .arg(QString::fromStdString(ms_text(wall.median)))
                           .arg(wall.n)
                           .arg(QString::fromStdString(ms_text(wall.iqr())),
                                QString::fromStdString(ms_text(measured->sum_of_stages_ms())),
                                QString::fromStdString(measured->device.name),
                                QString::fromStdString(std::string(clock_text(measured->device.clock)))));
  } else {
    headline_->setText(tr("One sample a layer, %1. Measure (Ctrl+M) for medians, spread and the wall time.")
                           .arg(QString::fromStdString(workspace_->device().name)));
  }
  headline_->setToolTip(
      measured ? tr("Marks between stages cost time and keep work from overlapping, so the stages "
                    "are measured in passes of their own.")
               : QString());
  chart_->setBars(std::move(bars), measured ? tr("ms, median") : tr("ms, one sample"),
                  measured ? tr("n = %1").arg(measured->wall.stats().n) : tr("n = 1"));
  chart_->setChosenLayer(selection_->layer());
  showBody();
}

}  // namespace spira::ui

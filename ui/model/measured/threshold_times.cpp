#include "ui/model/measured/threshold_times.hpp"

#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <string>

namespace spira::ui {
namespace {

class ThresholdTimes {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::ThresholdTimes)
};

/// Returns the feature time from the stages of one layer. Returns an empty value if these stages include no
/// features.
std::optional<ThresholdTime> features_of(const StageTree& stages, int threshold,
                                         ThresholdTime::Source source) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    if (here.parent >= 0 || stages.key(node).phase != "features" || here.samples_ms.empty()) continue;
    return ThresholdTime{threshold, source, stages.median_ms(node), std::ssize(here.samples_ms), {}};
  }
  return std::nullopt;
}

const StageTree* stages_of_run(const Workspace& workspace, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.measurement())
    return at < measured->layers.size() ? &measured->layers[at].stages : nullptr;
  return workspace.layer(layer) ? &workspace.layer(layer)->stages : nullptr;
}

std::optional<ThresholdTime> swept(const Workspace& workspace, int layer, int threshold) {
  const auto& sweep = workspace.thresholdSweep();
  if (!sweep || sweep->layer != layer) return std::nullopt;
  for (const SweepRow& row : sweep->rows) {
    if (row.threshold == threshold && !row.wall.ms.empty())
      return features_of(row.stages, threshold, ThresholdTime::Source::sweep);
  }
  return std::nullopt;
}

std::optional<ThresholdTime> modelled(const Workspace& workspace, int layer, int threshold) {
  const auto& measured = workspace.measurement();
  const auto& result = workspace.layer(layer);
  if (!measured || !result) return std::nullopt;
  const auto time = modelled_features(*measured, *workspace.network(), layer, result->densities, threshold);
  if (!time) return std::nullopt;
  return ThresholdTime{threshold, ThresholdTime::Source::modelled, time->features_ms, 0,
                       QString::fromUtf8(text_of(time->rates))};
}

}  // namespace

QString ThresholdTime::text() const {
  const auto ms = onScreen(ms_text(features_ms));
  if (!measured()) return ThresholdTimes::tr("%1 (modelled)").arg(ms);
  return n == 1 ? ThresholdTimes::tr("%1, n = 1").arg(ms)
                : ThresholdTimes::tr("%1 (median of %2)").arg(ms).arg(n);
}

std::optional<int> threshold_of_run(const Workspace& workspace, int layer) {
  if (!workspace.wasRun(layer)) return std::nullopt;
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.measurement(); measured && at < measured->plan.layers.size())
    return measured->plan.layers[at].threshold;
  return workspace.layer(layer) ? std::optional(workspace.layer(layer)->plan.threshold) : std::nullopt;
}

std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold) {
  const auto run = threshold_of_run(workspace, layer);
  if (!run) return std::nullopt;
  if (*run == threshold && !workspace.report() && !workspace.measurement()) {
    if (const ThresholdTrial* trial = workspace.trial(layer, workspace.layer(layer)->plan))
      return features_of(trial->stages, threshold, ThresholdTime::Source::trial);
  }
  if (*run == threshold) {
    const StageTree* stages = stages_of_run(workspace, layer);
    return stages == nullptr ? std::nullopt : features_of(*stages, threshold, ThresholdTime::Source::run);
  }
  if (workspace.report()) return std::nullopt;
  LayerPlan setting = workspace.plan().layers.at(static_cast<std::size_t>(layer));
  setting.threshold = threshold;
  if (const ThresholdTrial* trial = workspace.trial(layer, setting))
    return features_of(trial->stages, threshold, ThresholdTime::Source::trial);
  if (auto time = swept(workspace, layer, threshold)) return time;
  return modelled(workspace, layer, threshold);
}

int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer) {
  const auto& tried = selection.tried();
  if (tried && tried->layer == layer) return tried->threshold;
  return workspace.plan().layers.at(static_cast<std::size_t>(layer)).threshold;
}

std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace, const Selection& selection) {
  const auto& over = selection.hover().columns;
  const auto& columns = over.empty() ? selection.columns() : over;
  const int layer = selection.layer();
  const ShownMap shown = workspace.shownMap(layer);
  std::set<StageGroup> parts;
  if (!shown.densities || !workspace.wasRun(layer)) return parts;
  const int t = workspace.plan().layers.at(static_cast<std::size_t>(layer)).threshold;
  for (const int column : columns) {
    if (column >= static_cast<int>(shown.densities->columns.size())) continue;
    const bool dense = shown.densities->columns[static_cast<std::size_t>(column)].l1 < t;
    parts.insert(dense ? StageGroup::output_stationary : StageGroup::weight_stationary);
  }
  return parts;
}

}  // namespace spira::ui

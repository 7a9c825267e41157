#include "ui/model/measured/threshold_times.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "engine/tune/matrix.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <string>

namespace spira::ui {
namespace {

class ThresholdTimes {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::ThresholdTimes)
};

std::optional<ThresholdTime> features_of(const StageTree& stages, int threshold,
                                         ThresholdTime::Source source) {
  const Statistics times = statistics(feature_samples(stages));
  if (times.n == 0) return std::nullopt;
  bool with_order = false;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageKey stage = stages.key(node);
    with_order = with_order || (stage.phase == "features" && stage.group() == StageGroup::order);
  }
  return ThresholdTime{threshold, source, times.median, times.n, times.iqr(), {}, with_order};
}

const StageTree* stages_of_run(const Workspace& workspace, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.results().measurement())
    return at < measured->layers.size() ? &measured->layers[at].stages : nullptr;
  return workspace.results().layer(layer) ? &workspace.results().layer(layer)->stages : nullptr;
}

std::optional<ThresholdTime> swept(const Workspace& workspace, int layer, int threshold) {
  const auto& sweep = workspace.results().thresholdSweep();
  if (!sweep || sweep->layer != layer) return std::nullopt;
  for (const SweepRow& row : sweep->rows) {
    if (row.threshold == threshold && !row.wall.ms.empty())
      return features_of(row.stages, threshold, ThresholdTime::Source::sweep);
  }
  return std::nullopt;
}

std::optional<ThresholdTime> modelled(const Workspace& workspace, int layer, int threshold) {
  const auto& measured = workspace.results().measurement();
  const auto& result = workspace.results().layer(layer);
  if (!measured || !result) return std::nullopt;
  const auto time = modelled_features(*measured, *workspace.network(), layer, result->densities, threshold);
  if (!time) return std::nullopt;
  return ThresholdTime{threshold, ThresholdTime::Source::modelled,        time->features_ms, 0,
                       0,         QString::fromUtf8(text_of(time->rates))};
}

}  // namespace

std::span<const double> feature_samples(const StageTree& stages) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    if (here.parent < 0 && stages.key(node).phase == "features") return here.samples_ms;
  }
  return {};
}

QString feature_time_text(bool with_order) {
  return with_order ? ThresholdTimes::tr("features and row order") : ThresholdTimes::tr("features");
}

QString ThresholdTime::text() const {
  const auto ms = msOnScreen(features_ms, n);
  if (!measured()) return ThresholdTimes::tr("%1 (modelled)").arg(ms);
  if (n == 1) return ThresholdTimes::tr("%1, n = 1").arg(ms);
  // The captions of the views describe the times of the run.
  const QString form =
      source == Source::sweep   ? ThresholdTimes::tr("%1 (sweep, median of %2 samples, IQR %3)")
      : source == Source::trial ? ThresholdTimes::tr("%1 (trial, median of %2 samples, IQR %3)")
                                : ThresholdTimes::tr("%1 (median of %2 samples, IQR %3)");
  return form.arg(ms).arg(n).arg(onScreen(ms_text(iqr_ms)));
}

QString ThresholdComparison::text() const {
  const auto times = [](double value) { return onScreen(fixed(value, 2)); };
  if (verdict == Verdict::same)
    return ThresholdTimes::tr("t = %1 and t = %2 are tied").arg(tried.threshold).arg(baseline.threshold);
  if (verdict == Verdict::undecided || !ratio)
    return ThresholdTimes::tr("t = %1 compared with t = %2: undecided")
        .arg(tried.threshold)
        .arg(baseline.threshold);
  const QString head = verdict == Verdict::faster
                           ? ThresholdTimes::tr("t = %1 is faster: it takes %2 times as long as t = %3")
                           : ThresholdTimes::tr("t = %1 is slower: it takes %2 times as long as t = %3");
  return ThresholdTimes::tr("%1 (95 % interval: %2 to %3)")
      .arg(head.arg(tried.threshold).arg(times(ratio->ratio())).arg(baseline.threshold), times(ratio->low),
           times(ratio->high));
}

std::optional<LayerPlan> plan_of_run(const Workspace& workspace, int layer) {
  if (!workspace.results().wasRun(layer)) return std::nullopt;
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.results().measurement(); measured && at < measured->plan.layers.size())
    return measured->plan.layers[at];
  return workspace.results().layer(layer) ? std::optional(workspace.results().layer(layer)->plan)
                                          : std::nullopt;
}

std::optional<int> threshold_of_run(const Workspace& workspace, int layer) {
  const auto plan = plan_of_run(workspace, layer);
  return plan ? std::optional(plan->threshold) : std::nullopt;
}

bool run_has_threshold(const Workspace& workspace, int layer) {
  const auto plan = plan_of_run(workspace, layer);
  return plan && divides_at_threshold(workspace.network()->layers.at(static_cast<std::size_t>(layer)), *plan);
}

std::optional<ThresholdTime> features_of_run(const Workspace& workspace, int layer) {
  const auto run = threshold_of_run(workspace, layer);
  const StageTree* stages = run ? stages_of_run(workspace, layer) : nullptr;
  return stages == nullptr ? std::nullopt : features_of(*stages, *run, ThresholdTime::Source::run);
}

std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold) {
  const auto run = threshold_of_run(workspace, layer);
  if (!run) return std::nullopt;
  if (*run == threshold && run_has_threshold(workspace, layer)) return features_of_run(workspace, layer);
  if (workspace.results().report()) return std::nullopt;
  LayerPlan setting = workspace.requested().plan().layers.at(static_cast<std::size_t>(layer));
  setting.set_threshold(threshold);
  if (const ThresholdTrial* trial = workspace.results().trial(layer, setting))
    return features_of(trial->stages, threshold, ThresholdTime::Source::trial);
  if (auto time = swept(workspace, layer, threshold)) return time;
  return modelled(workspace, layer, threshold);
}

void RunModel::addTo(SettingMatrix& matrix) const {
  if (!run || !network || run->layers.size() != network->layers.size()) return;
  std::vector<const Densities*> all;
  for (const auto& one : densities)
    all.push_back(one.get());
  add_modelled_cells(matrix, *run, *network, all);
}

RunModel run_model(const Workspace& workspace) {
  RunModel model{workspace.network(), workspace.results().measurement(), {}};
  if (!model.network || !model.run) return {};
  for (int layer = 0; layer < static_cast<int>(model.network->layers.size()); ++layer) {
    const ShownMap shown = workspace.shownMap(layer);
    model.densities.push_back(shown.layer == layer ? shown.densities : nullptr);
  }
  return model;
}

bool is_of_measurement(const TuningProfile& profile, const Workspace& workspace) {
  const auto& run = workspace.results().measurement();
  return run && profile.scenes.size() == 1 && scene_in(profile, workspace) == 0 &&
         profile.device.kind == run->device.kind && profile.device.name == run->device.name &&
         profile.device.threads == run->device.threads && profile.precision == run->plan.precision;
}

int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer) {
  const auto& tried = selection.tried();
  if (tried && tried->layer == layer) return tried->threshold;
  return workspace.requested().plan().layers.at(static_cast<std::size_t>(layer)).threshold;
}

std::optional<int> compared_threshold(const Workspace& workspace, const Selection& selection, int layer) {
  const auto run = threshold_of_run(workspace, layer);
  const auto at = static_cast<std::size_t>(layer);
  if (!run || !run_has_threshold(workspace, layer)) return std::nullopt;
  const LayerPlan& plan = workspace.requested().plan().layers.at(at);
  if (!divides_at_threshold(workspace.network()->layers.at(at), plan)) return std::nullopt;
  if (threshold_looked_at(workspace, selection, layer) != plan.threshold) return plan.threshold;
  if (*run == plan.threshold) return std::nullopt;
  const ThresholdTrial* trial = workspace.results().trial(layer, plan);
  return trial != nullptr ? trial->baseline.threshold : *run;
}

std::optional<ThresholdComparison> threshold_comparison(const Workspace& workspace,
                                                        const Selection& selection, int layer) {
  const auto other =
      workspace.results().report() ? std::nullopt : compared_threshold(workspace, selection, layer);
  if (!other) return std::nullopt;
  LayerPlan setting = workspace.requested().plan().layers.at(static_cast<std::size_t>(layer)),
            baseline = setting;
  setting.set_threshold(threshold_looked_at(workspace, selection, layer));
  baseline.set_threshold(*other);
  const ThresholdTrial* trial = workspace.results().trial(layer, setting);
  if (trial == nullptr || trial->baseline != baseline) return std::nullopt;
  const auto before = features_of(trial->baseline_stages, *other, ThresholdTime::Source::trial);
  const auto now = features_of(trial->stages, setting.threshold, ThresholdTime::Source::trial);
  if (!before || !now) return std::nullopt;
  const Verdict decided = trial->ratio ? verdict(*trial->ratio) : Verdict::undecided;
  return ThresholdComparison{*before, *now, decided, trial->ratio};
}

std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace, const Selection& selection) {
  const auto& over = selection.hover().columns;
  const auto& columns = over.empty() ? selection.columns() : over;
  const int layer = selection.layer();
  const ShownMap shown = workspace.shownMap(layer);
  std::set<StageGroup> parts;
  if (!shown.densities || !workspace.results().wasRun(layer)) return parts;
  const int t = workspace.requested().plan().layers.at(static_cast<std::size_t>(layer)).threshold;
  for (const int column : columns) {
    if (column >= static_cast<int>(shown.densities->columns.size())) continue;
    const bool dense = shown.densities->columns[static_cast<std::size_t>(column)].l1 < t;
    parts.insert(dense ? StageGroup::output_stationary : StageGroup::weight_stationary);
  }
  return parts;
}

}  // namespace spira::ui

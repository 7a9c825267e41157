#include "engine/lesson/lesson_run.hpp"

namespace spira {

std::shared_ptr<const LessonRun> run_of_report(const std::shared_ptr<const Report>& report) {
  auto run = std::make_shared<LessonRun>();
  run->source = "recorded run, " + report->measurement.device.name + ", " + report->network.name + " on " +
                report->scene.name;
  if (!report->created.empty()) run->source += ", " + report->created;
  run->recorded = true;
  run->network = {report, &report->network};
  run->measurement = {report, &report->measurement};
  for (const Densities& densities : report->layer_densities)
    run->layer_densities.emplace_back(report, &densities);
  run->thresholds = report->threshold_sweep;
  return run;
}

const Sweep* network_sweep(const LessonRun& run) {
  const Sweep* sweep = run.thresholds.get();
  return sweep != nullptr && sweep->layer < 0 && !sweep->rows.empty() ? sweep : nullptr;
}

RunNeeds run_needs(const std::vector<std::string>& facts) {
  RunNeeds needs;
  for (const std::string& name : facts) {
    const bool network = name.starts_with("network.");
    needs.sweep = needs.sweep || name.starts_with("threshold.");
    needs.measured = needs.measured || network || name.ends_with(".modelled_ms");
    needs.side_by_side = needs.side_by_side || name.starts_with("network.in_situ_ratio") ||
                         name.starts_with("network.compiled") || name == "network.side_by_side" ||
                         (network && name.ends_with("overlap_factor"));
  }
  return needs;
}

RunNeeds missing_of(const LessonRun& run, const RunNeeds& needs) {
  RunNeeds missing;
  missing.measured = needs.measured && (!run.measurement || !run.network);
  missing.sweep = needs.sweep && network_sweep(run) == nullptr;
  missing.side_by_side =
      needs.side_by_side && (!run.measurement || run.measurement->timeline.mode != TimelineMode::in_situ);
  return missing;
}

}  // namespace spira

#include "engine/lesson/lesson_run.hpp"

namespace spira {

std::shared_ptr<const LessonRun> run_of_report(const Report& report, bool recorded) {
  auto run = std::make_shared<LessonRun>();
  run->source = std::string(recorded ? "recorded run" : "this run") + ", " + report.measurement.device.name +
                ", " + report.network.name + " on " + report.scene.name;
  if (recorded && !report.created.empty()) run->source += ", " + report.created;
  run->recorded = recorded;
  run->network = std::make_shared<const Network>(report.network);
  run->measurement = std::make_shared<const Measurement>(report.measurement);
  run->layer_densities = report.layer_densities;
  run->thresholds = report.threshold_sweep;
  return run;
}

}  // namespace spira

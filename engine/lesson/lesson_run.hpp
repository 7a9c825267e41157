// Measured values for lessons that compare a scene with them: the open run, or a recorded run.
#pragma once

#include "engine/report/report.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
class Job;
struct VoxelScene;

/// Times of one map search, as stages of the map build. A stage that the algorithm does not have has no
/// samples.
struct SearchTimes {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> preprocess_ms, search_ms;
};

struct LessonRun {
  /// Origin of the values: "recorded run, NVIDIA H200, minkunet42 on street, 2026-11-22T14:28:28Z".
  std::string source;
  /// True for the run of a report, which can be of another machine and of another scene than the open one.
  bool recorded = false;
  std::shared_ptr<const Network> network;          ///< network of the measurement
  std::shared_ptr<const Measurement> measurement;  ///< null if nothing was measured
  /// Densities of each layer, none null. Empty if they are not known.
  std::vector<std::shared_ptr<const Densities>> layer_densities;
  std::shared_ptr<const Sweep> thresholds;  ///< null if t was not swept; may be of one layer only
  /// Times of the open scene from measure_searches(). Empty if not measured.
  std::vector<SearchTimes> searches;
  /// Device of `searches`: "AMD EPYC 9654, 8 threads". Empty if not known.
  std::string searched_on;
};

/// Returns the run of a report, which can be of another machine or another scene. The run shares the parts of
/// the report, so that the call is fast for reports of any size.
[[nodiscard]] std::shared_ptr<const LessonRun> run_of_report(const std::shared_ptr<const Report>& report);

/// Returns the sweep of t over all layers at once, or null if there is none or it is of a single layer.
[[nodiscard]] const Sweep* network_sweep(const LessonRun& run);

/// Measurements that a page needs so that none of its numbers is missing.
struct RunNeeds {
  bool measured = false, sweep = false, side_by_side = false;
  bool operator==(const RunNeeds&) const = default;
};
[[nodiscard]] RunNeeds run_needs(const std::vector<std::string>& facts);
/// Returns the needs that this run does not meet.
[[nodiscard]] RunNeeds missing_of(const LessonRun& run, const RunNeeds& needs);

/// Builds the map of a submanifold layer of `kernel_size` on the level of `stride` with each algorithm,
/// interleaved, and times each stage alone. Runs one warm-up and then takes `rounds` samples. Returns one
/// result for each algorithm.
[[nodiscard]] std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene,
                                                        int kernel_size, int stride, int rounds, Job& job);

}  // namespace spira

// Measured values that lessons show. They come from the open run or from a recorded run.
#pragma once

#include "engine/report/report.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
class Job;
struct VoxelScene;

/// Times of the stages of one map search. If the algorithm does not have a stage, the stage has no samples.
struct SearchTimes {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> preprocess_ms, search_ms;
};

struct LessonRun {
  /// Origin of the values, such as "recorded run, NVIDIA H200, minkunet42 on street, 2026-11-22T14:28:28Z".
  std::string source;
  /// True if the values come from a report. The report may come from another machine or another scene.
  bool recorded = false;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Measurement> measurement;  ///< null if the network was not measured
  /// Densities of each layer. No entry is null. The list is empty if the densities are not known.
  std::vector<std::shared_ptr<const Densities>> layer_densities;
  std::shared_ptr<const Sweep>
      thresholds;  ///< sweep of t, possibly of a single layer; null if no t was measured
  /// Result of measure_searches() for the open scene. Empty if the searches were not measured.
  std::vector<SearchTimes> searches;
  /// Device on which `searches` was measured, such as "AMD EPYC 9654, 8 threads". Empty if not known.
  std::string searched_on;
};

/// Returns the run of a report. The report may come from another machine or another scene. The run shares
/// the data of the report instead of copying it.
[[nodiscard]] std::shared_ptr<const LessonRun> run_of_report(const std::shared_ptr<const Report>& report);

/// Returns the sweep of t for the whole network. Returns `nullptr` if the run has no sweep, or only the
/// sweep of a single layer.
[[nodiscard]] const Sweep* network_sweep(const LessonRun& run);

/// The measurements that a page needs for its numbers.
struct RunNeeds {
  bool measured = false, sweep = false, side_by_side = false;
  bool operator==(const RunNeeds&) const = default;
};
[[nodiscard]] RunNeeds run_needs(const std::vector<std::string>& facts);
/// Returns the measurements of `needs` that this run does not contain.
[[nodiscard]] RunNeeds missing_of(const LessonRun& run, const RunNeeds& needs);

/// Builds the map of a submanifold layer of `kernel_size` on the level of `stride` with each algorithm, and
/// times each stage in isolation. The samples of the algorithms are interleaved. Each algorithm gets one
/// warm-up round and `rounds` samples. Returns one result for each algorithm.
[[nodiscard]] std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene,
                                                        int kernel_size, int stride, int rounds, Job& job);

}  // namespace spira

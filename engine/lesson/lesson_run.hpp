// Defines the measured values that lessons show. They come from the current run or from a recorded run.
#pragma once

#include "engine/report/report.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Backend;
class Job;
struct KernelShape;
struct VoxelScene;

/// The times of the stages of one map search. A stage that the algorithm does not have has no samples.
struct SearchTimes {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> preprocess_ms, search_ms;
};

/// The times of one layer. Both lists have the same length.
struct LayerSamples {
  std::vector<double> map_ms, features_ms;
};
/// The times of a layer with the neighbourhood voxels, and of the same layer with a native neighbourhood.
struct NeighbourTimes {
  LayerSamples voxels, native;
};

struct LessonRun {
  /// Where the values come from, such as "recorded run, NVIDIA H200, minkunet42 on street,
  /// 2026-11-22T14:28:28Z".
  std::string source;
  /// True if the values come from a report, possibly of another machine or another scene.
  bool recorded = false;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Measurement> measurement;  ///< `nullptr` if the network was not measured.
  /// The densities of each layer. No entry is `nullptr`. The list is empty if the densities are not known.
  std::vector<std::shared_ptr<const Densities>> layer_densities;
  /// The sweep of t for the network or for one layer. `nullptr` if no sweep was measured.
  std::shared_ptr<const Sweep> thresholds;
  /// The result of measure_searches() for the open scene. Empty if the searches were not measured.
  std::vector<SearchTimes> searches;
  /// The result of measure_neighbours() for the open scene. Empty if the layers were not measured.
  std::optional<NeighbourTimes> neighbours{};
  /// The device on which `searches` or `neighbours` was measured, such as "AMD EPYC 9654, 8 threads". Empty
  /// if not known.
  std::string timed_on;
};

/// Returns the run that a report contains. It may come from another machine or another scene. The run refers
/// to the data of the report and does not copy it.
[[nodiscard]] std::shared_ptr<const LessonRun> run_of_report(const std::shared_ptr<const Report>& report);

/// Returns the sweep of t for the whole network. Returns `nullptr` if the run has no sweep, or only a sweep
/// of a single layer.
[[nodiscard]] const Sweep* network_sweep(const LessonRun& run);

/// The measurements that the numbers of a page need.
struct RunNeeds {
  bool measured = false, sweep = false, side_by_side = false;
  bool operator==(const RunNeeds&) const = default;
};
[[nodiscard]] RunNeeds run_needs(const std::vector<std::string>& facts);
/// Returns the measurements in `needs` that the run does not contain.
[[nodiscard]] RunNeeds missing_of(const LessonRun& run, const RunNeeds& needs);

/// Builds the map of a submanifold layer of `kernel_size` on the level of `stride` with each algorithm. Times
/// each stage in isolation. The samples of the algorithms are interleaved: one warm-up round, then `rounds`
/// rounds. Returns one result per algorithm.
[[nodiscard]] std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene,
                                                        int kernel_size, int stride, int rounds, Job& job);

/// Times a layer with `timed_channels` inputs and outputs on level 0: once with the neighbourhood voxels and
/// once with the neighbourhood of `kernel`, which must be native. Both are weight-stationary and in fp32, so
/// that they differ in their neighbours only. The samples are interleaved: one warm-up round, then `rounds`
/// rounds.
[[nodiscard]] NeighbourTimes measure_neighbours(const std::shared_ptr<Backend>& backend,
                                                const VoxelScene& scene, const KernelShape& kernel,
                                                int rounds, Job& job);
constexpr int timed_channels = 64;

}  // namespace spira

// Tunes a network: measures thresholds, mapping algorithms and packings on several scenes within a time
// budget. If the budget ends early, the results so far are kept.
#pragma once

#include "engine/tune/tuning_profile.hpp"
#include "engine/voxel/grid.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
struct NetworkWeights;
struct Plan;
struct TuneEstimate;

struct TuneScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  double weight = 1;
};
/// The results of tune() after one of its steps (see TuneStep).
struct TuneSoFar {
  TuningProfile profile;  ///< All samples so far, with choices.
  int layers_decided = 0;
  int layers = 0;  ///< Number of layers of the network.
};
struct TuneRequest {
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::vector<TuneScene> scenes;
  Precision precision = Precision::fp32;
  /// True to measure all passes of training steps, and to choose their settings together.
  bool training = false;
  /// The thresholds to measure. If the list is empty, all thresholds that a layer supports are measured.
  std::vector<int> thresholds;
  /// Names of dataflows to measure in addition to the thresholds (see engine/backend/dataflow.hpp). A layer
  /// ignores thresholds and the dataflows that it cannot run.
  std::vector<std::string> dataflows;
  std::vector<MapAlgorithm> algorithms{MapAlgorithm::z_delta};
  std::vector<PackSpec> packings;  ///< The packings to measure. If empty, the packing of each scene is used.
  SamplingProtocol protocol;       ///< `budget_ms` replaces its `max_time_ms`.
  /// Time for all scenes. A sample that is running when the time ends is completed.
  double budget_ms = 30'000;
  std::string tool_version;
  /// Called once in the thread of tune(), after the first pass of the first scene and before any sample.
  std::function<void(const TuneEstimate&)> on_estimate;
  /// Called in the thread of tune() when all settings of a step have their first samples. The time that the
  /// callback takes counts towards the budget.
  std::function<void(TuneSoFar)> on_step;
};
/// Returns the settings of a pass of a layer that the request measures: thresholds in ascending order, then
/// the other dataflows in the order of the request. Contains plain_setting() in any case, because outputs and
/// gains are compared with it.
[[nodiscard]] std::vector<LayerSetting> requested_settings(const TuneRequest& request, const Layer& layer,
                                                           const LayerLevels& levels,
                                                           LayerPass pass = LayerPass::forward);
/// Returns the passes of a layer for which the request measures settings: the passes with several settings.
[[nodiscard]] std::vector<LayerPass> requested_passes(const TuneRequest& request, const Layer& layer,
                                                      const LayerLevels& levels);

/// Returns the search algorithms of the request that can find the inputs of a kernel.
[[nodiscard]] std::vector<MapAlgorithm> requested_algorithms(const TuneRequest& request,
                                                             const KernelShape& kernel);

/// Measures the settings that have no samples in `known`, then computes all choices again. `known` must be
/// empty or have the same network, device, precision and program version; otherwise throws `Error(usage)`. It
/// must not be a profile for training if the request is not for training. Also throws `Error(usage)` if no
/// requested algorithm can find the inputs of a layer. If
/// the user stops or the budget ends, keeps the results so far and sets TuningProfile::stopped. Throws
/// `Error(cancelled)` if nothing was measured yet, and `Error(does_not_fit)` if a scene does not fit its
/// packing.
[[nodiscard]] TuningProfile tune(const TuneRequest& request, TuningProfile known, Job& job);

/// Returns the settings of a profile as a plan for its network. Layers whose choice is missing or undecided
/// (`ChoiceReason::few_samples`) have the default settings.
[[nodiscard]] Plan plan_of(const TuningProfile& profile, const Network& network);

}  // namespace spira

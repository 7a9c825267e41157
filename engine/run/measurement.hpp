// Defines Measurement, the measured times and counts of a network.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/backend/plan.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/map/redundancy.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/network.hpp"
#include "engine/run/bev_facts.hpp"
#include "engine/run/neighbour_facts.hpp"
#include "engine/run/replay/search_counters.hpp"
#include "engine/run/verify/verify.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Backend;
struct VoxelScene;

/// The result of running one layer. It is immutable and in host memory, so any thread may read it.
struct LayerResult {
  int layer = 0;
  std::shared_ptr<const VoxelScene> scene;
  LayerLevels levels;
  LayerPlan plan;
  /// The kernel map of the layer. A transposed layer uses the map of the down-sampling layer that it
  /// reverses.
  std::shared_ptr<const KernelMap> map;
  std::shared_ptr<const Features> features;
  Densities densities;
  std::optional<NeighbourCounts> neighbours{};  ///< Of `map`. Empty if the kernel is not native.
  StageTree stages;                             ///< The stages map[name] and features[name] of a single run.
  double wall_ms = 0;       ///< Time of map and features together, in milliseconds, measured on the host.
  bool map_shared = false;  ///< True if an earlier layer built this map.
};

/// One pass of a layer in the training steps.
struct PassMeasurement {
  /// The dataflow of the pass (engine/backend/dataflow.hpp). Empty if the pass did not run.
  std::string dataflow;
  StageTree stages;  ///< The stage dgrad[name] or wgrad[name]. Empty if the pass did not run.
};

struct LayerMeasurement {
  std::string name;
  /// The isolated stages map[name] (missing if an earlier layer built the map) and features[name].
  StageTree stages;
  std::int64_t outputs = 0, inputs = 0;
  std::int64_t pairs = 0;  ///< The pairs of the map. These are the triplets of a native layer.
  /// 2 * pairs * C_in * C_out. A back end that sums the inputs of a group first needs fewer operations.
  std::int64_t useful_flops = 0;
  std::size_t map_bytes = 0;
  /// Number of weight matrices C_in x C_out of a relational layer. 0 means one for each offset.
  std::int64_t relation_weights = 0;
  /// True if an earlier layer with the same map key and plan built the map.
  bool map_shared = false;
  /// The difference between the output of this layer and its output for t = max. Empty if the output was not
  /// checked.
  std::optional<OutputDifference> check{};
  /// Number of NaN or infinite values in the output. Empty in old reports.
  std::optional<std::int64_t> non_finite{};
  /// The slots that an implicit GEMM multiplies. Empty for other dataflows and in old reports.
  std::optional<Redundancy> redundancy{};
  /// The neighbours in the map of a native layer. Empty for other layers.
  std::optional<NeighbourCounts> neighbours{};
  /// Gradients with respect to inputs (dgrad) and weights (wgrad). Empty if no training step was measured.
  struct Backward {
    PassMeasurement dgrad, wgrad;
  };
  std::optional<Backward> backward{};
};

/// Returns the counts of a layer that ran once, with the stages of this run. `result` must be of `layer`.
[[nodiscard]] LayerMeasurement counts_of(const Layer& layer, const LayerResult& result);

/// The measured training steps (engine/run/backward.hpp).
struct TrainingMeasurement {
  Samples wall;  ///< Wall times of whole steps, without time stamps inside the step.
  /// All stages of the steps except those in LayerMeasurement::backward: voxelize, downsample[s],
  /// repack[name], map[name] and features[name].
  StageTree stages;
  /// The largest total size of live buffers in one step. Buffers that already existed before the step are not
  /// included.
  std::size_t peak_bytes = 0;
  int loss_scale = 1;
  bool overflow = false;  ///< True if a gradient of the weights has NaN or infinite values.
};

/// Counts invalid values in the input of the network. The input has the precision of the plan.
struct InputValues {
  std::int64_t rows = 0;
  std::int64_t non_finite_rows = 0;  ///< Rows with at least one NaN or infinite value.
  /// Number of intensities of the scene that were replaced by 0 because they were not finite.
  std::int64_t replaced = 0;
};

/// The measured times and counts of a network. The wall time is measured and not computed from the stages.
/// Passes that measure stages and passes that measure the wall time are interleaved.
struct Measurement {
  DeviceFacts device;
  /// The device state before the first sample and after the last sample.
  DeviceState state_before, state_after;
  /// The different throttle reasons of all samples during which the device was throttled.
  std::vector<std::string> held_back_by;
  /// The rates of the device in the precision of the plan, measured before or after all samples. Empty if
  /// they were not measured.
  std::optional<DeviceRates> rates{};
  TimerFacts timer;  ///< Properties of the timer that measured the stages.
  Plan plan;
  SamplingProtocol protocol;
  StageTree indexing;                  ///< The stages voxelize and downsample[s].
  std::optional<InputValues> input{};  ///< Empty in old reports.
  std::vector<LayerMeasurement> layers;
  /// Wall times of the whole network including indexing, without time stamps inside the run. There is one
  /// sample per repetition of the stages.
  Samples wall;
  /// Wall times of the runs that recorded the stages, in milliseconds. They are interleaved with the runs of
  /// `wall`. Empty if not known, as in old reports.
  std::vector<double> marked_ms;
  std::int64_t marks = 0;  ///< Number of time stamps in one of the runs that recorded the stages.
  /// The largest total size of live buffers in the memory pool of the back end during one run of the network,
  /// in bytes. Buffers that already existed before the run are not included. The peaks of the stages are
  /// counted in the same way, so none exceeds this value.
  std::size_t peak_bytes = 0;
  /// The forecast of `peak_bytes` by memory_forecast.hpp. 0 in old reports.
  std::size_t forecast_peak_bytes = 0;
  /// Wall times of the compiled network, from points on the device to the last output. Empty if the network
  /// was not compiled.
  Samples compiled_wall;
  /// Describes the compiled network. If the network was not compiled, contains the reason.
  std::string compiled_how;
  std::size_t compiled_bytes = 0;  ///< Device memory of the compiled network, in bytes.
  /// True if views that draw on the same device were paused during the measurement. Empty if there are no
  /// such views.
  std::optional<bool> rendering_paused{};
  std::optional<TrainingMeasurement> training{};  ///< Empty if no training step was measured.
  std::optional<BevFacts> bev{};                  ///< Only for a bird's-eye view network.
  /// The comparisons and memory reads of the kernel map searches, counted in a separate replay that is not
  /// timed. Empty if they were not counted.
  std::optional<SearchCounters> searches{};
  /// The timeline of the compiled network. If the network was not compiled, the timeline of the passes that
  /// measured the stages.
  Timeline timeline;
  /// Returns how many times the stages were measured. Works even if the wall time was not measured.
  [[nodiscard]] std::int64_t repetitions() const;
  /// Returns the sum of the medians of all top-level stages.
  [[nodiscard]] double sum_of_stages_ms() const;
  /// Returns how much the time stamps lengthen a run: the median of `marked_ms` minus the median of `wall`.
  /// Returns 0 if this difference is not larger than the larger of the two interquartile ranges. Returns an
  /// empty optional in old reports.
  [[nodiscard]] std::optional<double> mark_cost_ms() const;
};

/// Measures repeated calls of `run`, each of which is one run of the whole network. Calls with time stamps
/// and calls without them are interleaved. Fills the device, the state before the samples, the protocol, the
/// wall times, the peak memory and the timeline of `into`. Returns the stages.
[[nodiscard]] StageTree measure_runs(Backend& backend, const std::function<void(Job&)>& run,
                                     const SamplingProtocol& how, Measurement& into, Job& job);
/// Return the layout of the map and the kernels with which a layer or a pass ran, such as "z-runs: AVX2
/// panels". Return an empty string in old reports.
[[nodiscard]] std::string kernel_text(const LayerMeasurement& layer);
[[nodiscard]] std::string kernel_text(const PassMeasurement& pass, LayerPass which, const std::string& layer);
/// Returns true if at least one layer is native.
[[nodiscard]] bool has_neighbours(const Measurement& measurement) noexcept;
/// Returns the time of a unit of a bird's-eye view in milliseconds: the sum of the medians of the stages of
/// its layers.
[[nodiscard]] double unit_time_ms(const Measurement& measurement, const UnitFacts& unit);
/// Returns the stages that are not of a layer: voxelize and downsample[s], or project, mask and blocks[..] of
/// a bird's-eye view, with their inner stages.
[[nodiscard]] StageTree stages_of_indexing(const StageTree& stages);
/// Returns the stages map[layer] and features[layer] with their inner stages.
[[nodiscard]] StageTree stages_of_layer(const StageTree& stages, const std::string& layer);

}  // namespace spira

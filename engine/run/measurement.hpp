// Stores the results of measuring a network, as pure data.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/backend/plan.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/network.hpp"
#include "engine/run/replay/search_counters.hpp"
#include "engine/run/verify/verify.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct VoxelScene;

// Defines LayerResult, the results of one layer of a network.

/// The results of one layer. They are immutable and in host memory, so any thread may read them.
struct LayerResult {
  int layer = 0;
  std::shared_ptr<const VoxelScene> scene;
  LayerLevels levels;
  LayerPlan plan;
  std::shared_ptr<const KernelMap> map;  ///< For a transposed layer, the down-sampling map.
  std::shared_ptr<const Features> features;
  Densities densities;
  StageTree stages;         ///< Stages map[name] and features[name] of a single run.
  double wall_ms = 0;       ///< Host time of map and features together, in milliseconds.
  bool map_shared = false;  ///< True if an earlier layer had built this map.
};

struct LayerMeasurement {
  std::string name;
  /// The isolated stages map[name] and features[name]. map[name] is missing if an earlier layer built the
  /// map.
  StageTree stages;
  std::int64_t outputs = 0, inputs = 0, pairs = 0;
  std::int64_t useful_flops = 0;  ///< 2 * pairs * C_in * C_out
  std::size_t map_bytes = 0;
  /// True if an earlier layer with the same map key and plan built the map.
  bool map_shared = false;
  /// Difference between the output and the output that was computed with t = max. Empty if the output was not
  /// checked.
  std::optional<OutputDifference> check{};
  /// Number of NaN or infinite values in the output. Empty in old reports.
  std::optional<std::int64_t> non_finite{};
};

/// Counts of the values in the input of the network, in the precision of the plan.
struct InputValues {
  std::int64_t rows = 0;
  std::int64_t non_finite_rows = 0;  ///< Rows with at least one NaN or infinite value.
  /// Number of intensities of the scene that were not finite and were replaced by 0.
  std::int64_t replaced = 0;
};

/// The measured times and counts of a network. The wall time is measured; it is not the sum of the stages.
/// Stages and wall time come from separate, interleaved passes.
struct Measurement {
  DeviceFacts device;
  /// Device state before the first sample, and after the last sample.
  DeviceState state_before, state_after;
  /// The throttle reasons of all samples that are marked in `held_back`, without duplicates.
  std::vector<std::string> held_back_by;
  /// Rates of the device in the precision of the plan, measured before or after all samples. Empty if they
  /// were not measured.
  std::optional<DeviceRates> rates{};
  TimerFacts timer;  ///< Properties of the timer that measured the stages.
  Plan plan;
  SamplingProtocol protocol;
  StageTree indexing;                  ///< Stages voxelize and downsample[s].
  std::optional<InputValues> input{};  ///< Empty in old reports.
  std::vector<LayerMeasurement> layers;
  /// Wall times of the whole network including indexing, measured without a recorder. There is one sample per
  /// repetition of the stages.
  Samples wall;
  /// Wall times, in milliseconds, of the runs that recorded the stages. They are interleaved with the runs of
  /// `wall`. Empty if not known (old reports).
  std::vector<double> marked_ms;
  std::int64_t marks = 0;  ///< Number of time stamps in one run that recorded the stages.
  /// Largest sum of live buffers in the pool of the back end during one run of the network, in bytes. Buffers
  /// that were live before the run do not count. The peaks of the stages are relative to the same state, so
  /// none of them exceeds this value.
  std::size_t peak_bytes = 0;
  /// Peak memory in bytes that memory_forecast.hpp predicted before the run. 0 if not known (old reports).
  std::size_t forecast_peak_bytes = 0;
  /// Wall times of the compiled network, from points on the device to the last output. Has no samples if the
  /// network was not compiled.
  Samples compiled_wall;
  /// Describes the compiled network, or contains the reason why the network was not compiled.
  std::string compiled_how;
  std::size_t compiled_bytes = 0;  ///< Device memory of the compiled network, in bytes.
  /// True if views that draw on the same device were paused during the measurement. Empty if there were no
  /// such views.
  std::optional<bool> rendering_paused{};
  /// Comparisons and reads of the kernel map searches. They are counted in a replay outside all timed runs.
  /// Empty if they were not counted.
  std::optional<SearchCounters> searches{};
  /// Timeline of the compiled network, or of the pass that measured the stages if the network was not
  /// compiled.
  Timeline timeline;
  /// Returns the number of repetitions of the stages, even if the wall time was not measured.
  [[nodiscard]] std::int64_t repetitions() const;
  /// Returns the sum of the medians of all top-level stages.
  [[nodiscard]] double sum_of_stages_ms() const;
  /// Returns the time that the time stamps add to a run: the difference of the median wall times with and
  /// without time stamps. Returns 0 if the difference does not exceed the variation between runs (the larger
  /// IQR). Returns an empty optional if the cost is not known.
  [[nodiscard]] std::optional<double> mark_cost_ms() const;
};

}  // namespace spira

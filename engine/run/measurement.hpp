// What measuring a network gave: pure data.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/backend/plan.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/measure/timer.hpp"
#include "engine/run/output_difference.hpp"
#include "engine/run/search_counters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct LayerMeasurement {
  std::string name;
  StageTree stages;  ///< map[name] (empty where an earlier layer built it), features[name]; isolated
  std::int64_t outputs = 0, inputs = 0, pairs = 0;
  std::int64_t useful_flops = 0;  ///< 2 * pairs * C_in * C_out
  std::size_t map_bytes = 0;
  bool map_shared = false;  ///< the map belongs to an earlier layer with the same key and plan
  std::optional<OutputDifference> check{};   ///< of its output, against t = max; empty: it was not checked
  std::optional<std::int64_t> non_finite{};  ///< NaN or infinite values of its output; empty in old reports
};

/// The network's own input in the precision of the plan.
struct InputValues {
  std::int64_t rows = 0;
  std::int64_t non_finite_rows = 0;  ///< Rows with a NaN or infinite value.
  std::int64_t replaced = 0;         ///< Intensities of the scene that were not finite and became 0.
};

/// The sum of the stages is never the wall time: both are measured, in separate passes taken in turns.
struct Measurement {
  DeviceFacts device;
  DeviceState state_before, state_after;  ///< of the device, around all samples
  std::vector<std::string> held_back_by;  ///< of the samples whose `held_back` is set, each reason once
  TimerFacts timer;                       ///< of the clock of the stages
  Plan plan;
  SamplingProtocol protocol;
  StageTree indexing;                  ///< voxelize, downsample[s]
  std::optional<InputValues> input{};  ///< empty in old reports
  std::vector<LayerMeasurement> layers;
  Samples wall;  ///< whole network with indexing, no recorder attached; as many samples as stages have
  /// Wall times of the runs that took the stages, in turns with `wall`; empty: not known (old reports).
  std::vector<double> marked_ms;
  std::int64_t marks = 0;  ///< at the ends of stages, in one of these runs
  /// Largest sum of live buffers of the back end's pool in one run of the network, without what was live
  /// before. Peaks of stages are counted from the same state, so none is above it.
  std::size_t peak_bytes = 0;
  std::size_t forecast_peak_bytes = 0;  ///< said before (memory_forecast.hpp); 0: not known (old reports)
  /// The network compiled into one piece of work, from points on the device to the last output; no samples
  /// where there is no such thing.
  Samples compiled_wall;
  std::string compiled_how;        ///< what was compiled, or why nothing was
  std::size_t compiled_bytes = 0;  ///< of device memory that it holds
  /// Views that draw on the same device held still while samples were taken; empty: there were no views.
  std::optional<bool> rendering_paused{};
  /// What the searches of its kernel maps compare and read, replayed apart from all that is timed; empty:
  /// they were not counted.
  std::optional<SearchCounters> searches{};
  Timeline timeline;  ///< of the compiled network, or of the stages pass where there is none
  [[nodiscard]] std::int64_t repetitions() const;  ///< of the stages, also without a wall time
  [[nodiscard]] double sum_of_stages_ms() const;   ///< medians of the top stages added up
  /// What the marks cost a run: the difference of the medians with and without them, 0 where that is less
  /// than runs differ (the larger IQR). Empty: not known.
  [[nodiscard]] std::optional<double> mark_cost_ms() const;
};

}  // namespace spira

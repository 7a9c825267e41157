// Estimates how long Measure and the sweeps take, from the last run of the open scene. Each text names the
// measurement on which it is based.
#pragma once

#include "engine/measure/duration_estimate.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <cstdint>
#include <optional>

namespace spira::ui {

/// The measured time of one pass of the network, or of one layer (its map and its features).
struct PassDuration {
  double ms = 0;
  std::int64_t n = 0;  ///< Number of samples. It is 1 for a single run.
  double iqr_ms = 0;   ///< 0 for a single run.
  /// Time of one pass of the compiled network. It is 0 for a layer, or if the network was not compiled.
  double compiled_ms = 0;
  bool former_plan = false;  ///< True if the plan of the run differs from the current plan.
};
/// Returns the time of one pass of the network. Returns an empty value unless all layers were run on the open
/// scene, on the current device and with the precision of the plan.
[[nodiscard]] std::optional<PassDuration> network_pass(const Workspace& workspace);
/// Returns the time of one layer (its map and its features), under the same conditions as network_pass(). If
/// another layer has built the map, its time is included, because a sweep builds the map again.
[[nodiscard]] std::optional<PassDuration> layer_pass(const Workspace& workspace, int layer);

/// Returns the estimate as text, such as "Takes 4 to 14 s: 11 to 31 passes of 0.45 s (median of 15 samples,
/// IQR 0.010 s, measured on Intel Xeon)". If `pass` is empty, the text states that the duration is not known.
[[nodiscard]] QString duration_text(const std::optional<PassDuration>& pass, const DurationEstimate& estimate,
                                    const QString& device);
[[nodiscard]] QString measure_duration_text(const Workspace& workspace, const SamplingProtocol& protocol);
/// Returns the estimated duration of a measurement with training steps, and the memory forecast of one step.
/// `step_bytes` is empty if the forecast is not known. Before training steps were measured, a step is assumed
/// to take as long as `passes_per_step` passes of the network.
[[nodiscard]] QString training_duration_text(const Workspace& workspace, const SamplingProtocol& protocol,
                                             std::optional<std::size_t> step_bytes);
constexpr int passes_per_step = 4;
/// `layer` is -1 for a sweep of the whole network.
[[nodiscard]] QString dataflow_sweep_duration_text(const Workspace& workspace, int layer,
                                                   const SamplingProtocol& protocol);
[[nodiscard]] QString threshold_sweep_duration_text(const Workspace& workspace, int layer,
                                                    const SamplingProtocol& protocol);
[[nodiscard]] QString pack_sweep_duration_text(const Workspace& workspace, int packings,
                                               const SamplingProtocol& protocol);

}  // namespace spira::ui

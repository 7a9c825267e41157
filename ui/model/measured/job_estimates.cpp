#include "ui/model/measured/job_estimates.hpp"

#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/tune/sweep.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class JobEstimates {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::JobEstimates)
};

constexpr double ms_in_s = 1000;

/// Returns the measurement if it was made with the current precision on the current device. Otherwise returns
/// `nullptr`.
const Measurement* current_measurement(const Workspace& workspace) {
  const auto& measured = workspace.results().measurement();
  const bool current = measured && !workspace.results().report() &&
                       measured->plan.precision == workspace.requested().plan().precision &&
                       measured->device.name == workspace.device().name &&
                       measured->device.kind == workspace.device().kind;
  return current ? measured.get() : nullptr;
}

/// Returns the result of a layer if it was computed with the current precision. Otherwise returns `nullptr`.
const LayerResult* current_result(const Workspace& workspace, int layer) {
  const auto& result = workspace.results().layer(layer);
  const bool current = result && !workspace.results().report() &&
                       result->features->precision == workspace.requested().plan().precision;
  return current ? result.get() : nullptr;
}

struct MapTime {
  double ms = 0, iqr_ms = 0;
};
/// Returns the time of the stage `map`, or 0 if the stage is missing.
MapTime map_time(const StageTree& stages) {
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    if (here.parent >= 0 || stages.key(node).phase != "map") continue;
    const Statistics times = statistics(here.samples_ms);
    return {times.median, times.iqr()};
  }
  return {};
}

const StageTree* stages_of(const Workspace& workspace, int layer) {
  if (const Measurement* measured = current_measurement(workspace)) {
    const auto at = static_cast<std::size_t>(layer);
    return at < measured->layers.size() ? &measured->layers[at].stages : nullptr;
  }
  const LayerResult* result = current_result(workspace, layer);
  return result != nullptr ? &result->stages : nullptr;
}

/// Returns the time of the map that `layer` shares with an earlier layer.
double shared_map_ms(const Workspace& workspace, int layer) {
  const Levels levels = levels_of(*workspace.network());
  const MapKey& key = levels.layers[static_cast<std::size_t>(layer)].map;
  for (int other = 0; other < layer; ++other) {
    if (!(levels.layers[static_cast<std::size_t>(other)].map == key)) continue;
    const StageTree* stages = stages_of(workspace, other);
    const double ms = stages != nullptr ? map_time(*stages).ms : 0;
    if (ms > 0) return ms;
  }
  return 0;
}

QString seconds_text(double ms) {
  constexpr double whole_s = 10, minute_s = 60, in_minutes_s = 120;
  const double s = ms / ms_in_s;
  if (s >= in_minutes_s) return JobEstimates::tr("%1 min").arg(onScreen(fixed(s / minute_s, 1)));
  return JobEstimates::tr("%1 s").arg(onScreen(fixed(s, s < 1 ? 2 : s < whole_s ? 1 : 0)));
}

/// Returns a single value if both ends are equal, otherwise a range.
QString range_text(const QString& from, const QString& to) {
  return from == to ? to : JobEstimates::tr("%1 to %2").arg(from, to);
}

QString device_of(const Workspace& workspace) {
  return QString::fromStdString(workspace.device().name);
}

}  // namespace

std::optional<PassDuration> network_pass(const Workspace& workspace) {
  if (!workspace.network()) return std::nullopt;
  if (const Measurement* measured = current_measurement(workspace); measured && !measured->wall.ms.empty()) {
    const Statistics wall = measured->wall.stats();
    const double compiled = measured->compiled_wall.ms.empty() ? 0 : measured->compiled_wall.stats().median;
    return PassDuration{wall.median, wall.n, wall.iqr(), compiled,
                        measured->plan.layers != workspace.requested().plan().layers};
  }
  PassDuration sum{workspace.scene().voxels() ? workspace.scene().voxels()->stages.sum_of_tops_ms() : 0, 1};
  for (int layer = 0; layer < static_cast<int>(workspace.network()->layers.size()); ++layer) {
    const LayerResult* result = current_result(workspace, layer);
    if (result == nullptr) return std::nullopt;
    sum.ms += result->wall_ms;
    sum.former_plan |=
        result->plan != workspace.requested().plan().layers.at(static_cast<std::size_t>(layer));
  }
  return sum;
}

std::optional<PassDuration> layer_pass(const Workspace& workspace, int layer) {
  const StageTree* stages = stages_of(workspace, layer);
  if (stages == nullptr || stages->nodes.empty()) return std::nullopt;
  const Measurement* measured = current_measurement(workspace);
  const auto at = static_cast<std::size_t>(layer);
  const LayerPlan& ran =
      measured != nullptr ? measured->plan.layers.at(at) : workspace.results().layer(layer)->plan;
  PassDuration time{stages->sum_of_tops_ms(), std::ssize(stages->nodes.front().samples_ms)};
  for (const StageNode& node : stages->nodes) {
    if (node.parent < 0) time.iqr_ms = std::max(time.iqr_ms, statistics(node.samples_ms).iqr());
  }
  if (map_time(*stages).ms == 0) time.ms += shared_map_ms(workspace, layer);
  time.former_plan = ran != workspace.requested().plan().layers.at(at);
  return time;
}

QString duration_text(const std::optional<PassDuration>& pass, const DurationEstimate& estimate,
                      const QString& device) {
  if (!pass) return JobEstimates::tr("The duration is not known before the first run");
  const QString time = range_text(seconds_text(estimate.fewest_ms()), seconds_text(estimate.most_ms()));
  const QString count =
      range_text(onScreen(count_text(estimate.fewest)), onScreen(count_text(estimate.most)));
  const QString one = onScreen(ms_text(pass->ms));
  const QString samples = pass->n == 1 ? JobEstimates::tr("single run")
                                       : JobEstimates::tr("median of %1 samples, IQR %2")
                                             .arg(pass->n)
                                             .arg(onScreen(ms_text(pass->iqr_ms)));
  const QString with = pass->former_plan
                           ? JobEstimates::tr("; measured with different settings on %1").arg(device)
                           : JobEstimates::tr("; measured on %1").arg(device);
  return JobEstimates::tr("Takes about %1: %2 passes of %3 each (%4%5)").arg(time, count, one, samples, with);
}

QString measure_duration_text(const Workspace& workspace, const SamplingProtocol& protocol) {
  const auto pass = network_pass(workspace);
  SamplingProtocol how = protocol;
  how.max_time_ms *= measured_passes_per_round;
  return duration_text(pass, pass ? estimate_measure(how, pass->ms, pass->compiled_ms) : DurationEstimate{},
                       device_of(workspace));
}

QString training_duration_text(const Workspace& workspace, const SamplingProtocol& protocol,
                               std::optional<std::size_t> step_bytes) {
  const auto pass = network_pass(workspace);
  if (!pass) return JobEstimates::tr("The duration and the memory are not known before the first run");
  SamplingProtocol how = protocol;
  how.max_time_ms *= measured_passes_per_round;
  const Measurement* measured = current_measurement(workspace);
  const bool known = measured != nullptr && measured->training && !measured->training->wall.ms.empty();
  const double step_ms = known ? measured->training->wall.stats().median : passes_per_step * pass->ms;
  const DurationEstimate network = estimate_measure(how, pass->ms, pass->compiled_ms),
                         steps = estimate_measure(how, step_ms);
  const QString step = onScreen(ms_text(step_ms));
  const QString text =
      JobEstimates::tr("Takes about %1: passes of the network, and training steps of %2")
          .arg(range_text(seconds_text(network.fewest_ms() + steps.fewest_ms()),
                          seconds_text(network.most_ms() + steps.most_ms())),
               known
                   ? JobEstimates::tr("%1 (measured)").arg(step)
                   : JobEstimates::tr("about %1 (%2 passes of the network)").arg(step).arg(passes_per_step));
  return step_bytes ? JobEstimates::tr("%1. One step needs about %2 of memory")
                          .arg(text, onScreen(bytes_text(*step_bytes)))
                    : text;
}

QString threshold_sweep_duration_text(const Workspace& workspace, int layer,
                                      const SamplingProtocol& protocol) {
  if (!workspace.network()) return {};
  const auto pass = layer < 0 ? network_pass(workspace) : layer_pass(workspace, layer);
  int settings = static_cast<int>(all_thresholds(*workspace.network(), layer).size());
  if (layer >= 0)
    settings = static_cast<int>(
        feasible_thresholds(workspace.network()->layers[static_cast<std::size_t>(layer)]).size());
  return duration_text(pass, pass ? estimate_sweep(protocol, settings, pass->ms) : DurationEstimate{},
                       device_of(workspace));
}

QString dataflow_sweep_duration_text(const Workspace& workspace, int layer,
                                     const SamplingProtocol& protocol) {
  if (!workspace.network()) return {};
  const auto pass = layer < 0 ? network_pass(workspace) : layer_pass(workspace, layer);
  const int settings = static_cast<int>(all_dataflows(*workspace.network(), layer).size());
  return duration_text(pass, pass ? estimate_sweep(protocol, settings, pass->ms) : DurationEstimate{},
                       device_of(workspace));
}

QString pack_sweep_duration_text(const Workspace& workspace, int packings, const SamplingProtocol& protocol) {
  const auto pass = network_pass(workspace);
  const double load_ms = workspace.scene().voxels() ? workspace.scene().voxels()->stages.sum_of_tops_ms() : 0;
  return duration_text(pass,
                       pass ? estimate_sweep(protocol, packings, pass->ms, load_ms) : DurationEstimate{},
                       device_of(workspace));
}

}  // namespace spira::ui

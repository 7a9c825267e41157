#include "engine/report/compare/compare.hpp"

#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/run/backward.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <utility>
#include <vector>

namespace spira {
namespace {

const StageTree no_stages{};

std::string both_text(const std::string& before, const std::string& now) {
  return before + " in the baseline, " + now + " in the current report";
}

std::string network_text(const Network& network) {
  return network.name + " with " + std::to_string(network.layers.size()) + " layers";
}

/// Builds the rows of a comparison, one pass after another.
class Matcher {
 public:
  Matcher(Comparison& result, const Measurement& baseline, const Measurement& current)
      : result_(result), baseline_(baseline), current_(current) {
    for (const auto& difference : result.differences)
      why_not_ += (why_not_.empty() ? "" : "; ") + difference;
    if (baseline.device.clock != current.device.clock) {
      why_no_stages_ = "timer differs: " + both_text(std::string(clock_text(baseline.device.clock)),
                                                     std::string(clock_text(current.device.clock)));
      result.warnings.push_back(why_no_stages_ + "; stages are not compared");
    }
  }

  [[nodiscard]] bool training_has_results() const {
    return overflow_text(baseline_).empty() && overflow_text(current_).empty();
  }

  void add_totals() {
    add("", {}, Pass::wall, baseline_.wall.ms, current_.wall.ms);
    const bool before = !baseline_.compiled_wall.ms.empty(), now = !current_.compiled_wall.ms.empty();
    if (before && now) {
      add("", {}, Pass::graph, baseline_.compiled_wall.ms, current_.compiled_wall.ms);
    } else if (before || now) {
      const std::string& how = before ? current_.compiled_how : baseline_.compiled_how;
      result_.unmatched.push_back(
          {"", "one graph",
           only_in(before) + (how.empty() ? "" : "; not compiled in the other report: " + how)});
      // Only the baseline was compiled as one CUDA graph. The compared rows do not show that the current
      // network is slower without a graph, so the comparison must not pass.
      if (before) result_.why_no_pass = "only the network of the baseline ran as one CUDA graph";
    }
    const auto &step_before = baseline_.training, &step_now = current_.training;
    const std::string overflow_before = overflow_text(baseline_), overflow_now = overflow_text(current_);
    if (!overflow_before.empty() || !overflow_now.empty()) {
      result_.unmatched.push_back(
          {"", std::string(text_of(Pass::training)),
           "the " + std::string(overflow_now.empty() ? "baseline" : "current report") +
               " has no result: " + (overflow_now.empty() ? overflow_before : overflow_now)});
      if (!overflow_now.empty()) result_.why_no_pass = "training step: " + overflow_now;
    } else if (step_before && step_now) {
      add("", {}, Pass::training, step_before->wall.ms, step_now->wall.ms);
    } else if (step_before || step_now) {
      result_.unmatched.push_back(
          {"", std::string(text_of(Pass::training)), only_in(step_before.has_value())});
      if (step_before) result_.why_no_pass = "only the baseline has a training step";
    }
  }

  /// Adds the stages of one layer to the comparison. If only one report has a stage, `why` is appended to the
  /// reason why this stage cannot be compared.
  void add_stages(const std::string& layer, const StageTree& before, const StageTree& now,
                  const std::string& why) {
    const auto unmatched = [&](const StageKey& stage, bool in_baseline) {
      result_.unmatched.push_back(
          {layer, stage.text(), only_in(in_baseline) + (why.empty() ? "" : "; " + why)});
    };
    for (int node = 0; node < static_cast<int>(before.nodes.size()); ++node) {
      const StageKey stage = before.key(node);
      const int other = now.find(stage);
      if (other < 0) {
        unmatched(stage, true);
      } else {
        add(layer, stage, Pass::stages, before.nodes[static_cast<std::size_t>(node)].samples_ms,
            now.nodes[static_cast<std::size_t>(other)].samples_ms);
      }
    }
    for (int node = 0; node < static_cast<int>(now.nodes.size()); ++node) {
      if (const StageKey stage = now.key(node); before.find(stage) < 0) unmatched(stage, false);
    }
  }

 private:
  static std::string only_in(bool baseline) {
    return baseline ? "only in the baseline" : "only in the current report";
  }

  void add(const std::string& layer, const StageKey& stage, Pass pass, const std::vector<double>& before,
           const std::vector<double>& now) {
    ComparedRow row;
    row.layer = layer;
    row.stage = stage;
    row.pass = pass;
    row.partial = result_.partial;
    row.baseline_ms = statistics(before);
    row.current_ms = statistics(now);
    row.ratio = median_ratio(before, now);
    const bool other_timer = row.pass == Pass::stages && !why_no_stages_.empty();
    if (result_.same_run && before == now) {
      row.verdict = Verdict::same;
      if (row.ratio) row.ratio->low = row.ratio->high = 1;
    } else if (!why_not_.empty() || other_timer) {
      row.why = why_not_.empty() ? why_no_stages_ : why_not_;
    } else {
      row.verdict = row.ratio ? verdict(*row.ratio) : Verdict::undecided;
      if (row.verdict == Verdict::undecided) row.why = why_undecided(row);
    }
    result_.rows.push_back(std::move(row));
  }

  static std::string why_undecided(const ComparedRow& row) {
    const std::int64_t samples = std::min(row.baseline_ms.n, row.current_ms.n);
    if (samples < static_cast<std::int64_t>(fewest_samples_for_verdict))
      return "fewer than " + std::to_string(fewest_samples_for_verdict) + " samples in one of the runs";
    if (!row.ratio) return "the baseline time is 0";
    if (const auto enough = samples_to_decide(*row.ratio, samples))
      return "about " + count_text(*enough) + " samples in each run may suffice for a verdict";
    return "more samples would not lead to a verdict";
  }

  Comparison& result_;
  const Measurement &baseline_, &current_;
  std::string why_not_, why_no_stages_;
};

/// Adds the gradients of a layer, if both reports have training steps without an overflow. Otherwise the
/// training step is already in the list of unmatched rows.
void add_gradients(Matcher& matcher, const LayerMeasurement& before, const LayerMeasurement& now,
                   const std::string& why) {
  if (!before.backward || !now.backward || !matcher.training_has_results()) return;
  matcher.add_stages(before.name, before.backward->dgrad.stages, now.backward->dgrad.stages, why);
  matcher.add_stages(before.name, before.backward->wgrad.stages, now.backward->wgrad.stages, why);
}

std::string why_stages_differ(const Measurement& baseline, const Measurement& current, std::size_t before,
                              std::size_t now) {
  const LayerPlan &a = baseline.plan.layers.at(before), &b = current.plan.layers.at(now);
  if (std::string change = plan_change(a, b); !change.empty()) return change;
  if (baseline.layers[before].map_shared != current.layers[now].map_shared)
    return "the layer shares a map with another layer in one of the reports, but not in the other";
  return {};
}

void add_layers(Matcher& matcher, const Measurement& baseline, const Measurement& current) {
  const auto find = [](const Measurement& m, const std::string& name) {
    return std::find_if(m.layers.begin(), m.layers.end(),
                        [&](const LayerMeasurement& layer) { return layer.name == name; });
  };
  for (std::size_t at = 0; at < baseline.layers.size(); ++at) {
    const LayerMeasurement& before = baseline.layers[at];
    const auto now = find(current, before.name);
    if (now == current.layers.end()) {
      matcher.add_stages(before.name, before.stages, no_stages,
                         "the other report has no layer with this name");
      continue;
    }
    const auto there = static_cast<std::size_t>(now - current.layers.begin());
    const std::string why = why_stages_differ(baseline, current, at, there);
    matcher.add_stages(before.name, before.stages, now->stages, why);
    add_gradients(matcher, before, *now, why);
  }
  for (const LayerMeasurement& now : current.layers) {
    if (find(baseline, now.name) == baseline.layers.end())
      matcher.add_stages(now.name, no_stages, now.stages, "the other report has no layer with this name");
  }
}

}  // namespace

std::string_view text_of(Pass pass) noexcept {
  constexpr std::array<std::string_view, 4> texts{"wall", "one graph", "training step", "stages"};
  return texts.at(static_cast<std::size_t>(pass));
}

std::string ComparedRow::name() const {
  if (pass != Pass::stages)
    return (partial ? "layers that run, " : "whole network, ") + std::string(text_of(pass));
  return (layer.empty() ? "" : layer + ": ") + stage.text();
}

std::vector<double> samples_of(const Measurement& measurement, const ComparedRow& row) {
  if (row.pass == Pass::wall) return measurement.wall.ms;
  if (row.pass == Pass::graph) return measurement.compiled_wall.ms;
  if (row.pass == Pass::training)
    return measurement.training ? measurement.training->wall.ms : std::vector<double>{};
  const StageTree* stages = row.layer.empty() ? &measurement.indexing : nullptr;
  for (const LayerMeasurement& layer : measurement.layers) {
    if (stages != nullptr || layer.name != row.layer) continue;
    stages = &layer.stages;
    if (layer.backward && row.stage.phase == "dgrad") stages = &layer.backward->dgrad.stages;
    if (layer.backward && row.stage.phase == "wgrad") stages = &layer.backward->wgrad.stages;
  }
  const int node = stages == nullptr ? -1 : stages->find(row.stage);
  return node < 0 ? std::vector<double>{} : stages->nodes[static_cast<std::size_t>(node)].samples_ms;
}

std::string_view verdict_text(const ComparedRow& row) noexcept {
  constexpr std::array<std::string_view, 4> texts{"FASTER", "SLOWER", "SAME", "UNDECIDED"};
  return row.verdict ? texts.at(static_cast<std::size_t>(*row.verdict)) : "NOT COMPARABLE";
}

std::int64_t Comparison::count(std::optional<Verdict> verdict) const noexcept {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const ComparedRow& row) { return row.verdict == verdict; });
}

Comparison compare(const Report& baseline, const Report& current, bool ignore_devices, bool ignore_masks) {
  Comparison result;
  result.baseline = report_facts(baseline);
  result.current = report_facts(current);
  result.devices_ignored = ignore_devices;
  result.masks_ignored = ignore_masks;
  result.same_run = is_same_run(baseline, current);
  result.partial = !baseline.network.skipped.empty() || !current.network.skipped.empty();
  add_differences(result, baseline, current);
  add_warnings(result, baseline, current);
  const Measurement &before = baseline.measurement, &now = current.measurement;
  Matcher matcher(result, before, now);
  matcher.add_totals();
  matcher.add_stages("", before.indexing, now.indexing, "");
  add_layers(matcher, before, now);
  constexpr double outside_interval = 0.05;
  const auto tested = [](const ComparedRow& row) {
    return row.verdict && row.ratio && row.ratio->low < row.ratio->high;
  };
  result.expected_false_alarms =
      outside_interval * static_cast<double>(std::count_if(result.rows.begin(), result.rows.end(), tested));
  return result;
}

Gate gate(const Comparison& comparison, double share) {
  bool any = false, undecided = comparison.current.trust == TrustGrade::x && !comparison.same_run;
  for (const ComparedRow& row : comparison.rows) {
    if (row.pass == Pass::stages) continue;
    any = true;
    const bool told = row.verdict && row.ratio;
    if (comparison.same_run && row.verdict == Verdict::same) continue;
    if (told && row.verdict == Verdict::slower && row.ratio->low > 1.0 + share) return Gate::slower;
    undecided = undecided || !told || row.ratio->high > 1.0 + share;
  }
  return any && !undecided && comparison.why_no_pass.empty() ? Gate::passed : Gate::undecided;
}

namespace {

/// Adds the line "WHAT differs: BEFORE in the baseline, NOW in the current report" to `lines` if `before` and
/// `now` differ.
void note_change(std::vector<std::string>& lines, const std::string& what, const std::string& before,
                 const std::string& now) {
  const auto or_unknown = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  if (before != now) lines.push_back(what + " differs: " + both_text(or_unknown(before), or_unknown(now)));
}

std::string device_name(const DeviceFacts& device) {
  return std::string(text_of(device.kind)) + " " + device.name + ", " + std::to_string(device.threads) +
         " units";
}

std::string clock_of(const DeviceState& state) {
  return state.sm_clock_mhz ? std::to_string(*state.sm_clock_mhz) + " MHz" : "";
}

void warn_of_throttling(std::vector<std::string>& lines, const std::string& side, const DeviceState& state) {
  if (!state.throttled_by || state.throttled_by->empty()) return;
  std::string by;
  for (const auto& cause : *state.throttled_by)
    by += (by.empty() ? "" : ", ") + cause;
  lines.push_back(side + ": the device was throttled by " + by);
}

/// Returns a description of the voxels. It includes the packing, because the keys depend on it.
std::string voxels_text(const SceneFacts& scene) {
  if (scene.triples) return scene.name + ", " + scene.triples->text();
  return scene.name + ", " + (scene.batch > 1 ? "batch of " + std::to_string(scene.batch) + ", " : "") +
         voxels_text(scene.voxels, scene.voxel_m, scene.unit) + ", packing " + scene.pack.text();
}

void warn_of_plans(std::vector<std::string>& lines, const Network& network, const Measurement& before,
                   const Measurement& now) {
  // The plans belong to different networks. add_differences() has already reported this.
  if (before.plan.layers.size() != now.plan.layers.size()) return;
  // A truncated report can have fewer layers than its plan.
  const std::size_t both = std::min(before.layers.size(), now.layers.size());
  std::size_t changed = 0;
  std::string first;
  for (std::size_t at = 0; at < both; ++at) {
    const std::string change = plan_change(before.plan.layers[at], now.plan.layers[at]);
    if (change.empty()) continue;
    if (changed++ == 0) first = network.layers.at(at).name + " " + change;
  }
  if (changed > 0)
    lines.push_back("plan differs in " + std::to_string(changed) + " of " + std::to_string(both) +
                    " layers: " + first + (changed > 1 ? ", ..." : ""));
}

}  // namespace

ReportFacts report_facts(const Report& report) {
  const Measurement& m = report.measurement;
  return {"",
          report.created,
          report.tool_version,
          device_name(m.device),
          m.device.driver,
          voxels_text(report.scene),
          report.network.name,
          std::string(text_of(m.plan.precision)),
          trust_of(report).grade};
}

bool is_same_run(const Report& baseline, const Report& current) {
  const Measurement &before = baseline.measurement, &now = current.measurement;
  return report_id(baseline) == report_id(current) && before.device.clock == now.device.clock &&
         before.device.instructions == now.device.instructions &&
         before.plan.precision == now.plan.precision &&
         network_identity(baseline.network) == network_identity(current.network);
}

std::string why_no_baseline(const Report& report) {
  const Trust trust = trust_of(report);
  return trust.grade == TrustGrade::x ? trust.text() : std::string();
}

std::string plan_change(const LayerPlan& before, const LayerPlan& now) {
  const auto dataflow = [](const LayerPlan& plan) {
    if (plan.method != FeatureMethod::by_layout) return std::string(text_of(plan.method));
    if (plan.splits == 0) return "t = " + std::to_string(plan.threshold);
    return "outputs sorted by mask in " + std::to_string(plan.splits) +
           (plan.splits == 1 ? " split" : " splits");
  };
  if (before.method != now.method || before.splits != now.splits)
    return both_text(dataflow(before), dataflow(now));
  if (before.threshold != now.threshold)
    return both_text("t = " + std::to_string(before.threshold), "t = " + std::to_string(now.threshold));
  if (before.algorithm != now.algorithm)
    return both_text(std::string(text_of(before.algorithm)) + " search",
                     std::string(text_of(now.algorithm)) + " search");
  if (before.dense_layout != now.dense_layout)
    return both_text(std::string(text_of(before.dense_layout)) + " layout",
                     std::string(text_of(now.dense_layout)) + " layout");
  return {};
}

/// Describes how the voxels of two reports differ. Two reports of the same scene can have different voxel
/// coordinates: the coordinates are shifted to the grid of the coarsest stride, and these strides can differ.
std::string voxels_change(const Report& baseline, const Report& current) {
  const std::string before = voxels_text(baseline.scene), now = voxels_text(current.scene);
  if (baseline.scene.triples || current.scene.triples)
    return "triples of the graph differ: " + both_text(before, now);
  if (before != now) return "voxels of the scene differ: " + both_text(before, now);
  const int before_stride = levels_of(baseline.network).max_stride,
            now_stride = levels_of(current.network).max_stride;
  std::string line = "voxels of the scene differ: " + now + " in both reports, but at different coordinates";
  if (before_stride != now_stride)
    line += " (the grid of coordinates begins at a multiple of stride " +
            both_text(std::to_string(before_stride), std::to_string(now_stride)) + ")";
  return line;
}

/// Returns the difference between the masks of two bird's-eye views, or an empty text if they are equal.
std::string mask_change(const BevFacts& before, const BevFacts& now) {
  if (before.area != now.area) return "area differs: " + both_text(text_of(before.area), text_of(now.area));
  if (before.mask_fingerprint == now.mask_fingerprint) return {};
  const auto mask = [](const BevFacts& view) {
    return view.mask + " (" + counted_text(view.mask_cells, "cell", "cells") + ")";
  };
  return "mask differs: " + both_text(mask(before), mask(now));
}

/// Returns the first unit with another plan, as a warning, or an empty text if all plans are equal.
std::string unit_change(const BevFacts& before, const BevFacts& now) {
  for (std::size_t at = 0; at < std::min(before.units.size(), now.units.size()); ++at) {
    if (before.units[at].plan != now.units[at].plan)
      return "units run in different ways, for example " + now.units[at].name + ": " +
             both_text(text_of(before.units[at].plan), text_of(now.units[at].plan));
  }
  return {};
}

std::string order_text(const Layer& layer) {
  std::string text;
  for (const LayerStep step : layer.order)
    text += (text.empty() ? "" : ", ") + std::string(text_of(step));
  return text;
}

/// The properties of a layer whose difference is named, as texts.
std::vector<std::pair<std::string_view, std::string>> properties_of(const Layer& layer) {
  const auto decimal = [](float value) {
    std::array<char, 32> text{};
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
  };
  const auto& cells = layer.cells;
  std::string inputs;
  for (const std::string& input : layer.inputs)
    inputs += (inputs.empty() ? "" : ", ") + input;
  const bool row_norm = layer.op == LayerOp::layer_norm || layer.op == LayerOp::instance_norm;
  return {{"operation", std::string(text_of(layer.op))},
          {"rule of the outputs", std::string(text_of(layer.rule))},
          {"kernel size", text_of(layer.kernel_size)},
          {"stride", text_of(layer.stride)},
          {"padding", text_of(layer.kernel().padding)},
          {"neighbours", text_of(layer.neighbourhood)},
          {"cells", count_text(cells[0]) + " x " + count_text(cells[1]) + " x " + count_text(cells[2])},
          {"input channels", count_text(layer.in_channels)},
          {"output channels", count_text(layer.out_channels)},
          {"norm", layer.batch_norm ? "eps " + decimal(layer.norm_epsilon) : "none"},
          {"activation", std::string(text_of(layer.activation))},
          {"slope", layer.activation == Activation::leaky_relu ? decimal(layer.slope) : ""},
          {"order", order_text(layer)},
          {"residual", layer.residual.empty() ? "none" : layer.residual},
          {"bias", layer.bias ? "true" : "false"},
          {"map_of", layer.map_of.empty() ? "none" : layer.map_of},
          {"inputs", inputs},
          {"eps", row_norm ? decimal(layer.norm_epsilon) : ""},
          {"reduction", layer.op == LayerOp::pool ? std::string(text_of(layer.reduction)) : ""},
          {"mode", layer.op == LayerOp::to_points ? std::string(text_of(layer.mode)) : ""},
          {"voxels_of", layer.op == LayerOp::to_voxels ? layer.voxels_of : ""}};
}

/// Returns the first layer with another property, as the end of a sentence, or an empty string.
std::string layer_change(const Report& baseline, const Report& current) {
  for (const Layer& layer : current.network.layers) {
    const int at = baseline.network.index_of(layer.name);
    if (at < 0) continue;
    const auto before = properties_of(baseline.network.layers[static_cast<std::size_t>(at)]),
               now = properties_of(layer);
    for (std::size_t one = 0; one < now.size(); ++one) {
      if (before[one].second != now[one].second)
        return "; " + std::string(now[one].first) + " of " + layer.name + ": " +
               both_text(before[one].second, now[one].second);
    }
  }
  return {};
}

/// Returns the network with the neighbourhood voxels in all layers.
Network with_voxels(Network network) {
  set_neighbourhood(network, {});
  return network;
}

bool same_except_neighbours(const Network& one, const Network& other) {
  return network_identity(with_voxels(one)) == network_identity(with_voxels(other));
}

bool same_neighbours(const Network& one, const Network& other) {
  return std::equal(one.layers.begin(), one.layers.end(), other.layers.begin(), other.layers.end(),
                    [](const Layer& a, const Layer& b) { return a.neighbourhood == b.neighbourhood; });
}

/// Returns true if the networks differ only in their neighbourhoods, and the scenes only in their packings.
/// Native layers need more guard cells, so the first packing that fits can be another one. The fingerprint of
/// the scene depends on the packing, so the other facts about the voxels are compared.
bool only_packing_differs(const Report& baseline, const Report& current) {
  if (same_neighbours(baseline.network, current.network) ||
      !same_except_neighbours(baseline.network, current.network))
    return false;
  const SceneFacts &before = baseline.scene, &now = current.scene;
  const auto facts = [](const SceneFacts& scene) {
    return std::tie(scene.unit, scene.points, scene.voxels, scene.batch, scene.every, scene.kept,
                    scene.display_origin_m, scene.voxel_m, scene.span, scene.fit_extent);
  };
  return before.pack != now.pack && !before.triples && !now.triples && facts(before) == facts(now);
}

void add_differences(Comparison& result, const Report& baseline, const Report& current) {
  if (const std::string why = why_no_baseline(baseline); !why.empty())
    result.differences.push_back("the baseline cannot be used, because its trust grade is " + why);
  const DeviceFacts &before = baseline.measurement.device, &now = current.measurement.device;
  std::vector<std::string> devices;
  note_change(devices, "device", device_name(before), device_name(now));
  note_change(devices, "instruction set", before.instructions, now.instructions);
  auto& where = result.devices_ignored ? result.warnings : result.differences;
  for (const auto& line : devices)
    where.push_back(line + (result.devices_ignored ? " (ignored, as you requested)" : ""));
  note_change(result.differences, "precision", std::string(text_of(baseline.measurement.plan.precision)),
              std::string(text_of(current.measurement.plan.precision)));
  if (baseline.scene.batch != current.scene.batch)
    result.differences.push_back("batch differs: " +
                                 both_text(counted_text(baseline.scene.batch, "frame", "frames"),
                                           counted_text(current.scene.batch, "frame", "frames")));
  if (baseline.measurement.bev && current.measurement.bev) {
    const std::string change = mask_change(*baseline.measurement.bev, *current.measurement.bev);
    if (!change.empty() && !result.masks_ignored)
      result.differences.push_back(change + "; compare them with --ignore-mask");
    if (!change.empty() && result.masks_ignored)
      result.warnings.push_back(change + " (ignored, as you requested)");
  } else if (baseline.scene.fingerprint != current.scene.fingerprint &&
             !only_packing_differs(baseline, current)) {
    result.differences.push_back(voxels_change(baseline, current));
  }
  if (baseline.scene.triples && current.scene.triples)
    note_change(result.differences, "factor of the sources",
                std::string(text_of(baseline.scene.triples->normalise)),
                std::string(text_of(current.scene.triples->normalise)));
  if (!same_except_neighbours(baseline.network, current.network))
    result.differences.push_back(
        "network differs: " + both_text(network_text(baseline.network), network_text(current.network)) +
        layer_change(baseline, current));
}

/// Returns a text about the kinds of positions, or an empty text if both are equal or a report has none.
std::string positions_change(const Report& baseline, const Report& current) {
  const auto &before = baseline.scene.positions, &now = current.scene.positions;
  if (!before || !now || before->kind == now->kind) return {};
  return "; positions: " + std::string(text_of(before->kind)) + " in the baseline, " +
         std::string(text_of(now->kind)) + " in the current report";
}

/// Warns if the networks differ in their neighbourhoods or in the positions that they read. Their times can
/// be compared, because people compare a network on native points with the same network on voxels.
void warn_of_neighbours(std::vector<std::string>& lines, const Report& baseline, const Report& current) {
  if (!same_except_neighbours(baseline.network, current.network)) return;
  const bool equal = same_neighbours(baseline.network, current.network);
  const std::string change =
      (equal ? "" : layer_change(baseline, current)) + positions_change(baseline, current);
  if (!change.empty()) lines.push_back("another convolution: results differ by design" + change);
  if (only_packing_differs(baseline, current))
    note_change(lines, "packing", baseline.scene.pack.text(), current.scene.pack.text());
}

void add_warnings(Comparison& result, const Report& baseline, const Report& current) {
  const Measurement &before = baseline.measurement, &now = current.measurement;
  auto& lines = result.warnings;
  if (result.same_run) lines.emplace_back("both reports are copies of the same run");
  const std::string partial = partial_text(baseline.network), partial_now = partial_text(current.network);
  if (!partial.empty()) lines.push_back("baseline: " + partial);
  if (!partial_now.empty()) lines.push_back("current: " + partial_now);
  if (result.current.trust == TrustGrade::x)
    lines.push_back("the current report cannot pass a speed limit, because its trust grade is " +
                    trust_of(current).text());
  if (const std::string change = before.bev && now.bev ? unit_change(*before.bev, *now.bev) : std::string();
      !change.empty())
    lines.push_back(change);
  note_change(lines, "driver", before.device.driver, now.device.driver);
  note_change(lines, "runtime", before.device.runtime, now.device.runtime);
  note_change(lines, "code path of the kernels", before.device.path, now.device.path);
  note_change(lines, "clock of the device before the samples", clock_of(before.state_before),
              clock_of(now.state_before));
  note_change(lines, "clock of the device after the samples", clock_of(before.state_after),
              clock_of(now.state_after));
  warn_of_throttling(lines, "baseline", before.state_after);
  warn_of_throttling(lines, "current", now.state_after);
  warn_of_neighbours(lines, baseline, current);
  warn_of_plans(lines, baseline.network, before, now);
}

}  // namespace spira

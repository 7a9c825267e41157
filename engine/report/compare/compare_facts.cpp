#include "engine/report/compare/compare_facts.hpp"

#include "engine/base/text.hpp"
#include "engine/network/levels.hpp"

namespace spira {
namespace {

/// Adds the line "WHAT differs: BEFORE, then NOW" if the two texts differ.
void note_change(std::vector<std::string>& lines, const std::string& what, const std::string& before,
                 const std::string& now) {
  const auto or_unknown = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  if (before != now) lines.push_back(what + " differs: " + or_unknown(before) + ", then " + or_unknown(now));
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

/// Returns a description of the voxels. Includes the packing, because the keys depend on it.
std::string voxels_text(const SceneFacts& scene) {
  return scene.name + ", " + count_text(scene.voxels) + " voxels of " + shortest(scene.voxel_m[0]) +
         " m, packing " + scene.pack.text();
}

void warn_of_plans(std::vector<std::string>& lines, const Network& network, const Measurement& before,
                   const Measurement& now) {
  // add_differences() reports that the networks differ.
  if (before.plan.layers.size() != now.plan.layers.size()) return;
  // A truncated report has fewer layers.
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
         network_json(baseline.network) == network_json(current.network);
}

std::string why_no_baseline(const Report& report) {
  const Trust trust = trust_of(report);
  return trust.grade == TrustGrade::x ? trust.text() : std::string();
}

std::string plan_change(const LayerPlan& before, const LayerPlan& now) {
  if (before.threshold != now.threshold)
    return "t = " + std::to_string(before.threshold) + ", then " + std::to_string(now.threshold);
  if (before.algorithm != now.algorithm)
    return std::string(text_of(before.algorithm)) + " search, then " + std::string(text_of(now.algorithm));
  if (before.dense_layout != now.dense_layout)
    return std::string(text_of(before.dense_layout)) + " layout, then " +
           std::string(text_of(now.dense_layout));
  return {};
}

/// Returns a description of the difference between the voxels of two reports. Two reports on the same scene
/// have different voxel coordinates if their coarsest strides differ, because coordinates are shifted to the
/// grid of the coarsest stride.
std::string voxels_change(const Report& baseline, const Report& current) {
  const std::string before = voxels_text(baseline.scene), now = voxels_text(current.scene);
  if (before != now) return "voxels of the scene differ: " + before + ", then " + now;
  const int before_stride = levels_of(baseline.network).max_stride,
            now_stride = levels_of(current.network).max_stride;
  std::string line = "voxels of the scene differ: " + now + " in both reports, at other coordinates";
  if (before_stride != now_stride)
    line += " (coordinates begin at whole voxels of stride " + std::to_string(before_stride) + ", then " +
            std::to_string(now_stride) + ")";
  return line;
}

void add_differences(Comparison& result, const Report& baseline, const Report& current) {
  if (const std::string why = why_no_baseline(baseline); !why.empty())
    result.differences.push_back("the baseline cannot be used, because its trust is " + why);
  const DeviceFacts &before = baseline.measurement.device, &now = current.measurement.device;
  std::vector<std::string> devices;
  note_change(devices, "device", device_name(before), device_name(now));
  note_change(devices, "instruction set", before.instructions, now.instructions);
  auto& where = result.devices_ignored ? result.warnings : result.differences;
  for (const auto& line : devices)
    where.push_back(line + (result.devices_ignored ? " (ignored on request)" : ""));
  note_change(result.differences, "precision", std::string(text_of(baseline.measurement.plan.precision)),
              std::string(text_of(current.measurement.plan.precision)));
  if (baseline.scene.fingerprint != current.scene.fingerprint)
    result.differences.push_back(voxels_change(baseline, current));
  if (network_json(baseline.network) != network_json(current.network))
    result.differences.push_back("network differs: " + baseline.network.name + " of " +
                                 std::to_string(baseline.network.layers.size()) + " layers, then " +
                                 current.network.name + " of " +
                                 std::to_string(current.network.layers.size()));
}

void add_warnings(Comparison& result, const Report& baseline, const Report& current) {
  const Measurement &before = baseline.measurement, &now = current.measurement;
  auto& lines = result.warnings;
  if (result.same_run) lines.emplace_back("both reports are copies of the same run");
  if (result.current.trust == TrustGrade::x)
    lines.push_back("the current report cannot pass a gate, because its trust is " +
                    trust_of(current).text());
  note_change(lines, "driver", before.device.driver, now.device.driver);
  note_change(lines, "runtime", before.device.runtime, now.device.runtime);
  note_change(lines, "code path of the kernels", before.device.path, now.device.path);
  note_change(lines, "clock of the device before the samples", clock_of(before.state_before),
              clock_of(now.state_before));
  note_change(lines, "clock of the device after the samples", clock_of(before.state_after),
              clock_of(now.state_after));
  warn_of_throttling(lines, "baseline", before.state_after);
  warn_of_throttling(lines, "current", now.state_after);
  warn_of_plans(lines, baseline.network, before, now);
}

}  // namespace spira

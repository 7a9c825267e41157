// The stages of a report as a trace of chrome://tracing and Perfetto.
#include "engine/base/text.hpp"
#include "engine/report/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

std::string text_json(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Microseconds with three decimals, never an exponent: viewers read no other numbers alike.
std::string us_text(std::int64_t nanoseconds) {
  const std::string rest = std::to_string(nanoseconds % 1000);
  return std::to_string(nanoseconds / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

/// Lays stages end to end on one thread. Whole nanoseconds, so that no sum of spans rounds over its parent.
class TraceWriter {
 public:
  explicit TraceWriter(int process) : ids_(R"("pid":)" + std::to_string(process) + R"(,"tid":1)") {}

  void name(const std::string& kind, const std::string& name) {
    add(R"({"name":)" + text_json(kind) + R"(,"ph":"M",)" + ids_ + R"(,"args":{"name":)" + text_json(name) +
        "}}");
  }

  void add_stages(const std::string& layer, const StageTree& tree) {
    for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
      if (tree.nodes[static_cast<std::size_t>(node)].parent >= 0) continue;
      const std::int64_t length = median_ns(tree, node);
      add_branch(layer, tree, node, end_ns_, length);
      end_ns_ += length;
    }
  }

  [[nodiscard]] const std::string& events() const noexcept { return events_; }

 private:
  static std::int64_t median_ns(const StageTree& tree, int node) {
    constexpr double most_ns = 1e14;  // a day: sums of what a strange file holds stay whole numbers
    return std::llround(std::min(tree.median_ms(node) * 1e6, most_ns));
  }

  void add(const std::string& event) { events_ += (events_.empty() ? "  " : ",\n  ") + event; }

  /// A parent stands before its children, also where both begin at once. Medians do not add up: children that
  /// would reach beyond their parent are drawn shorter, all by the same factor.
  void add_branch(const std::string& layer, const StageTree& tree, int node, std::int64_t begin,
                  std::int64_t length) {
    const StageNode& here = tree.nodes[static_cast<std::size_t>(node)];
    add(R"({"name":)" + text_json(here.name) + R"(,"cat":"stage","ph":"X","ts":)" + us_text(begin) +
        R"(,"dur":)" + us_text(length) + "," + ids_ + R"(,"args":{"layer":)" + text_json(layer) +
        R"(,"stage":)" + text_json(tree.path(node)) + R"(,"n":)" + std::to_string(here.samples_ms.size()) +
        R"(,"median_ms":)" + fixed(tree.median_ms(node), 6) + "}}");
    std::int64_t sum = 0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child)
      sum += tree.nodes[static_cast<std::size_t>(child)].parent == node ? median_ns(tree, child) : 0;
    const std::int64_t end = begin + length;
    const double factor = sum > length ? static_cast<double>(length) / static_cast<double>(sum) : 1.0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child) {
      if (tree.nodes[static_cast<std::size_t>(child)].parent != node) continue;
      const auto scaled = static_cast<std::int64_t>(static_cast<double>(median_ns(tree, child)) * factor);
      const std::int64_t drawn = std::min(scaled, end - begin);
      add_branch(layer, tree, child, begin, drawn);
      begin += drawn;
    }
  }

  std::string ids_, events_;
  std::int64_t end_ns_ = 0;
};

Json other_data(const Report& report) {
  const DeviceFacts& device = report.measurement.device;
  return {{"layout", "laid end to end: isolated stages, not a recorded timeline"},
          {"durations", "medians; children longer than their parent in sum are drawn shorter"},
          {"device", device.name},
          {"driver", device.driver},
          {"timer", clock_text(device.clock)},
          {"tool", "spira " + report.tool_version},
          {"created", report.created},
          {"scene", report.scene.name},
          {"network", report.network.name},
          {"precision", text_of(report.measurement.plan.precision)}};
}

}  // namespace

std::string trace_json(const Report& report) {
  const Measurement& m = report.measurement;
  const bool gpu = m.device.kind == BackendKind::cuda;
  constexpr int host_process = 1, gpu_process = 2;
  TraceWriter trace(gpu ? gpu_process : host_process);
  trace.name("process_name", (gpu ? "GPU: " : "host: ") + m.device.name);
  trace.name("thread_name", "stages of " + report.network.name + ", medians end to end");
  trace.add_stages("", m.indexing);
  for (const LayerMeasurement& layer : m.layers)
    trace.add_stages(layer.name, layer.stages);
  return "{\"displayTimeUnit\":\"ms\",\n \"otherData\":" +
         other_data(report).dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n \"traceEvents\":[\n" +
         trace.events() + "\n]}\n";
}

}  // namespace spira

// The stages of a report as a trace of chrome://tracing and Perfetto.
#include "engine/base/text.hpp"
#include "engine/job/stage_names.hpp"
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

std::string ids_of(int process, int thread) {
  return R"("pid":)" + std::to_string(process) + R"(,"tid":)" + std::to_string(thread);
}

std::string name_event(const std::string& kind, const std::string& name, const std::string& ids) {
  return R"({"name":)" + text_json(kind) + R"(,"ph":"M",)" + ids + R"(,"args":{"name":)" + text_json(name) +
         "}}";
}

std::int64_t ns_of(double ms) {
  constexpr double most_ns = 1e14;  // a day: sums of what a strange file holds stay whole numbers
  return std::llround(std::min(ms * 1e6, most_ns));
}

/// Lays stages end to end on one thread. Whole nanoseconds, so that no sum of spans rounds over its parent.
class TraceWriter {
 public:
  explicit TraceWriter(int process) : ids_(ids_of(process, 1)) {}

  void name(const std::string& kind, const std::string& name) { add(name_event(kind, name, ids_)); }

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
  static std::int64_t median_ns(const StageTree& tree, int node) { return ns_of(tree.median_ms(node)); }

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

/// A timeline as it was recorded: a thread a track. Viewers draw a child that begins with its parent beside
/// it, not in it, so it begins 0.001 us later.
class TimelineTrace {
 public:
  TimelineTrace(const Timeline& timeline, int process) : timeline_(timeline), process_(process) {
    for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track)
      add_track(track);
  }

  [[nodiscard]] const std::string& events() const noexcept { return events_; }

 private:
  struct Drawn {
    std::int64_t begin = 0, end = 0;  // ns
    int depth = 0, index = 0;
  };

  void add(const std::string& event) { events_ += ",\n  " + event; }

  void add_track(int track) {
    const std::string ids = ids_of(process_, track + 1);
    add(name_event("thread_name", timeline_.tracks[static_cast<std::size_t>(track)], ids));
    for (const Drawn& drawn : drawn_on(track)) {
      const TimelineSpan& span = timeline_.spans[static_cast<std::size_t>(drawn.index)];
      const Statistics s = statistics(span.samples_ms);
      add(R"({"name":)" + text_json(span.stage) + R"(,"cat":"timeline","ph":"X","ts":)" +
          us_text(drawn.begin) + R"(,"dur":)" + us_text(drawn.end - drawn.begin) + "," + ids +
          R"(,"args":{"layer":)" + text_json(std::string(layer_of_stage(span.stage))) + R"(,"stage":)" +
          text_json(span.stage) + R"(,"n":)" + std::to_string(s.n) + R"(,"median_ms":)" + fixed(s.median, 6) +
          R"(,"iqr_ms":)" + fixed(s.iqr(), 6) + "}}");
    }
  }

  /// The spans of a track by begin, a parent before its children, each within or behind the ones before it.
  [[nodiscard]] std::vector<Drawn> drawn_on(int track) const {
    std::vector<Drawn> all(timeline_.spans.size());
    std::vector<int> order;
    for (int index = 0; index < static_cast<int>(all.size()); ++index) {
      const TimelineSpan& span = timeline_.spans[static_cast<std::size_t>(index)];
      Drawn& drawn = all[static_cast<std::size_t>(index)];
      drawn = {ns_of(span.start_ms), ns_of(span.end_ms), 0, index};
      if (span.parent >= 0) {
        const Drawn& parent = all[static_cast<std::size_t>(span.parent)];
        drawn.begin = std::clamp(drawn.begin, std::min(parent.begin + 1, parent.end), parent.end);
        drawn.end = std::clamp(drawn.end, drawn.begin, parent.end);
        drawn.depth = parent.depth + 1;
      }
      if (span.track == track) order.push_back(index);
    }
    std::vector<Drawn> result;
    for (const int index : order)
      result.push_back(all[static_cast<std::size_t>(index)]);
    std::stable_sort(result.begin(), result.end(), [](const Drawn& a, const Drawn& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
    });
    std::vector<std::int64_t> behind;  // where the last span of each depth ends
    for (Drawn& drawn : result) {
      behind.resize(static_cast<std::size_t>(drawn.depth) + 1, 0);
      std::int64_t& end = behind.back();
      drawn.begin = std::max(drawn.begin, end);  // marks that a step of the clock put the other way round
      drawn.end = std::max(drawn.end, drawn.begin);
      end = drawn.end;
    }
    return result;
  }

  const Timeline& timeline_;
  int process_;
  std::string events_;
};

std::string timeline_events(const Timeline& timeline, const std::string& device) {
  if (timeline.empty()) return {};
  constexpr int process = 3;
  const std::string name = timeline.mode == TimelineMode::in_situ ? "in situ" : "recorded, one after another";
  return ",\n  " + name_event("process_name", name + ": " + device, ids_of(process, 1)) +
         TimelineTrace(timeline, process).events();
}

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

Json timeline_data(const Timeline& timeline) {
  return {{"mode", text_of(timeline.mode)},
          {"layout", "as recorded, since one reference mark: the repetition with the median end to end"},
          {"how", timeline.how},
          {"n", timeline.wall_ms.size()},
          {"overlap_factor", timeline.overlap_factor()},
          {"mark_cost_ms", timeline.mark_cost_ms()}};
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
  Json other = other_data(report);
  if (!m.timeline.empty()) other["timeline"] = timeline_data(m.timeline);
  return "{\"displayTimeUnit\":\"ms\",\n \"otherData\":" +
         other.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n \"traceEvents\":[\n" +
         trace.events() + timeline_events(m.timeline, m.device.name) + "\n]}\n";
}

}  // namespace spira

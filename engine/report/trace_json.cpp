// Writes a report as a trace for chrome://tracing and Perfetto.

#include "engine/report/trace_json.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

constexpr int sample_process = 4;  // The next free process number.

std::string kernel_json(const PerAxis& size) {
  return size.equal() ? text_of(size) : "\"" + text_of(size) + "\"";
}

std::string text_json(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns microseconds with three decimals and without an exponent, because all viewers accept this form.
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

/// Collects all events of a trace, one per line.
class Events {
 public:
  explicit Events(const Report& report) : report_(report), id_(report_id(report)) {}

  void add(const std::string& event) { events_ += (events_.empty() ? "  " : ",\n  ") + event; }

  void add_slices(const std::vector<TraceSlice>& slices, const std::string& category) {
    for (const TraceSlice& slice : slices)
      add(R"({"name":)" + text_json(slice.name) + R"(,"cat":")" + category + R"(","ph":"X","ts":)" +
          us_text(slice.begin) + R"(,"dur":)" + us_text(slice.end - slice.begin) + "," +
          ids_of(slice.process, slice.thread) + R"(,"args":)" + args_of(slice) + "}");
  }

  /// Adds to the trace an arrow from the build of each map to the first feature stage that reads it. Also
  /// adds a counter for the bytes of the maps in memory. A map stays in memory until the last layer that
  /// reads it.
  void add_maps(const std::vector<TraceSlice>& slices) {
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    int number = 0, process = 0;
    for (const ReportedMap& map : kernel_maps(report_)) {
      ++number;
      const TraceSlice* build = find(slices, {"map", layer(map.built_by)});
      const TraceSlice *first = nullptr, *last = nullptr;
      for (const int user : map.used_by) {
        const TraceSlice* features = find(slices, {"features", layer(user)});
        if (features == nullptr) continue;
        if (first == nullptr || features->begin < first->begin) first = features;
        if (last == nullptr || features->end > last->end) last = features;
      }
      if (build == nullptr || first == nullptr) continue;
      process = build->process;
      add_arrow(*build, *first, number);
      changes.emplace_back(build->end, static_cast<std::int64_t>(map.bytes));
      changes.emplace_back(last->end, -static_cast<std::int64_t>(map.bytes));
    }
    add_counter(std::move(changes), process);
  }

  /// Adds the clock rates that were measured after the samples of the whole network to the trace. The start
  /// times of the samples are not known, so they are placed end to end in a separate process.
  void add_clocks(const Measurement& m) {
    if (m.wall.sm_clock_mhz.empty() && m.compiled_wall.sm_clock_mhz.empty()) return;
    add(name_event("process_name", "samples of the whole network, end to end: " + m.device.name,
                   ids_of(sample_process, 0)));
    add_clock("SM clock (layer by layer)", m.wall);
    add_clock("SM clock (one CUDA graph)", m.compiled_wall);
  }

  [[nodiscard]] const std::string& text() const noexcept { return events_; }

 private:
  [[nodiscard]] const std::string& layer(int index) const {
    return report_.measurement.layers.at(static_cast<std::size_t>(index)).name;
  }

  static const TraceSlice* find(const std::vector<TraceSlice>& slices, const StageKey& stage) {
    const auto found =
        std::find_if(slices.begin(), slices.end(), [&](const auto& one) { return one.stage == stage; });
    return found == slices.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string args_of(const TraceSlice& slice) const {
    const std::string name(slice.stage.layer());
    std::string text = R"({"layer":)" + text_json(name) + R"(,"stage":)" + text_json(slice.stage.text()) +
                       R"(,"phase":)" + text_json(std::string(slice.stage.name()));
    const auto& layers = report_.measurement.layers;
    const auto row =
        std::find_if(layers.begin(), layers.end(), [&](const auto& one) { return one.name == name; });
    const auto at = static_cast<std::size_t>(row - layers.begin());
    const auto& plan = report_.measurement.plan.layers;
    if (at < std::min({layers.size(), plan.size(), report_.network.layers.size()}))
      text += R"(,"t":)" + std::to_string(plan[at].threshold) + R"(,"dataflow":)" +
              text_json(dataflow_text(report_.network.layers[at], plan[at])) + R"(,"K":)" +
              kernel_json(report_.network.layers[at].kernel_size) + R"(,"N":)" + std::to_string(row->outputs);
    return text + R"(,"n":)" + std::to_string(slice.stats.n) + R"(,"median_ms":)" +
           fixed(slice.stats.median, 6) + R"(,"iqr_ms":)" + fixed(slice.stats.iqr(), 6) + R"(,"report":")" +
           id_ + R"("})";
  }

  /// Adds an arrow from the slice `build` to the slice `use`. Viewers attach each end of an arrow to the
  /// slice that contains the time of this end. Therefore both ends are inside their slices.
  void add_arrow(const TraceSlice& build, const TraceSlice& use, int number) {
    const auto end_of = [&](const char* phase, std::int64_t at, const TraceSlice& slice, const char* more) {
      add(R"({"name":"kernel map","cat":"map","ph":")" + std::string(phase) + R"(","id":)" +
          std::to_string(number) + R"(,"ts":)" + us_text(at) + "," + ids_of(slice.process, slice.thread) +
          more + "}");
    };
    end_of("s", std::max(build.begin, build.end - 1), build, "");
    end_of("f", use.begin, use, R"(,"bp":"e")");
  }

  void add_counter(std::vector<std::pair<std::int64_t, std::int64_t>> changes, int process) {
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::int64_t bytes = 0;
    for (const auto& [at, change] : changes) {
      bytes += change;
      add(R"({"name":"map bytes","ph":"C","ts":)" + us_text(at) + "," + ids_of(process, 0) +
          R"(,"args":{"bytes":)" + std::to_string(bytes) + "}}");
    }
  }

  void add_clock(const char* name, const Samples& samples) {
    double at_ms = 0;
    for (std::size_t at = 0; at < std::min(samples.ms.size(), samples.sm_clock_mhz.size()); ++at) {
      add(R"({"name":")" + std::string(name) + R"(","ph":"C","ts":)" + us_text(std::llround(at_ms * 1e6)) +
          "," + ids_of(sample_process, 0) + R"(,"args":{"MHz":)" + std::to_string(samples.sm_clock_mhz[at]) +
          "}}");
      at_ms += samples.ms[at];
    }
  }

  const Report& report_;
  std::string id_, events_;
};

Json other_data(const Report& report) {
  const DeviceFacts& device = report.measurement.device;
  return {{"layout", "end to end: isolated stages, not a recorded timeline"},
          {"durations", "medians; children are shortened if their sum exceeds the duration of their parent"},
          {"report", report_id(report)},
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
          {"layout",
           "the repetition with the median end-to-end time; recorded times, relative to one reference mark"},
          {"how", timeline.how},
          {"n", timeline.wall_ms.size()},
          {"overlap_factor", timeline.overlap_factor()},
          {"mark_cost_ms", timeline.mark_cost_ms()}};
}

void name_recorded(Events& events, const Timeline& timeline, const std::string& device) {
  const bool gpu = timeline.clock == Clock::cuda_events;
  const int process = gpu ? gpu_process : host_process;
  const std::string how = timeline.mode == TimelineMode::in_situ ? "in situ" : "recorded, one after another";
  events.add(
      name_event("process_name", (gpu ? "GPU, " : "host, ") + how + ": " + device, ids_of(process, 1)));
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track)
    events.add(name_event("thread_name", timeline.tracks[static_cast<std::size_t>(track)],
                          ids_of(process, track + 1)));
}

}  // namespace

std::string trace_json(const Report& report) {
  const Measurement& m = report.measurement;
  const auto medians = median_slices(m), recorded = recorded_slices(m.timeline);
  Events events(report);
  const std::string ids = ids_of(median_process, 1);
  events.add(name_event("process_name", "medians, end to end: " + m.device.name, ids));
  events.add(name_event("thread_name", "stages of " + report.network.name, ids));
  events.add_slices(medians, "stage");
  Json other = other_data(report);
  if (!m.timeline.empty()) {
    name_recorded(events, m.timeline, m.device.name);
    events.add_slices(recorded, "timeline");
    other["timeline"] = timeline_data(m.timeline);
  }
  events.add_maps(recorded.empty() ? medians : recorded);
  events.add_clocks(m);
  return "{\"displayTimeUnit\":\"ms\",\n \"otherData\":" +
         other.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n \"traceEvents\":[\n" +
         events.text() + "\n]}\n";
}

namespace {

std::int64_t ns_of(double ms) {
  // About a day. The limit prevents integer overflow if a file contains invalid values.
  constexpr double max_ns = 1e14;
  return std::llround(std::min(ms * 1e6, max_ns));
}

/// Places stages end to end on one thread. Uses whole nanoseconds, so that rounding cannot make children
/// longer than their parent.
class EndToEnd {
 public:
  void add_stages(const StageTree& tree) {
    for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
      if (tree.nodes[static_cast<std::size_t>(node)].parent >= 0) continue;
      const std::int64_t length = median_ns(tree, node);
      add_branch(tree, node, end_, length);
      end_ += length;
    }
  }
  [[nodiscard]] std::vector<TraceSlice> take() { return std::move(slices_); }

 private:
  static std::int64_t median_ns(const StageTree& tree, int node) { return ns_of(tree.median_ms(node)); }

  /// Adds the slices of a stage and its children. If the medians of the children add up to more than the
  /// median of their parent, all children are shortened by the same factor.
  void add_branch(const StageTree& tree, int node, std::int64_t begin, std::int64_t length) {
    const StageNode& here = tree.nodes[static_cast<std::size_t>(node)];
    slices_.push_back(
        {here.name, tree.key(node), median_process, 1, begin, begin + length, statistics(here.samples_ms)});
    const std::int64_t end = begin + length;
    begin = std::min(begin + 1, end);
    std::int64_t sum = 0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child)
      sum += tree.nodes[static_cast<std::size_t>(child)].parent == node ? median_ns(tree, child) : 0;
    const std::int64_t room = end - begin;
    const double factor = sum > room ? static_cast<double>(room) / static_cast<double>(sum) : 1.0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child) {
      if (tree.nodes[static_cast<std::size_t>(child)].parent != node) continue;
      const auto scaled = static_cast<std::int64_t>(static_cast<double>(median_ns(tree, child)) * factor);
      const std::int64_t drawn = std::min(scaled, end - begin);
      add_branch(tree, child, begin, drawn);
      begin += drawn;
    }
  }

  std::vector<TraceSlice> slices_;
  std::int64_t end_ = 0;
};

struct Drawn {
  std::int64_t begin = 0, end = 0;
  int depth = 0, index = 0;
};

/// Returns all spans. Children that are longer than their parents are shortened.
std::vector<Drawn> drawn_spans(const Timeline& timeline) {
  std::vector<Drawn> all;
  for (int index = 0; index < static_cast<int>(timeline.spans.size()); ++index) {
    const TimelineSpan& span = timeline.spans[static_cast<std::size_t>(index)];
    Drawn drawn{ns_of(span.start_ms), ns_of(span.end_ms), 0, index};
    if (span.parent >= 0) {
      const Drawn& parent = all[static_cast<std::size_t>(span.parent)];
      drawn.begin = std::clamp(drawn.begin, std::min(parent.begin + 1, parent.end), parent.end);
      drawn.end = std::clamp(drawn.end, drawn.begin, parent.end);
      drawn.depth = parent.depth + 1;
    }
    all.push_back(drawn);
  }
  return all;
}

/// Returns the spans of a track in order of their start. A parent comes before its children. Each span is
/// inside or after the previous spans.
std::vector<Drawn> spans_on(const Timeline& timeline, const std::vector<Drawn>& all, int track) {
  std::vector<Drawn> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](const Drawn& one) {
    return timeline.spans[static_cast<std::size_t>(one.index)].track == track;
  });
  std::stable_sort(result.begin(), result.end(), [](const Drawn& a, const Drawn& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
  });
  std::vector<std::int64_t> behind;  // The end of the last span at each nesting depth.
  for (Drawn& drawn : result) {
    behind.resize(static_cast<std::size_t>(drawn.depth) + 1, 0);
    std::int64_t& end = behind.back();
    // Because the clock has steps, two time stamps can be in the wrong order.
    drawn.begin = std::max(drawn.begin, end);
    drawn.end = std::max(drawn.end, drawn.begin);
    end = drawn.end;
  }
  return result;
}

}  // namespace

std::vector<TraceSlice> median_slices(const Measurement& measurement) {
  EndToEnd writer;
  writer.add_stages(measurement.indexing);
  for (const LayerMeasurement& layer : measurement.layers)
    writer.add_stages(layer.stages);
  return writer.take();
}

std::vector<TraceSlice> recorded_slices(const Timeline& timeline) {
  if (const std::string fault = fault_of(timeline); !fault.empty())
    throw Error(ErrorKind::input, "trace: timeline.spans" + fault + "; spans of one stream must not overlap");
  const int process = timeline.clock == Clock::cuda_events ? gpu_process : host_process;
  const std::vector<Drawn> all = drawn_spans(timeline);
  std::vector<TraceSlice> slices;
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track) {
    for (const Drawn& drawn : spans_on(timeline, all, track)) {
      const TimelineSpan& span = timeline.spans[static_cast<std::size_t>(drawn.index)];
      slices.push_back({span.stage.text(), span.stage, process, track + 1, drawn.begin, drawn.end,
                        statistics(span.samples_ms)});
    }
  }
  return slices;
}

}  // namespace spira

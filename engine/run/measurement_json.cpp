#include "engine/run/measurement_json.hpp"

#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_stages = 10'000;  // More than any tree has. Files with more are rejected.
constexpr double no_limit = std::numeric_limits<double>::max();

/// Returns the index of the parent of the stage `path`, or -1 if it has no parent. `known` contains the paths
/// that were read before. Sets `name_begin` to the start of the last part of the path. The parts of a path
/// are joined by dots, but a layer name in brackets can contain dots too. Therefore the parent is the longest
/// prefix that is in `known`.
int parent_of(const std::string& path, const std::map<std::string, int>& known, std::size_t& name_begin) {
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0;
       dot = path.rfind('.', dot - 1)) {
    const auto parent = known.find(path.substr(0, dot));
    if (parent == known.end()) continue;
    name_begin = dot + 1;
    return parent->second;
  }
  name_begin = 0;
  return -1;
}

bool told(const DeviceState& state) {
  return state.sm_clock_mhz || state.memory_clock_mhz || state.temperature_c || state.throttled_by ||
         state.clocks_locked || state.other_processes;
}

Json state_json(const DeviceState& state) {
  const auto or_null = [](const auto& figure) { return figure ? Json(*figure) : Json(nullptr); };
  return {{"sm_clock_mhz", or_null(state.sm_clock_mhz)},
          {"memory_clock_mhz", or_null(state.memory_clock_mhz)},
          {"temperature_c", or_null(state.temperature_c)},
          {"throttled_by", or_null(state.throttled_by)},
          {"clocks_locked", or_null(state.clocks_locked)},
          {"other_processes", state.other_processes.value_or(-1)}};
}

Json rate_json(const DeviceRate& rate) {
  Json samples = stats_json(rate.samples_ms);
  samples["samples"] = rate.samples_ms;
  return {{"per_second", rate.per_second ? Json(*rate.per_second) : Json(nullptr)},
          {"how", rate.how},
          {"ms", std::move(samples)}};
}

DeviceRate rate_from(const JsonFields& fields) {
  DeviceRate rate;
  if (!fields.value("per_second").is_null()) rate.per_second = fields.number("per_second", 0, no_limit);
  rate.how = fields.text("how");
  rate.samples_ms = fields.at("ms").numbers("samples", max_samples);
  return rate;
}

const char* text_of(SampleOrder order) {
  return order == SampleOrder::interleaved ? "interleaved" : "one_after_another";
}

}  // namespace

Json stats_json(std::span<const double> samples) {
  const Statistics s = statistics(samples);
  Json stats{{"n", s.n}, {"median", s.median}, {"q1", s.q1}, {"q3", s.q3}, {"min", s.min}, {"max", s.max}};
  for (const Percentile& one : percentiles(samples)) {
    if (one.ms) stats[one.name] = *one.ms;
  }
  if (const auto interval = median_interval(samples)) stats["ci95_median"] = {interval->low, interval->high};
  return stats;
}

Json device_document(const DeviceFacts& device, const DeviceState& before, const DeviceState& after) {
  Json document{{"kind", text_of(device.kind)},        {"name", device.name},
                {"instructions", device.instructions}, {"threads", device.threads},
                {"memory_bytes", device.memory_bytes}, {"clock", clock_text(device.clock)}};
  if (!device.driver.empty()) document["driver"] = device.driver;
  if (!device.runtime.empty()) document["runtime"] = device.runtime;
  if (!device.path.empty()) document["path"] = device.path;
  const auto add = [&](const char* key, const auto& figure) {
    if (figure) document[key] = *figure;
  };
  add("ecc", device.ecc);
  add("mig", device.mig);
  add("l2_bytes", device.l2_bytes);
  add("power_limit_w", device.power_limit_w);
  add("sm_default_mhz", device.sm_default_mhz);
  add("sm_max_mhz", device.sm_max_mhz);
  add("memory_max_mhz", device.memory_max_mhz);
  if (told(before)) document["state_before"] = state_json(before);
  if (told(after)) document["state_after"] = state_json(after);
  return document;
}

Json rates_json(const DeviceRates& rates) {
  return {{"bytes", rate_json(rates.bytes)}, {"flops", rate_json(rates.flops)}};
}

DeviceRates rates_from(const JsonFields& fields) {
  return {rate_from(fields.at("bytes")), rate_from(fields.at("flops"))};
}

Json protocol_json(const SamplingProtocol& protocol, SampleOrder order) {
  return {{"order", text_of(order)},
          {"warmup", protocol.warmup},
          {"min_samples", protocol.min_samples},
          {"max_samples", protocol.max_samples},
          {"max_time_ms", protocol.max_time_ms},
          {"target_iqr_rel", protocol.target_iqr_rel}};
}

Json stages_json(const StageTree& tree) {
  Json rows = Json::array();
  for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
    const StageNode& here = tree.nodes[static_cast<std::size_t>(node)];
    Json row{{"stage", tree.key(node).text()}, {"unit", "ms"}, {"samples", here.samples_ms}};
    if (here.samples_ms.size() > 1) row["stats"] = stats_json(here.samples_ms);
    if (near_timer_resolution(tree.median_ms(node))) row["near_timer_resolution"] = true;
    if (here.bytes_read + here.bytes_written > 0) {
      row["modelled_bytes_read"] = here.bytes_read;
      row["modelled_bytes_written"] = here.bytes_written;
    }
    if (here.peak_bytes) row["peak_bytes"] = *here.peak_bytes;
    if (!here.kernel.empty()) row["kernel"] = here.kernel;
    if (!here.layout.empty()) row["layout"] = here.layout;
    rows.push_back(row);
  }
  return rows;
}

Clock clock_from(const JsonFields& fields, const std::string& key) {
  return choice<Clock>(
      fields, key,
      {{clock_text(Clock::steady), Clock::steady}, {clock_text(Clock::cuda_events), Clock::cuda_events}});
}

DeviceFacts device_from(const JsonFields& fields) {
  DeviceFacts device;
  device.kind = choice<BackendKind>(fields, "kind",
                                    {{text_of(BackendKind::reference), BackendKind::reference},
                                     {text_of(BackendKind::cpu), BackendKind::cpu},
                                     {text_of(BackendKind::cuda), BackendKind::cuda}});
  device.name = fields.text("name");
  device.instructions = fields.text("instructions");
  device.threads = static_cast<int>(fields.whole("threads", 0, 1'000'000));
  device.memory_bytes = static_cast<std::uint64_t>(fields.count("memory_bytes"));
  if (fields.has("clock")) device.clock = clock_from(fields, "clock");
  device.driver = fields.text_or("driver", "");
  device.runtime = fields.text_or("runtime", "");
  device.path = fields.text_or("path", "");
  const auto figure = [&](const char* key) -> std::optional<int> {
    if (!fields.has(key)) return std::nullopt;
    return static_cast<int>(fields.whole(key, 0, 1'000'000));
  };
  if (fields.has("ecc")) device.ecc = fields.truth("ecc");
  if (fields.has("mig")) device.mig = fields.truth("mig");
  if (fields.has("l2_bytes")) device.l2_bytes = static_cast<std::uint64_t>(fields.count("l2_bytes"));
  device.power_limit_w = figure("power_limit_w");
  device.sm_default_mhz = figure("sm_default_mhz");
  device.sm_max_mhz = figure("sm_max_mhz");
  device.memory_max_mhz = figure("memory_max_mhz");
  return device;
}

DeviceState state_from(const JsonFields& fields) {
  const auto known = [&](const char* key) { return fields.has(key) && !fields.value(key).is_null(); };
  const auto figure = [&](const char* key) -> std::optional<int> {
    if (!known(key)) return std::nullopt;
    return static_cast<int>(fields.whole(key, -1000, 1'000'000));
  };
  DeviceState state;
  state.sm_clock_mhz = figure("sm_clock_mhz");
  state.memory_clock_mhz = figure("memory_clock_mhz");
  state.temperature_c = figure("temperature_c");
  constexpr std::size_t max_reasons = 100;
  if (known("throttled_by")) state.throttled_by = fields.texts("throttled_by", max_reasons);
  if (known("clocks_locked")) state.clocks_locked = fields.truth("clocks_locked");
  if (known("other_processes")) state.other_processes = figure("other_processes");
  if (state.other_processes == -1) state.other_processes.reset();
  // Reports before version 1.6 list "application clocks" as a throttle reason if the user locked the clocks.
  if (state.throttled_by && std::erase(*state.throttled_by, "application clocks") > 0)
    state.clocks_locked = true;
  return state;
}

SamplingProtocol protocol_from(const JsonFields& fields) {
  SamplingProtocol protocol;
  constexpr std::int64_t most = max_samples;
  protocol.warmup = static_cast<int>(fields.whole("warmup", 0, most));
  protocol.min_samples = static_cast<int>(fields.whole("min_samples", 0, most));
  protocol.max_samples = static_cast<int>(fields.whole("max_samples", 0, most));
  protocol.max_time_ms = fields.number("max_time_ms", 0, no_limit);
  protocol.target_iqr_rel = fields.number("target_iqr_rel", 0, no_limit);
  // The order of the samples follows from the kind of the document, so this field is only validated.
  if (fields.has("order")) {
    static_cast<void>(
        choice<SampleOrder>(fields, "order",
                            {{text_of(SampleOrder::one_after_another), SampleOrder::one_after_another},
                             {text_of(SampleOrder::interleaved), SampleOrder::interleaved}}));
  }
  return protocol;
}

StageTree stages_from(const JsonFields& fields, const std::string& key, Clock clock) {
  StageTree tree;
  tree.clock = clock;
  std::map<std::string, int> known;
  for (const JsonFields& row : fields.rows(key, max_stages)) {
    const std::string path = row.text("stage");
    if (path.empty()) row.fail("stage", "empty");
    if (!known.emplace(path, static_cast<int>(tree.nodes.size())).second)
      row.fail("stage", "\"" + path + "\" appears twice");
    if (row.text_or("unit", "ms") != "ms") row.fail("unit", "expected ms");
    StageNode node;
    std::size_t name_begin = 0;
    node.parent = parent_of(path, known, name_begin);
    node.name = path.substr(name_begin);
    node.samples_ms = row.numbers("samples", max_samples);
    if (row.has("modelled_bytes_read")) node.bytes_read = row.count("modelled_bytes_read");
    if (row.has("modelled_bytes_written")) node.bytes_written = row.count("modelled_bytes_written");
    if (row.has("peak_bytes")) node.peak_bytes = static_cast<std::size_t>(row.count("peak_bytes"));
    node.kernel = row.text_or("kernel", "");
    node.layout = row.text_or("layout", "");
    tree.nodes.push_back(std::move(node));
  }
  return tree;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_tracks = 100, max_spans = 100'000;

Json series_json(std::span<const double> samples) {
  return {{"samples", samples}, {"stats", stats_json(samples)}};
}

TimelineSpan span_from(const JsonFields& fields, std::int64_t tracks, std::int64_t spans_before) {
  constexpr double max_ms = 1e12;
  TimelineSpan span;
  span.stage = fields.text("stage");
  if (span.stage == StageKey()) fields.fail("stage", "empty");
  span.track = static_cast<int>(fields.whole("track", 0, tracks - 1));
  if (fields.has("parent")) {
    if (spans_before == 0) fields.fail("parent", "the first span cannot have a parent");
    span.parent = static_cast<int>(fields.whole("parent", 0, spans_before - 1));
  }
  span.start_ms = fields.number("start_ms", 0, max_ms);
  span.end_ms = fields.number("end_ms", 0, max_ms);
  span.samples_ms = fields.numbers("samples_ms", max_samples);
  return span;
}

}  // namespace

Json timeline_json(const Timeline& timeline) {
  Json spans = Json::array();
  for (const TimelineSpan& span : timeline.spans) {
    Json row{{"stage", span.stage.text()}, {"track", span.track}};
    if (span.parent >= 0) row["parent"] = span.parent;
    row["start_ms"] = span.start_ms;
    row["end_ms"] = span.end_ms;
    row["samples_ms"] = span.samples_ms;
    spans.push_back(std::move(row));
  }
  return {{"mode", text_of(timeline.mode)},
          {"clock", clock_text(timeline.clock)},
          {"how", timeline.how},
          {"tracks", timeline.tracks},
          {"repetition", timeline.repetition},
          {"wall_ms", series_json(timeline.wall_ms)},
          {"marked_ms", series_json(timeline.marked_ms)},
          {"unmarked_ms", series_json(timeline.unmarked_ms)},
          {"overlap_factor", timeline.overlap_factor()},
          {"mark_cost_ms", timeline.mark_cost_ms()},
          {"spans", std::move(spans)}};
}

Timeline timeline_from(const JsonFields& fields) {
  Timeline timeline;
  timeline.mode =
      choice<TimelineMode>(fields, "mode",
                           {{text_of(TimelineMode::in_situ), TimelineMode::in_situ},
                            {text_of(TimelineMode::one_after_another), TimelineMode::one_after_another}});
  timeline.clock = clock_from(fields, "clock");
  timeline.how = fields.text("how");
  timeline.tracks = fields.texts("tracks", max_tracks);
  if (timeline.tracks.empty()) fields.fail("tracks", "empty");
  const auto series = [&](const char* key) { return fields.at(key).numbers("samples", max_samples); };
  timeline.wall_ms = series("wall_ms");
  timeline.marked_ms = series("marked_ms");
  timeline.unmarked_ms = series("unmarked_ms");
  if (timeline.wall_ms.empty()) fields.fail("wall_ms", "no samples");
  timeline.repetition = static_cast<int>(fields.whole("repetition", 0, std::ssize(timeline.wall_ms) - 1));
  for (const JsonFields& row : fields.rows("spans", max_spans))
    timeline.spans.push_back(span_from(row, std::ssize(timeline.tracks), std::ssize(timeline.spans)));
  if (const auto fault = fault_of(timeline); !fault.empty()) fields.fail("spans", fault);
  return timeline;
}

}  // namespace spira

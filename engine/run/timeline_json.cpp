#include "engine/run/measurement_json.hpp"

#include <algorithm>

namespace spira {
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

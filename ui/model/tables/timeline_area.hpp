// Lanes of a timeline's spans, navigation from span to span, and sums over a time range. Does not use
// widgets.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/job/timeline.hpp"

#include <string>
#include <vector>

namespace spira::ui {

/// Returns the group that a span is summed under. In situ, the features of a layer are one output-stationary
/// span. Layer by layer, they have child spans, and the parent counts as residual.
[[nodiscard]] StageGroup group_of(const Timeline& timeline, const TimelineSpan& span);
/// Returns the colour group of each span. It is group_of(), except that features with child spans take the
/// group of the longest child.
[[nodiscard]] std::vector<StageGroup> colours_of(const Timeline& timeline);

/// Assigns spans to lanes. Each track has one lane per nesting depth of its spans.
struct TimelineLanes {
  std::vector<int> lane_of;     ///< One entry per span.
  std::vector<int> tracks;      ///< Indices into Timeline::tracks, from top to bottom.
  std::vector<int> first_lane;  ///< First lane of each entry of `tracks`, followed by the number of lanes.
  int pinned = 0;               ///< The first `pinned` entries of `tracks` are pinned to the top.
  [[nodiscard]] int count() const noexcept { return first_lane.empty() ? 0 : first_lane.back(); }
};
/// `pinned`: names of the tracks to place above all others, in this order. Unknown names are ignored.
[[nodiscard]] TimelineLanes lanes_of(const Timeline& timeline, const std::vector<std::string>& pinned = {});

/// Returns the span `step` places further along the lane of `span`, ordered by start; stops at the ends. If
/// `span` is -1, returns the earliest span of the timeline.
[[nodiscard]] int span_along(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);
/// Returns the span that is nearest in time in the next non-empty lane above (-1) or below (1). Returns
/// `span` if there is no such lane.
[[nodiscard]] int span_across(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);

struct TimelineArea {
  double low_ms = 0, high_ms = 0;
  int first_lane = 0, last_lane = 0;  ///< Both lanes are included.
};
/// Time of one layer in one stage group within an area.
struct AreaRow {
  std::string layer;  ///< Empty for spans that belong to no layer.
  StageGroup group = StageGroup::other;
  std::vector<int> spans{};  ///< Indices into Timeline::spans.
  double total_ms = 0;
};
/// Sums the time in an area, longest row first. Only the part of a span inside the area counts; the time of
/// child spans is subtracted from their parent.
[[nodiscard]] std::vector<AreaRow> add_up(const Timeline& timeline, const TimelineLanes& lanes,
                                          const TimelineArea& area);

}  // namespace spira::ui

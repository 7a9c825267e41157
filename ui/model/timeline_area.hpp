// Lanes of a timeline's spans, ways from one to the next, and sums over a part of it. No window.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/job/timeline.hpp"

#include <string>
#include <vector>

namespace spira::ui {

/// What a span of the timeline adds to sums. In situ, the features of a layer are one output-stationary
/// piece; layer by layer they have parts of their own and add the residual beside those.
[[nodiscard]] StageGroup group_of(const Timeline& timeline, const TimelineSpan& span);
/// What gives each span its colour: the same, but features with parts have the colour of the longest part.
[[nodiscard]] std::vector<StageGroup> colours_of(const Timeline& timeline);

/// Each track has a lane, and one more for each depth of spans that lie in others.
struct TimelineLanes {
  std::vector<int> lane_of;     ///< one a span
  std::vector<int> tracks;      ///< from the top down; index in Timeline::tracks
  std::vector<int> first_lane;  ///< one for each of `tracks`, and the number of all lanes at the end
  int pinned = 0;               ///< so many of `tracks` stand on top because somebody wants them there
  [[nodiscard]] int count() const noexcept { return first_lane.empty() ? 0 : first_lane.back(); }
};
/// `pinned`: names of tracks that stand above all others, in this order; names that are not there do nothing.
[[nodiscard]] TimelineLanes lanes_of(const Timeline& timeline, const std::vector<std::string>& pinned = {});

/// Steps along the lane of `span`, by begin; stays at the ends. -1: from the first span of all.
[[nodiscard]] int span_along(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);
/// The span of the next lane up (-1) or down (1) that is nearest in time; the same where there is none.
[[nodiscard]] int span_across(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);

struct TimelineArea {
  double low_ms = 0, high_ms = 0;
  int first_lane = 0, last_lane = 0;  ///< both in it
};
/// What a layer did of one kind in an area.
struct AreaRow {
  std::string layer;  ///< empty: of no layer
  StageGroup group = StageGroup::other;
  std::vector<int> spans{};  ///< indices in Timeline::spans
  double total_ms = 0;
};
/// Longest first. Only the part within the area counts, and of a span with others in it what they leave.
[[nodiscard]] std::vector<AreaRow> add_up(const Timeline& timeline, const TimelineLanes& lanes,
                                          const TimelineArea& area);

}  // namespace spira::ui

// Stores the begin and end of each stage in one repetition, as spans on tracks. Times are relative to a
// reference time stamp. A timeline is separate from the isolated stage times of stage_tree.hpp; the two are
// never mixed.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TimelineMode : std::uint8_t {
  in_situ,           ///< Work of a compiled network, which can overlap.
  one_after_another  ///< Stages of a layer-by-layer run, without overlap.
};
/// Returns "in situ" or "one after another".
[[nodiscard]] std::string_view text_of(TimelineMode mode) noexcept;

struct TimelineSpan {
  StageKey stage;
  int track = 0;                     ///< Index in Timeline::tracks.
  int parent = -1;                   ///< Index of the enclosing span. A parent comes before its children.
  double start_ms = 0, end_ms = 0;   ///< Relative to the reference time stamp.
  std::vector<double> samples_ms{};  ///< Length of the span in each repetition.
  [[nodiscard]] double length_ms() const noexcept { return end_ms - start_ms; }
};

struct Timeline {
  TimelineMode mode = TimelineMode::one_after_another;
  Clock clock = Clock::steady;
  std::string how;                  ///< Example: "one CUDA graph of 98 nodes, including 40 timing marks".
  std::vector<std::string> tracks;  ///< Examples: "main branch", "side branch 1", "host".
  std::vector<TimelineSpan> spans;  ///< Spans of one repetition. Spans on one track are disjoint or nested.
  /// Index of the repetition that the spans show. Its wall time is the median, or the lower of the two middle
  /// values.
  int repetition = 0;
  /// Time from the reference time stamp to the last time stamp, in milliseconds. One value per repetition.
  std::vector<double> wall_ms;
  /// Wall times of whole runs with and without timing marks, in milliseconds. The runs are interleaved and
  /// timed from outside. The difference of the medians is the cost of the marks.
  std::vector<double> marked_ms, unmarked_ms;

  [[nodiscard]] bool empty() const noexcept { return spans.empty(); }
  [[nodiscard]] double shown_wall_ms() const;  ///< Wall time of the repetition that the spans show.
  [[nodiscard]] double busy_ms(
      int track) const noexcept;  ///< Returns the total length of the top-level spans of a track.
  /// Returns the sum of the busy times of all tracks, divided by the wall time. Returns 0 without a wall
  /// time.
  [[nodiscard]] double overlap_factor() const;
  /// Returns the difference of the medians of marked_ms and unmarked_ms. Noise can make it negative.
  [[nodiscard]] double mark_cost_ms() const;
};

/// Returns the first fault that no recorded timeline can have, such as two overlapping spans on one track.
/// Returns an empty string if there is none.
[[nodiscard]] std::string fault_of(const Timeline& timeline);

/// Collects repetitions, and builds the timeline from the repetition with the median wall time.
class TimelineBuilder {
 public:
  /// Uses the mode, clock, `how` and tracks of `head` for the timeline.
  explicit TimelineBuilder(Timeline head) : head_(std::move(head)) {}
  /// Adds one repetition. The field `samples_ms` of the spans is ignored.
  void add(std::vector<TimelineSpan> spans, double wall_ms);
  /// Returns the timeline, or a timeline without spans if no repetition was added.
  [[nodiscard]] Timeline take();

 private:
  Timeline head_;
  std::vector<std::vector<TimelineSpan>> repetitions_;
};

}  // namespace spira

// Defines Timeline, which contains the start and the end of each stage in one repetition, as spans on tracks.
// The times are relative to a reference time stamp. They must not be mixed with the isolated stage times of
// stage_tree.hpp.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TimelineMode : std::uint8_t {
  in_situ,           ///< Work of a compiled network. It can overlap.
  one_after_another  ///< Stages of a layer-by-layer run. They do not overlap.
};
/// Returns "in situ" or "one after another".
[[nodiscard]] std::string_view text_of(TimelineMode mode) noexcept;

struct TimelineSpan {
  StageKey stage;
  int track = 0;  ///< Index into Timeline::tracks.
  /// Index of the enclosing span, which precedes this span in the list. -1 at the top level.
  int parent = -1;
  double start_ms = 0, end_ms = 0;   ///< Relative to the reference time stamp.
  std::vector<double> samples_ms{};  ///< Length of the span in each repetition.
  [[nodiscard]] double length_ms() const noexcept { return end_ms - start_ms; }
};

struct Timeline {
  TimelineMode mode = TimelineMode::one_after_another;
  Clock clock = Clock::steady;
  std::string how;                  ///< For example "one CUDA graph of 98 nodes, including 40 timing marks".
  std::vector<std::string> tracks;  ///< Such as "main branch", "side branch 1" and "host".
  std::vector<TimelineSpan> spans;  ///< Spans of one repetition. Two spans on a track are disjoint or nested.
  /// Index of the repetition that the spans show. Its wall time is the median of wall_ms, or the lower of the
  /// two middle values.
  int repetition = 0;
  /// Time from the reference time stamp to the last time stamp in each repetition, in milliseconds.
  std::vector<double> wall_ms;
  /// Wall times of whole runs with timing marks and without them, in milliseconds. The runs are interleaved
  /// and timed on the host. The difference of the medians is the cost of the marks.
  std::vector<double> marked_ms, unmarked_ms;

  [[nodiscard]] bool empty() const noexcept { return spans.empty(); }
  [[nodiscard]] double shown_wall_ms() const;  ///< Wall time of the repetition that the spans show.
  [[nodiscard]] double busy_ms(
      int track) const noexcept;  ///< Returns the total length of the top-level spans on a track.
  /// Returns the sum of the busy times of all tracks divided by the wall time, or 0 if the wall time is 0.
  [[nodiscard]] double overlap_factor() const;
  /// Returns the median of marked_ms minus the median of unmarked_ms. Can be negative because of noise.
  [[nodiscard]] double mark_cost_ms() const;
};

/// Returns the first fault of a timeline, such as two overlapping spans on one track. A recorded timeline has
/// no faults, but a timeline from a file can have them. Returns an empty string if no fault exists.
[[nodiscard]] std::string fault_of(const Timeline& timeline);

/// Collects repetitions. Builds the timeline from the repetition with the median wall time.
class TimelineBuilder {
 public:
  /// `head` contains the mode, the clock, `how` and the tracks of the timeline.
  explicit TimelineBuilder(Timeline head) : head_(std::move(head)) {}
  /// Adds the spans and the wall time of one repetition. Ignores `samples_ms` of the spans.
  void add(std::vector<TimelineSpan> spans, double wall_ms);
  /// Returns the timeline. It has no spans if no repetition was added.
  [[nodiscard]] Timeline take();

 private:
  Timeline head_;
  std::vector<std::vector<TimelineSpan>> repetitions_;
};

}  // namespace spira

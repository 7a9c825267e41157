// When each stage began and ended in one repetition: spans on tracks, since one reference mark. Pure data,
// and a mode of its own: isolated stages (stage_tree.hpp) are never mixed with it.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TimelineMode : std::uint8_t {
  in_situ,           ///< pieces of a compiled network, which run beside each other
  one_after_another  ///< stages of a run layer by layer: nothing overlaps
};
[[nodiscard]] std::string_view text_of(TimelineMode mode) noexcept;  ///< "in situ", "one after another"

struct TimelineSpan {
  std::string stage;  ///< the path of a stage: "voxelize", "map[conv1]", "map[conv1].search"
  int track = 0;      ///< index in Timeline::tracks
  int parent = -1;    ///< index of the span that it lies in; a parent stands before its children
  double start_ms = 0, end_ms = 0;   ///< since the reference mark
  std::vector<double> samples_ms{};  ///< its length in each repetition
  [[nodiscard]] double length_ms() const noexcept { return end_ms - start_ms; }
};

struct Timeline {
  TimelineMode mode = TimelineMode::one_after_another;
  Clock clock = Clock::steady;
  std::string how;                  ///< "one CUDA graph of 98 nodes, 40 of them marks"
  std::vector<std::string> tracks;  ///< "main branch", "side branch 1"; "host"
  std::vector<TimelineSpan> spans;  ///< of one repetition; those of a track are disjoint or nested
  int repetition = 0;               ///< which one: that of the median of wall_ms, the lower of two
  std::vector<double> wall_ms;      ///< from the reference to the last mark, one a repetition
  /// What marks cost: whole runs with and without them, taken in turns and timed from outside.
  std::vector<double> marked_ms, unmarked_ms;

  [[nodiscard]] bool empty() const noexcept { return spans.empty(); }
  [[nodiscard]] double shown_wall_ms() const;              ///< of the repetition that the spans are of
  [[nodiscard]] double busy_ms(int track) const noexcept;  ///< spans in no other, added up
  [[nodiscard]] double overlap_factor() const;             ///< all of these over the wall time; 0 without one
  [[nodiscard]] double mark_cost_ms() const;  ///< difference of the medians; noise can make it negative
};

/// What cannot be in a timeline that was recorded, such as two spans that overlap on a track; empty: nothing.
[[nodiscard]] std::string fault_of(const Timeline& timeline);

/// Takes repetitions, and keeps when things happened in the one in the middle.
class TimelineBuilder {
 public:
  /// `head`: mode, clock, how and tracks.
  explicit TimelineBuilder(Timeline head) : head_(std::move(head)) {}
  void add(std::vector<TimelineSpan> spans, double wall_ms);  ///< one repetition; samples are left out
  [[nodiscard]] Timeline take();                              ///< without spans where there was no repetition

 private:
  Timeline head_;
  std::vector<std::vector<TimelineSpan>> repetitions_;
};

}  // namespace spira

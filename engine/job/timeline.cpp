#include "engine/job/timeline.hpp"

#include "engine/job/stage_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace spira {
namespace {

/// Numbers the spans of stages that are entered several times.
class Occurrences {
 public:
  std::pair<StageKey, int> next(const StageKey& stage) { return {stage, seen_[stage]++}; }

 private:
  std::map<StageKey, int> seen_;
};

std::vector<std::size_t> by_length(const std::vector<double>& ms) {
  std::vector<std::size_t> order(ms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ms[a] < ms[b]; });
  return order;
}

}  // namespace

std::string_view text_of(TimelineMode mode) noexcept {
  return mode == TimelineMode::in_situ ? "in situ" : "one after another";
}

double Timeline::shown_wall_ms() const {
  return wall_ms.empty() ? 0 : wall_ms.at(static_cast<std::size_t>(repetition));
}

double Timeline::busy_ms(int track) const noexcept {
  double sum = 0;
  for (const TimelineSpan& span : spans)
    sum += span.parent < 0 && span.track == track ? span.length_ms() : 0;
  return sum;
}

double Timeline::overlap_factor() const {
  const double wall = shown_wall_ms();
  double sum = 0;
  for (int track = 0; track < static_cast<int>(tracks.size()); ++track)
    sum += busy_ms(track);
  return wall > 0 ? sum / wall : 0;
}

double Timeline::mark_cost_ms() const {
  return median_of(marked_ms) - median_of(unmarked_ms);
}

std::string fault_of(const Timeline& timeline) {
  constexpr double clock_step_ms = 0.01;  // Time stamps can be wrong by one step of a coarse clock.
  const auto at = [&](int index) -> const TimelineSpan& {
    return timeline.spans[static_cast<std::size_t>(index)];
  };
  const auto name = [](int index) { return "[" + std::to_string(index) + "]"; };
  std::map<std::pair<int, int>, std::vector<int>> beside;  // Spans with the same track and the same parent.
  for (int index = 0; index < static_cast<int>(timeline.spans.size()); ++index) {
    const TimelineSpan& span = at(index);
    if (!(span.start_ms >= 0) || !(span.end_ms >= span.start_ms))
      return name(index) + " ends before it begins";
    if (span.track < 0 || span.track >= static_cast<int>(timeline.tracks.size()))
      return name(index) + " has a track number that does not exist";
    if (span.parent >= index) return name(index) + " comes before its enclosing span";
    if (span.parent >= 0) {
      const TimelineSpan& parent = at(span.parent);
      if (parent.track != span.track || span.start_ms < parent.start_ms - clock_step_ms ||
          span.end_ms > parent.end_ms + clock_step_ms)
        return name(index) + " is not inside " + name(span.parent);
    }
    beside[{span.track, span.parent}].push_back(index);
  }
  for (auto& [place, indices] : beside) {
    std::stable_sort(indices.begin(), indices.end(),
                     [&](int a, int b) { return at(a).start_ms < at(b).start_ms; });
    for (std::size_t next = 1; next < indices.size(); ++next) {
      if (at(indices[next]).start_ms < at(indices[next - 1]).end_ms - clock_step_ms)
        return name(indices[next]) + " overlaps " + name(indices[next - 1]);
    }
  }
  return {};
}

void TimelineBuilder::add(std::vector<TimelineSpan> spans, double wall_ms) {
  repetitions_.push_back(std::move(spans));
  head_.wall_ms.push_back(wall_ms);
}

Timeline TimelineBuilder::take() {
  Timeline result = std::exchange(head_, {});
  const auto repetitions = std::exchange(repetitions_, {});
  if (repetitions.empty()) return result;
  std::map<std::pair<StageKey, int>, std::vector<double>> samples;
  for (const auto& spans : repetitions) {
    Occurrences occurrences;
    for (const TimelineSpan& span : spans)
      samples[occurrences.next(span.stage)].push_back(span.length_ms());
  }
  const std::size_t middle = by_length(result.wall_ms)[(result.wall_ms.size() - 1) / 2];
  result.repetition = static_cast<int>(middle);
  result.spans = repetitions[middle];
  Occurrences occurrences;
  for (TimelineSpan& span : result.spans)
    span.samples_ms = samples[occurrences.next(span.stage)];
  return result;
}

}  // namespace spira

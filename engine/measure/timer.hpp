// How fine a clock is and what asking it costs: the least that a stage can show.
#pragma once

#include "engine/job/recorder.hpp"

namespace spira {

struct TimerFacts {
  double overhead_us = 0;    ///< median length of an empty stage
  double resolution_us = 0;  ///< smallest step that was seen
};
/// Marks 200 empty stages on the clock of a back end, and waits for them.
[[nodiscard]] TimerFacts measure_timer(StageSource& source);

/// Shorter than this, the marks at both ends are a good part of what is shown.
constexpr double near_timer_ms = 0.01;
[[nodiscard]] constexpr bool near_timer_resolution(double median_ms) noexcept {
  return median_ms > 0 && median_ms < near_timer_ms;
}

}  // namespace spira

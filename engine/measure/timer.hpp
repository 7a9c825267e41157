// Measures the resolution and the overhead of a clock. Both limit how short a stage can be timed.
#pragma once

#include "engine/job/recorder.hpp"

namespace spira {

struct TimerFacts {
  double overhead_us = 0;    ///< Median length of an empty stage.
  double resolution_us = 0;  ///< Smallest observed step.
};
/// Marks 200 empty stages on the clock of a back end and waits for them.
[[nodiscard]] TimerFacts measure_timer(StageSource& source);

/// In shorter stages, the overhead of the two marks is a large part of the measured time.
constexpr double near_timer_ms = 0.01;
[[nodiscard]] constexpr bool near_timer_resolution(double median_ms) noexcept {
  return median_ms > 0 && median_ms < near_timer_ms;
}

}  // namespace spira

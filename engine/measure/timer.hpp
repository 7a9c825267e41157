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

}  // namespace spira

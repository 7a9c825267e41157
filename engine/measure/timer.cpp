#include "engine/measure/timer.hpp"

#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <vector>

namespace spira {
namespace {

constexpr std::size_t empty_stages = 200;
constexpr double us_per_ms = 1000.0;
/// Times are sums of floating-point milliseconds. Smaller differences are rounding errors, not steps of the
/// clock.
constexpr double smallest_step_us = 5e-4;

}  // namespace

TimerFacts measure_timer(StageSource& source) {
  std::vector<double> at_ms(2 * empty_stages);
  for (int slot = 0; slot < std::ssize(at_ms); ++slot)
    source.mark(slot);
  source.collect(at_ms);
  std::vector<double> empty_us, steps_us;
  for (std::size_t slot = 1; slot < at_ms.size(); ++slot) {
    const double step_us = (at_ms[slot] - at_ms[slot - 1]) * us_per_ms;
    if (slot % 2 == 1) empty_us.push_back(step_us);
    if (step_us > smallest_step_us) steps_us.push_back(step_us);
  }
  // Lengths differ by whole steps of the clock. Their differences reveal a step that is finer than the
  // shortest length.
  std::sort(steps_us.begin(), steps_us.end());
  double smallest = steps_us.empty() ? 0.0 : steps_us.front();
  for (std::size_t at = 1; at < steps_us.size(); ++at) {
    const double apart = steps_us[at] - steps_us[at - 1];
    if (apart > smallest_step_us) smallest = std::min(smallest, apart);
  }
  return {statistics(empty_us).median, smallest};
}

}  // namespace spira

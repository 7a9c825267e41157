#include "engine/measure/timeline_text.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>

namespace spira {

std::string mark_cost_text(const Timeline& timeline) {
  if (timeline.marked_ms.empty() || timeline.unmarked_ms.empty()) return "timer overhead was not measured";
  const double spread =
      std::max(statistics(timeline.marked_ms).iqr(), statistics(timeline.unmarked_ms).iqr());
  if (timeline.mark_cost_ms() <= spread)
    return "timer overhead is below the spread of runs (IQR " + ms_text(spread) + ")";
  return "timer overhead is " + ms_text(timeline.mark_cost_ms()) + " per run";
}

}  // namespace spira

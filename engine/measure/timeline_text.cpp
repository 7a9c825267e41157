#include "engine/measure/timeline_text.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>

namespace spira {

std::string mark_cost_text(const Timeline& timeline) {
  if (timeline.marked_ms.empty() || timeline.unmarked_ms.empty()) return "what marks cost was not measured";
  const double spread =
      std::max(statistics(timeline.marked_ms).iqr(), statistics(timeline.unmarked_ms).iqr());
  if (timeline.mark_cost_ms() <= spread)
    return "marks cost less than runs differ (IQR " + ms_text(spread) + ")";
  return "marks cost " + ms_text(timeline.mark_cost_ms()) + " a run";
}

}  // namespace spira

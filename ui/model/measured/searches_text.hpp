// Text about the cost of the kernel-map searches of a run.
#pragma once

#include "engine/run/replay/search_counters.hpp"

#include <QString>

namespace spira::ui {

/// Returns "4.95 comparisons and 0.31 sectors per query with z-delta, ..." for all maps together, with one
/// part per search algorithm. Uses a decimal point in every locale, as files do.
[[nodiscard]] QString searchesText(const SearchCounters& counters);

}  // namespace spira::ui

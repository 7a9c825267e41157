// What the searches of a run's kernel maps cost, in words.
#pragma once

#include "engine/run/search_counters.hpp"

#include <QString>

namespace spira::ui {

/// "4.95 comparisons and 0.31 sectors a query by z-delta, ...": of all maps, by each way to search them;
/// with a dot, as files have it.
[[nodiscard]] QString searchesText(const SearchCounters& counters);

}  // namespace spira::ui

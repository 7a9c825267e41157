// Converts the counters of searches to JSON and back.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/run/replay/search_counters.hpp"

#include <nlohmann/json.hpp>

namespace spira {

/// Returns the member "counters" of a report: all maps together, then each map.
[[nodiscard]] nlohmann::ordered_json counters_json(const SearchCounters& counters);
/// Reads only the maps. SearchCounters::whole() computes their totals again. Throws `Error(input)` as Fields
/// does.
[[nodiscard]] SearchCounters counters_from(const Fields& fields);

}  // namespace spira

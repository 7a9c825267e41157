// Counters of searches as JSON in both directions.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/run/search_counters.hpp"

#include <nlohmann/json.hpp>

namespace spira {

/// The member "counters" of a report: all maps together, then each of them.
[[nodiscard]] nlohmann::ordered_json counters_json(const SearchCounters& counters);
/// Of its maps, whose whole is made again. Throws Error(input) as Fields does.
[[nodiscard]] SearchCounters counters_from(const Fields& fields);

}  // namespace spira

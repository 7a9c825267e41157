// Converts facts about the build and the machine that wrote a report to JSON and back.
#pragma once

#include "engine/base/build_facts.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/host_facts.hpp"

#include <nlohmann/json.hpp>

namespace spira {

/// Adds the build to the member "tool" of a report.
void add_build(nlohmann::ordered_json& tool, const BuildFacts& build);
[[nodiscard]] nlohmann::ordered_json host_json(const HostFacts& host);

// Each function throws `Error(input)` as Fields does.
[[nodiscard]] BuildFacts build_from(const Fields& tool);
[[nodiscard]] HostFacts host_from(const Fields& fields);

}  // namespace spira

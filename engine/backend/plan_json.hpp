// Reads parts of plans from JSON. Plan files and reports contain these parts.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/base/fields_json.hpp"

namespace spira {

/// Reads the members "method" and "core". Throws `Error(input)` like the getters of JsonFields.
[[nodiscard]] UnitPlan unit_plan_from(const JsonFields& fields);

}  // namespace spira

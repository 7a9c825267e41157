// Converts sweeps to JSON and back, for `spira sweep` and for reports.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/tune/sweep.hpp"

#include <nlohmann/json.hpp>

namespace spira {

[[nodiscard]] nlohmann::ordered_json sweep_document(const Sweep& sweep);
/// Reads a sweep. Statistics and standings are not read, because they are computed again from the samples.
/// Throws `Error(input)` like `JsonFields`.
[[nodiscard]] Sweep sweep_from(const JsonFields& fields);

}  // namespace spira

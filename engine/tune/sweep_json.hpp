// Sweeps as JSON: what `spira sweep` writes, and what reports hold.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/tune/sweep.hpp"

#include <nlohmann/json.hpp>

namespace spira {

[[nodiscard]] nlohmann::ordered_json sweep_document(const Sweep& sweep);
/// Throws Error(input) as Fields does. Statistics and standings are not read: they follow from the samples.
[[nodiscard]] Sweep sweep_from(const Fields& fields);

}  // namespace spira

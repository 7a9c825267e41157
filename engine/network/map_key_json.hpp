// Converts kernels and the keys of kernel maps to JSON and back, for reports and tuning profiles.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/network/network.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace spira {

/// Adds the members "neighbours", "cell" and "radius" to `row`. Omits the members with default values, so a
/// row of a kernel without native neighbours stays as it is.
void add_neighbourhood(nlohmann::ordered_json& row, const Neighbourhood& neighbourhood);
/// Adds the member "kernel_size" to `row`. Also adds the member "padding" if the kernel does not have the
/// usual padding, and the members of add_neighbourhood().
void add_kernel(nlohmann::ordered_json& row, const KernelShape& kernel);
/// Adds the members of add_kernel() and the members "in_stride" and "out_stride" to `row`.
void add_map_key(nlohmann::ordered_json& row, const MapKey& key);

// The functions below throw `Error(input)` if a value is invalid.
[[nodiscard]] KernelShape kernel_from(const JsonFields& fields);
/// Reads the number of a level (see SceneLevel).
[[nodiscard]] int level_from(const JsonFields& fields, const std::string& key);
[[nodiscard]] MapKey map_key_from(const JsonFields& fields);
[[nodiscard]] PositionKind position_kind_from(const JsonFields& fields, const std::string& key);

}  // namespace spira

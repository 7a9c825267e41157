// Reads a kernel map in host memory, whatever its layouts: the one decoder for tests, charts and files.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace spira {

/// Calls visit(output, column, input) for every pair, parts in their order; half maps give both columns of a
/// pair. Throws Error(internal) if the map is not in host memory.
void for_each_pair(const KernelMap& map,
                   const std::function<void(std::int32_t output, int column, std::int32_t input)>& visit);

/// Matches per column, [K^3]. Cheaper than for_each_pair.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map);
/// The same of some outputs only: `outputs` are rows of the map, each named once.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map,
                                                           std::span<const std::int32_t> outputs);

/// The inputs of one output row, [K^3], -1 = none. O(K^3) for dense and z_runs, O(K^3 log) for sorted pair
/// lists.
[[nodiscard]] std::vector<std::int32_t> row_of(const KernelMap& map, std::int32_t output);

/// For one column: the input of each output, [outputs], -1 = none.
[[nodiscard]] std::vector<std::int32_t> column_of(const KernelMap& map, int column);

/// Which columns the outputs of a group have between them, [groups * z_groups]: bit iz of a word is column
/// K * z_group + iz. `group_of_output`: -1 = in no group.
[[nodiscard]] std::vector<std::uint32_t> columns_of_groups(const KernelMap& map,
                                                           std::span<const std::int32_t> group_of_output,
                                                           std::int64_t groups);

/// Number of matched columns of each output, [outputs].
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map);
/// The same of some columns only, each named once.
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map,
                                                            std::span<const int> columns);

}  // namespace spira

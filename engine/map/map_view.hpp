// Decodes kernel maps of any layout in host memory, for charts, exported files and tests.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace spira {

/// Calls visit(output, column, input) for every pair, in the order of the parts. For a half map it visits
/// both columns of each symmetric pair. Throws Error(internal) if the map is not in host memory.
void for_each_pair(const KernelMap& map,
                   const std::function<void(std::int32_t output, int column, std::int32_t input)>& visit);

/// Counts the matches of each column. Shape: [K^3]. Faster than for_each_pair.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map);
/// Counts the matches of each column in some outputs only. `outputs` are rows of the map without duplicates.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map,
                                                           std::span<const std::int32_t> outputs);

/// Returns the inputs of one output row. Shape: [K^3], -1 = no input. O(K^3) for dense layouts and z_runs,
/// O(K^3 log n) for pair lists of n pairs.
[[nodiscard]] std::vector<std::int32_t> row_of(const KernelMap& map, std::int32_t output);

/// Returns the input of each output for one column. Shape: [outputs], -1 = no input.
[[nodiscard]] std::vector<std::int32_t> column_of(const KernelMap& map, int column);

/// Returns, for each group of outputs, which columns have an input in at least one output of the group.
/// Shape: [groups * z_groups]. Bit iz of a word stands for column K * z_group + iz. `group_of_output` is -1
/// for an output without a group.
[[nodiscard]] std::vector<std::uint32_t> columns_of_groups(const KernelMap& map,
                                                           std::span<const std::int32_t> group_of_output,
                                                           std::int64_t groups);

/// Counts the matched columns of each output. Shape: [outputs].
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map);
/// Counts the matches of each output in some columns only. `columns` has no duplicates.
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map,
                                                            std::span<const int> columns);

}  // namespace spira

// Decodes kernel maps of all layouts in host memory, for charts, exported files and tests.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace spira {

/// Calls visit(output, column, input) for every pair, one part after another. In a half map, also visits the
/// pairs of columns that are not stored. Throws `Error(internal)` if the map is not in host memory.
void for_each_pair(const KernelMap& map,
                   const std::function<void(std::int32_t output, int column, std::int32_t input)>& visit);

/// Returns the number of matches of each column. Shape: [K^3]. This is faster than counting with
/// for_each_pair(). An output with several inputs in a column of a native map is one match: a group.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map);
/// Returns the number of matches of each column, counted over a selection of the outputs. `outputs` contains
/// rows of the map without duplicates.
[[nodiscard]] std::vector<std::int64_t> matches_per_column(const KernelMap& map,
                                                           std::span<const std::int32_t> outputs);
/// Return the number of pairs of each column. Shape: [K^3]. These are the triplets of a native map. In other
/// maps, each match is one pair.
[[nodiscard]] std::vector<std::int64_t> triplets_per_column(const KernelMap& map);
[[nodiscard]] std::vector<std::int64_t> triplets_per_column(const KernelMap& map,
                                                            std::span<const std::int32_t> outputs);

/// Returns the inputs of one output, one per column. Shape: [K^3]; -1 means no input. Returns the lowest
/// input if a column of a native map has several; see inputs_of(). O(K^3) for dense layouts and z_runs, O(K^3
/// log n) for pair lists of n pairs, O(outputs) for mask_sorted.
[[nodiscard]] std::vector<std::int32_t> row_of(const KernelMap& map, std::int32_t output);

/// Returns the input of each output for one column. Shape: [outputs]; -1 means no input. Returns the lowest
/// input if a column of a native map has several.
[[nodiscard]] std::vector<std::int32_t> column_of(const KernelMap& map, int column);

/// Returns all inputs of one output in one column, in ascending order. Only native maps have several.
[[nodiscard]] std::vector<std::int32_t> inputs_of(const KernelMap& map, std::int32_t output, int column);

/// Returns, for each group of outputs, the columns in which at least one of its outputs has an input. Shape:
/// [groups * z_groups]. Bit iz of a word stands for column K * z_group + iz. `group_of_output` contains -1
/// for outputs without a group.
[[nodiscard]] std::vector<std::uint32_t> columns_of_groups(const KernelMap& map,
                                                           std::span<const std::int32_t> group_of_output,
                                                           std::int64_t groups);

/// Returns the number of inputs of each output, counted in every column that contains them. Shape: [outputs].
/// In a native map, these are the triplets of the output.
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map);
/// Returns the same numbers for the given columns. `columns` must be unique.
[[nodiscard]] std::vector<std::uint16_t> matches_per_output(const KernelMap& map,
                                                            std::span<const int> columns);

}  // namespace spira

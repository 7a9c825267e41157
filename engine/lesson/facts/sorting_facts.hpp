// Counts how many slots implicit GEMM multiplies for each pair, with and without sorting the outputs by their
// masks (section 4.1 of the TorchSparse++ paper). The pages on sorting in the lesson "dataflows" show the
// counts.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// Number of rows of a tile in the diagrams. Kernels use 16 rows or more, but with twenty outputs such tiles
/// would show nothing.
inline constexpr int drawn_tile_rows = 4;

/// Returns the kernel map of some outputs of the level of `input`, in host memory. The inputs are all voxels
/// of the level. `outputs` contains rows of the level in ascending order. Throws `Error(does_not_fit)` like
/// offsets_of().
[[nodiscard]] KernelMap map_of_outputs(const LessonInput& input, std::span<const std::int64_t> outputs,
                                       Job& job);

/// Returns the names of the facts in the "sorting" group: slots per pair of all outputs of the level, with
/// tiles of 16 rows. "sorting.s2." are two splits, and "sorting.unsorted." is the natural order. The facts of
/// splits that the kernel does not allow are omitted.
[[nodiscard]] std::vector<std::string> sorting_fact_names();
[[nodiscard]] std::vector<Fact> sorting_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "sorted_rows" group: the same counts for the outputs that the
/// diagrams show, with tiles of drawn_tile_rows rows.
[[nodiscard]] std::vector<std::string> sorted_row_fact_names();
[[nodiscard]] std::vector<Fact> sorted_row_facts(const LessonInput& input, Job& job);

}  // namespace spira

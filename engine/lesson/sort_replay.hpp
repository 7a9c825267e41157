// What sorting the words of a level costs, replayed with a counter: the work before the first search of a
// sorted array.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/session.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Comparisons of a merge sort whose runs begin with one word and double.
[[nodiscard]] std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job);
/// The words of a level, each once, in the order in which the points of the file come to them.
[[nodiscard]] std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job);

}  // namespace spira

// Counts the comparisons of sorting the words of a level: the work before the first search in a sorted array.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Returns the comparisons of a bottom-up merge sort, whose runs begin with one word and double.
[[nodiscard]] std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job);
/// Returns the distinct words of a level, in the order in which the points of the file reach them.
[[nodiscard]] std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job);

}  // namespace spira

// The voxel that a page of a lesson begins with.
#pragma once

#include "engine/job/job.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>

namespace spira {

/// `middle`: halfway up, where walls and trunks are, and there in the middle of the list; of some that stand
/// there, the one with the most neighbours, so that a kernel around it finds something.
enum class VoxelPlace { middle, highest, lowest };

/// Row of a level that has at least one.
[[nodiscard]] std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job);

}  // namespace spira

// Sorts the points of a scene by voxel: with an occupancy grid, or with a radix sort of packed keys if the
// box is too large for a grid.
#pragma once

#include "engine/job/job.hpp"
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/points.cuh"

#include <cstdint>

namespace spira::cuda {

/// A scene with at least one point inside its crop.
struct SceneTask {
  PointsOnDevice points;
  std::int64_t all = 0;  ///< Number of points, including cropped ones.
  Extent extent{};       ///< Extent of the points inside the crop.
};

/// The points of all voxels. The points of a voxel are adjacent.
struct PointGroups {
  Buffer starts;        ///< [voxels + 1]: index in `points` of the first point of a voxel.
  Buffer points;        ///< Indices of the points in the cloud.
  bool ordered = true;  ///< True if the points of a voxel are in the order of the cloud.
};

struct SortedPoints {
  std::int64_t voxels = 0;
  Buffer keys;  ///< Sorted and unique.
  Buffer rows;  ///< [all]: the voxel of each point, or -1 if it is cropped.
  /// Filled by the radix sort only. After the grid, group_points() makes them from the fields below.
  PointGroups groups;
  Buffer hits;           ///< At least [voxels + 1]: the number of points of each voxel, then 0.
  Buffer slots;          ///< [all]: index of a point among the points of its voxel, in arbitrary order.
  bool crowded = false;  ///< True if a voxel has more than max_in_order points.
};

/// Records the stages "pack" and "sort".
[[nodiscard]] SortedPoints sort_points(const Device& device, const SceneTask& task, Job& job);
[[nodiscard]] PointGroups group_points(const Device& device, const SortedPoints& sorted, std::int64_t all);

}  // namespace spira::cuda

// Sorts the points of a scene by voxel. Uses an occupancy grid, or a radix sort of packed keys if the
// bounding box is too large for a grid.
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

/// The points grouped by voxel, in one array. The points of a voxel are adjacent.
struct PointGroups {
  Buffer starts;        ///< Shape: [voxels + 1]. Index in `points` of the first point of each voxel.
  Buffer points;        ///< Indices of the points in the cloud.
  bool ordered = true;  ///< True if the points of a voxel are in the order of the cloud.
};

struct SortedPoints {
  std::int64_t voxels = 0;
  Buffer keys;  ///< The keys of the voxels, sorted and without duplicates.
  Buffer rows;  ///< Shape: [all]. The voxel of each point, or -1 if the point is cropped.
  /// Only the radix sort fills `groups`. If the grid has sorted the points, group_points() computes the
  /// groups from the members below.
  PointGroups groups;
  Buffer hits;  ///< Shape: at least [voxels + 1]. The number of points of each voxel, followed by a zero.
  /// Shape: [all]. The number of each point within its voxel. The points of a voxel are numbered in arbitrary
  /// order.
  Buffer slots;
  bool crowded = false;  ///< True if a voxel has more than max_in_order points.
};

/// Sorts the points of a scene by voxel. Records the "pack" and "sort" stages.
[[nodiscard]] SortedPoints sort_points(const Device& device, const SceneTask& task, Job& job);
[[nodiscard]] PointGroups group_points(const Device& device, const SortedPoints& sorted, std::int64_t all);

}  // namespace spira::cuda

// The points of a scene sorted by their voxels: by an occupancy grid, or by a radix sort of packed keys where
// the box is too large for one.
#pragma once

#include "engine/job/job.hpp"
#include "kernels/cuda/levels.cuh"
#include "kernels/cuda/points.cuh"

#include <cstdint>

namespace spira::cuda {

/// A scene that has points inside its crop.
struct SceneTask {
  PointsOnDevice points;
  std::int64_t all = 0;  ///< points, cropped ones too
  Extent extent{};       ///< of the points kept
};

/// The points of each voxel side by side.
struct PointGroups {
  Buffer starts;        ///< [voxels + 1]: where the points of a voxel start in `points`
  Buffer points;        ///< their numbers
  bool ordered = true;  ///< within a voxel as in the cloud
};

struct SortedPoints {
  std::int64_t voxels = 0;
  Buffer keys;           ///< sorted, unique
  Buffer rows;           ///< [all]: voxel of each point, -1: cropped
  PointGroups groups;    ///< by the radix sort only; else made of what follows, by group_points()
  Buffer hits;           ///< [voxels] at the least, then 0: points of each voxel
  Buffer slots;          ///< [all]: which of the points of its voxel a point is, in no order
  bool crowded = false;  ///< a voxel has more than most_in_order points
};

/// Stages pack and sort.
[[nodiscard]] SortedPoints sort_points(const Device& device, const SceneTask& task, Job& job);
[[nodiscard]] PointGroups group_points(const Device& device, const SortedPoints& sorted, std::int64_t all);

}  // namespace spira::cuda

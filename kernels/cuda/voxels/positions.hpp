// Chooses the position of each row of a level on the device (see PositionKind).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

struct PointsOnDevice;

/// The points of a scene and the voxels that they belong to.
struct PointsOfVoxels {
  const PointsOnDevice& points;
  std::int64_t all = 0;                ///< Number of points, including cropped ones.
  const std::int32_t* rows = nullptr;  ///< The row of each point, or -1 if it is cropped. Shape: [all].
  std::int64_t voxels = 0;
};

/// Returns the positions of level 0. Records the "positions" stage.
[[nodiscard]] Positions nearest_points(const Device& device, PositionKind kind, const PointsOfVoxels& of,
                                       Job& job);
/// Implements Backend::downsample() for positions.
[[nodiscard]] Positions coarser_positions(const Device& device, const CoordSet& fine,
                                          const Positions& of_fine, const CoordSet& coarse, Job& job);

}  // namespace spira::cuda

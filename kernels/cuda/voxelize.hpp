// Points to level 0, and down-sampling (sections 5.3 and 5.5) on the device.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device.hpp"

namespace spira::cuda {

/// Copies the points and waits for them.
[[nodiscard]] UploadedPoints upload_points(const Device& device, std::shared_ptr<const PointCloud> cloud,
                                           Job& job);
[[nodiscard]] Voxelized voxelize(const Device& device, const UploadedPoints& points, const Grid& grid,
                                 const VoxelizeRequest& request, Job& job);
[[nodiscard]] CoordSet downsample(const Device& device, const CoordSet& level0, int stride, Job& job);

}  // namespace spira::cuda

// Computes the levels of a scene on the device: voxelizes points into level 0 and down-samples level 0
// (sections 5.3 and 5.5 of the Spira paper).
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Copies the points to the device and waits until the copies have ended.
[[nodiscard]] UploadedPoints upload_points(const Device& device, std::shared_ptr<const PointCloud> cloud,
                                           Job& job);
[[nodiscard]] Voxelized voxelize(const Device& device, const UploadedPoints& points, const Grid& grid,
                                 const VoxelizeRequest& request, Job& job);
[[nodiscard]] CoordSet downsample(const Device& device, const CoordSet& level0, const SceneLevel& level,
                                  const std::array<std::int64_t, 3>& shift, Job& job);

/// Computes the union of several levels. See Backend::unite().
[[nodiscard]] CoordSet unite(const Device& device, const std::vector<const CoordSet*>& parts,
                             const SceneLevel& level, Job& job);

}  // namespace spira::cuda

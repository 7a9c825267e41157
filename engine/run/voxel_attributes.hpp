// What the points of a scene say about the voxels of a level: counts, means and labels. Pure functions of
// immutable results.
#pragma once

#include "engine/run/session.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Row of the level's voxel that holds each voxel of stride 1.
[[nodiscard]] std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride);

// Each [voxels of the level].
[[nodiscard]] std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride);
[[nodiscard]] std::vector<float> mean_intensities(const VoxelScene& scene,
                                                  int stride);                        ///< the scene has some
[[nodiscard]] std::vector<Colour> mean_colours(const VoxelScene& scene, int stride);  ///< the scene has some
/// A voxel has the label that most of its points have, the lower of two that are equal. The scene has labels.
[[nodiscard]] std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride);

}  // namespace spira

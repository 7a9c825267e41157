// Computes attributes of the voxels of a level from the points of the scene: counts, means and labels. All
// functions are pure functions of immutable results.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Returns, for each voxel of stride 1, the row of the voxel of the level that contains it.
[[nodiscard]] std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride);

// Each function returns one value per voxel of the level.
[[nodiscard]] std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride);
/// Requires a scene with intensities.
[[nodiscard]] std::vector<float> mean_intensities(const VoxelScene& scene, int stride);
/// Requires a scene with colours.
[[nodiscard]] std::vector<Colour> mean_colours(const VoxelScene& scene, int stride);
/// Returns for each voxel the most frequent label of its points, or the lower label in a tie. The scene must
/// have labels.
[[nodiscard]] std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride);

}  // namespace spira

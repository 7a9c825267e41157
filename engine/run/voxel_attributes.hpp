// Computes attributes of the voxels of a level from the points of the scene: counts, means and labels. All
// functions are pure.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Returns, for each voxel of stride 1, the row of the coarser voxel that contains it, in the level of
/// `stride`.
[[nodiscard]] std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride);

// Each function below returns one value per voxel of the level of `stride`.
[[nodiscard]] std::vector<std::int32_t> points_in_voxels(const VoxelScene& scene, int stride);
/// The scene must have intensities.
[[nodiscard]] std::vector<float> mean_intensities(const VoxelScene& scene, int stride);
/// The scene must have colours.
[[nodiscard]] std::vector<Colour> mean_colours(const VoxelScene& scene, int stride);
/// Returns the most frequent label among the points of each voxel, or the lowest of these labels in a tie.
/// The scene must have labels.
[[nodiscard]] std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride);

}  // namespace spira

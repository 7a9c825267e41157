// Finds the first voxel that a ray hits. Walks through the grid with one binary search per cell; no scene
// graph is needed.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spira::ui {

struct Ray {
  Point from{}, direction{};  ///< in metres in scene coordinates; `direction` need not have unit length
};

/// Returns the row of the first voxel of the level along the ray (Amanatides and Woo, 1987). Searches only
/// the cells inside the bounds of the level. Ignores rows whose flag in `hidden` is true; an empty `hidden`
/// ignores none.
[[nodiscard]] std::optional<std::int64_t> pick_voxel(const VoxelScene& scene, int stride, const Ray& ray,
                                                     const std::vector<bool>& hidden = {});

}  // namespace spira::ui

// Which voxel does a ray meet first? A walk through the grid with one binary search a cell; no scene graph is
// asked.
#pragma once

#include "engine/run/session.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spira::ui {

struct Ray {
  Point from{}, direction{};  ///< scene metres; direction need not be of unit length
};

/// Row of the first voxel of the level along the ray (Amanatides and Woo, 1987). Cells are searched inside
/// the bounds of the level only. Rows that `hidden` has as true are looked through; empty: none is.
[[nodiscard]] std::optional<std::int64_t> pick_voxel(const VoxelScene& scene, int stride, const Ray& ray,
                                                     const std::vector<bool>& hidden = {});

}  // namespace spira::ui

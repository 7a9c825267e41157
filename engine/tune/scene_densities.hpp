// What tells scenes apart for a tuning profile: how full the neighbourhood of a voxel is, by L1 norm.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <optional>

namespace spira {

/// Mean density of the offsets of 3x3x3 at stride 1 by L1 norm, 0 to 3 (section 5.4); the first is 1.
using SceneDensities = std::array<double, 4>;

/// Of the voxels of stride 1, in host memory; without a back end and without a kernel map. O(13 voxels).
[[nodiscard]] SceneDensities scene_densities(const CoordSet& level);
/// The same from the densities of a map; empty: it is of another stride, or an even or smaller kernel.
[[nodiscard]] std::optional<SceneDensities> scene_densities(const Densities& densities);

/// The largest difference of two means: 0 to 1.
[[nodiscard]] double density_distance(const SceneDensities& a, const SceneDensities& b) noexcept;

}  // namespace spira

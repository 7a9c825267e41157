// The densities by which a tuning profile distinguishes scenes: the share of occupied neighbours of a voxel,
// by L1 norm.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <optional>

namespace spira {

/// Mean density of the offsets of 3x3x3 at stride 1, for the L1 norms 0 to 3 (section 5.4). The first value
/// is 1.
using SceneDensities = std::array<double, 4>;

/// Computes the densities from the voxels of stride 1, in host memory, without a back end or a kernel map.
/// O(13 voxels).
[[nodiscard]] SceneDensities scene_densities(const CoordSet& level);
/// Computes the densities from the densities of a map. Returns an empty value if the stride of the map is
/// not 1, or if the kernel size is even or below 3.
[[nodiscard]] std::optional<SceneDensities> scene_densities(const Densities& densities);

/// Returns the largest difference of two means, from 0 to 1.
[[nodiscard]] double density_distance(const SceneDensities& a, const SceneDensities& b) noexcept;

}  // namespace spira

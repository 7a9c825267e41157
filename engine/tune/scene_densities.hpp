// Computes the densities by which a tuning profile compares scenes. For each L1 norm, this is the share of
// the neighbour positions that are occupied.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <optional>

namespace spira {

/// The mean density of the offsets of a 3x3x3 kernel at stride 1, for the L1 norms 0, 1, 2 and 3 (section 5.4
/// of the Spira paper). The first value is always 1.
using SceneDensities = std::array<double, 4>;

/// Computes the densities from the voxels of stride 1, which must be in host memory. Needs no back end and no
/// kernel map. Takes 13 passes over the voxels.
[[nodiscard]] SceneDensities scene_densities(const CoordSet& level);
/// Computes the densities from the densities of a kernel map. Returns an empty value if the stride of the map
/// is not 1, or if its kernel size is even or less than 3.
[[nodiscard]] std::optional<SceneDensities> scene_densities(const Densities& densities);

/// Returns the largest difference of the mean densities for any L1 norm, from 0 to 1.
[[nodiscard]] double density_distance(const SceneDensities& a, const SceneDensities& b) noexcept;

}  // namespace spira

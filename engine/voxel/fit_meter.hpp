// The fit meter in full: bits and guard cells of each axis, what lies past a packing, and the ways to make it
// fit.
#pragma once

#include "engine/voxel/fit.hpp"
#include "engine/voxel/fitting_crop.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// Cells that must stay free on each axis so that no query of the network meets a voxel by wrapping.
[[nodiscard]] std::array<std::int64_t, 3> guard_cells(int max_kernel_size, int max_stride);
/// Cells that a scene of this extent leaves free; below 0 where it needs more than the axis has.
[[nodiscard]] std::array<std::int64_t, 3> free_cells(std::array<std::int64_t, 3> extent, PackSpec pack);

/// What a packing is asked to hold, and for which network.
struct FitQuestion {
  Grid grid;
  PackSpec pack;
  int max_kernel_size = 3, max_stride = 1;
};

struct Misfit {
  FitQuestion of;
  std::array<std::int64_t, 3> extent{};  ///< cells from the shifted zero on
  std::int64_t voxels_past = 0;          ///< that would leave their field, or be met in place of others
  Point past_from_m{};                   ///< they lie at or beyond this on some axis
  std::optional<FittingCrop> crop;
  /// The smallest that fits, rounded up to two digits; axes keep their proportions. Empty: none was found.
  std::optional<std::array<double, 3>> voxel_m;
  bool fits_64_bits = false;
};
/// Empty: it fits. O(n log n) for the points past the packing.
[[nodiscard]] std::optional<Misfit> misfit_of(const PointCloud& cloud, const FitQuestion& question, Job& job);

}  // namespace spira

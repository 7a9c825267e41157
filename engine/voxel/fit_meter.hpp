// Explains why a scene does not fit a packing: bits and guard cells of each axis, the number of voxels that
// do not fit, and changes that make the scene fit.
#pragma once

#include "engine/voxel/fit.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// Returns the number of cells that must stay free on each axis. Without these cells, a query of the network
/// could wrap and match a wrong voxel.
[[nodiscard]] std::array<std::int64_t, 3> guard_cells(int max_kernel_size, int max_stride);
/// Returns the number of free cells on each axis for a scene of this extent. The number is negative if the
/// scene needs more cells than the packing has.
[[nodiscard]] std::array<std::int64_t, 3> free_cells(std::array<std::int64_t, 3> extent, PackSpec pack);

struct FitQuestion {
  Grid grid;
  PackSpec pack;
  int max_kernel_size = 3, max_stride = 1;
};

struct Misfit {
  FitQuestion of;
  std::array<std::int64_t, 3> extent{};  ///< Number of cells from 0 after the shift.
  /// Number of voxels that leave their bit field or match wrong voxels.
  std::int64_t voxels_past = 0;
  /// Position on each axis, in metres. A voxel at or beyond this position on at least one axis does not fit.
  Point past_from_m{};
  std::optional<FittingCrop> crop;
  /// Smallest voxel size that fits, in metres, rounded up to two digits. The proportions of the axes do not
  /// change. Empty if none was found.
  std::optional<std::array<double, 3>> voxel_m;
  /// Packing of 32 bits that fits, or of 64 bits if no 32-bit packing fits. Empty if none fits.
  std::optional<PackSpec> pack;
};
/// Describes why the scene does not fit the packing, and which changes make it fit. Returns an empty
/// optional if the scene fits. O(n log n) in the number of points.
[[nodiscard]] std::optional<Misfit> misfit_of(const PointCloud& cloud, const FitQuestion& question, Job& job);

}  // namespace spira

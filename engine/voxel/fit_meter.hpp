// Computes the bits and guard cells of each axis, the number of voxels that do not fit a packing, and
// changes that make the scene fit.
#pragma once

#include "engine/voxel/fit.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// Returns the cells that must stay free on each axis, so that no query of the network wraps and matches
/// another voxel.
[[nodiscard]] std::array<std::int64_t, 3> guard_cells(int max_kernel_size, int max_stride);
/// Returns the free cells per axis for a scene of this extent. The number is negative if the scene needs
/// more cells than the axis has.
[[nodiscard]] std::array<std::int64_t, 3> free_cells(std::array<std::int64_t, 3> extent, PackSpec pack);

/// The grid and packing to check, and the kernel size and stride of the network.
struct FitQuestion {
  Grid grid;
  PackSpec pack;
  int max_kernel_size = 3, max_stride = 1;
};

struct Misfit {
  FitQuestion of;
  std::array<std::int64_t, 3> extent{};  ///< Cells from 0 after the shift.
  std::int64_t voxels_past = 0;          ///< Voxels that leave their bit field or match other voxels.
  /// A voxel does not fit if it lies at or beyond this coordinate on at least one axis, in metres.
  Point past_from_m{};
  std::optional<FittingCrop> crop;
  /// Smallest voxel size that fits, in metres, rounded up to two digits. The axes keep their proportions.
  /// Empty if none was found.
  std::optional<std::array<double, 3>> voxel_m;
  bool fits_64_bits = false;
};
/// Describes why the scene does not fit the packing, and which changes make it fit. Returns an empty
/// optional if the scene fits. O(n log n) in the number of points.
[[nodiscard]] std::optional<Misfit> misfit_of(const PointCloud& cloud, const FitQuestion& question, Job& job);

}  // namespace spira

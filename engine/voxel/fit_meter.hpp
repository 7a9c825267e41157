// Explains why a scene does not fit a packing: the bits and guard cells of each axis, the number of voxels
// that do not fit, and the changes with which the scene would fit.
#pragma once

#include "engine/voxel/fit.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace spira {

/// Returns, for each axis, how many cells of the packing the scene leaves unused. A number is negative if the
/// scene does not fit on this axis.
[[nodiscard]] std::array<std::int64_t, 3> free_cells(std::array<std::int64_t, 3> extent, PackSpec pack);

struct FitQuestion {
  Grid grid;
  PackSpec pack;
  PackNeeds needs{3, 1};
};

struct Misfit {
  FitQuestion of;
  LengthUnit unit = LengthUnit::metres;  ///< Unit of the scene.
  /// Number of cells from coordinate 0 to the highest voxel, after the shift.
  std::array<std::int64_t, 3> extent{};
  /// Number of voxels that are outside their bit field or can match wrong voxels.
  std::int64_t voxels_past = 0;
  /// A voxel does not fit if, on at least one axis, its position in metres is at or above this value.
  Point past_from_m{};
  std::optional<FittingCrop> crop;
  /// The smallest voxel size that fits, in metres, rounded up to two digits. The ratios between the voxel
  /// sizes of the three axes do not change. Empty if no size was found.
  std::optional<std::array<double, 3>> voxel_m;
  /// A 32-bit packing that fits, or a 64-bit packing if no 32-bit packing fits. Empty if no packing fits.
  std::optional<PackSpec> pack;
};
/// Describes why the scene does not fit the packing, and the changes with which it would fit. Returns an
/// empty optional if it fits. O(n log n) in the number of points.
[[nodiscard]] std::optional<Misfit> misfit_of(const PointCloud& cloud, const FitQuestion& question, Job& job);

}  // namespace spira

// Converts points to voxels: computes floor(p / g) per axis in double precision, then shifts the indices by
// whole voxels so that they are not negative.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Extents;

struct Grid {
  std::array<double, 3> voxel_m{0.1, 0.1, 0.1};
  std::optional<Bounds>
      crop_m{};  ///< Points outside the crop are ignored. The box is half-open: [low, high).

  [[nodiscard]] bool keeps(const Point& p) const noexcept { return !crop_m || inside(*crop_m, p); }
};
/// Returns the smallest box of whole voxels that contains `extents`. Crops are half-open, so the high end of
/// the box is above the highest coordinate.
[[nodiscard]] Bounds on_whole_voxels(const Bounds& extents, const Grid& grid);
/// Returns the number of points inside a crop.
[[nodiscard]] std::int64_t count_inside(const PointCloud& cloud, const Bounds& crop_m, Job& job);
/// Parses voxel sizes in metres, such as "0.05" or "0.05,0.05,0.1". Throws `Error(usage)` unless each size is
/// finite and above 0.
[[nodiscard]] Grid parse_grid(std::string_view text);
/// Parses a crop from six numbers in metres, the low corner and then the high corner: "-20,-20,-3,20,20,1".
/// Throws `Error(usage)` if a value is not a number, or if a high end is not above its low end.
[[nodiscard]] Bounds parse_crop(std::string_view text);
[[nodiscard]] std::string crop_text(
    const Bounds& crop_m);  ///< Returns a text from which parse_crop() returns the same box.
/// Returns a text such as "0.05" if all axes have the same size, otherwise "0.05,0.05,0.1". parse_grid()
/// accepts both forms.
[[nodiscard]] std::string grid_text(const std::array<double, 3>& voxel_m);
/// Returns the number of decimals for lengths and coordinates in metres. The last decimal shows a tenth of a
/// voxel or less: 3 decimals for 0.05 m.
[[nodiscard]] int metre_decimals(double voxel_m);

/// The range of the voxel indices floor(p / g) of all points inside the crop. Both ends are inclusive.
/// Indices have 64 bits.
struct VoxelRange {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{-1, -1, -1};
  std::int64_t points = 0;  ///< Number of points inside the crop.

  /// Returns the number of cells of the scene on each axis: high - low + 1. Returns zeros for an empty scene.
  [[nodiscard]] std::array<std::int64_t, 3> span() const;
  /// Returns the shift, which is subtracted from voxel indices: `low` rounded down to a multiple of
  /// `coarsest_stride`. Every level of the shifted scene then has the same voxels as without the shift (trap
  /// 2 in docs/architecture.md).
  [[nodiscard]] std::array<std::int64_t, 3> shift(int coarsest_stride) const;
  /// Returns the number of cells on each axis, counted from 0 after the shift: high - shift + 1. A packing
  /// must hold this extent.
  [[nodiscard]] std::array<std::int64_t, 3> extent(int coarsest_stride) const;
};
[[nodiscard]] VoxelRange voxel_range(const PointCloud& cloud, const Grid& grid, Job& job);

/// Returns notes for the user, one line each. They report outliers, coordinates that are stored in steps
/// larger than a voxel, points on voxel boundaries, and input features beyond the range of fp16. `extents`
/// must be the extents of the points inside the crop of the grid.
[[nodiscard]] std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid,
                                                  const Extents& extents);

/// Returns a voxel size that suits the points inside `crop`, together with this crop. Typical sizes are 0.05
/// m for LiDAR and 0.02 m for rooms. Outliers are ignored. The size is 1, 2 or 5 times a power of ten. It is
/// selected so that:
/// - the extents fit the 12/12/8 packing;
/// - there are about half as many occupied voxels as points, because most voxels of a finer grid would have
///   no neighbours;
/// - the scene is at least 64 cells wide, or fewer if only larger voxels have neighbours (regular grid of
///   points).
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

/// Returns the number of voxels. It is exact for at most 100,000 points, and accurate to a few percent for
/// more than 100,000 voxels. For larger clouds, counts only the voxels in one of 32 hash classes and
/// multiplies by 32.
[[nodiscard]] std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira

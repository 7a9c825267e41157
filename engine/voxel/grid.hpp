// Converts points to voxels: floor(p / g) per axis in double precision, then a shift by whole voxels to
// non-negative indices.
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
      crop_m{};  ///< Points outside of the crop are ignored. The box is half-open: [low, high).

  [[nodiscard]] bool keeps(const Point& p) const noexcept { return !crop_m || inside(*crop_m, p); }
};
/// Returns the smallest box of whole voxels that contains `extents`. Its high end lies above the highest
/// coordinate because crops are half-open.
[[nodiscard]] Bounds on_whole_voxels(const Bounds& extents, const Grid& grid);
/// Returns the number of points that a crop would keep.
[[nodiscard]] std::int64_t count_inside(const PointCloud& cloud, const Bounds& crop_m, Job& job);
/// Parses voxel sizes in metres, such as "0.05" or "0.05,0.05,0.1". Throws `Error(usage)` unless each size is
/// finite and above 0.
[[nodiscard]] Grid parse_grid(std::string_view text);
/// Parses six numbers in metres, the low corner and then the high corner: "-20,-20,-3,20,20,1". Throws
/// `Error(usage)` if one is not a number or if a high end is not above its low end.
[[nodiscard]] Bounds parse_crop(std::string_view text);
[[nodiscard]] std::string crop_text(
    const Bounds& crop_m);  ///< Returns a text from which parse_crop() returns the same box.
/// Returns "0.05" if all axes have the same size, else "0.05,0.05,0.1". parse_grid() reads both.
[[nodiscard]] std::string grid_text(const std::array<double, 3>& voxel_m);
/// Returns the number of decimals that show a tenth of a voxel in lengths and coordinates in metres: 3 for
/// 0.05 m.
[[nodiscard]] int metre_decimals(double voxel_m);

/// Inclusive range of the voxel indices floor(p / g) of all points inside the crop, in 64 bits.
struct VoxelRange {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{-1, -1, -1};
  std::int64_t points = 0;  ///< Number of points that the crop keeps.

  /// Returns the number of cells that the scene spans on each axis: high - low + 1. Returns zeros for an
  /// empty scene.
  [[nodiscard]] std::array<std::int64_t, 3> span() const;
  /// Returns the shift that is subtracted from voxel indices: `low` rounded down to a multiple of
  /// `coarsest_stride`. Every level then equals the same level of the unshifted scene (trap 2).
  [[nodiscard]] std::array<std::int64_t, 3> shift(int coarsest_stride) const;
  /// Returns the number of cells on each axis, counted from 0 after the shift: high - shift + 1. A packing
  /// must hold this extent.
  [[nodiscard]] std::array<std::int64_t, 3> extent(int coarsest_stride) const;
};
[[nodiscard]] VoxelRange voxel_range(const PointCloud& cloud, const Grid& grid, Job& job);

/// Returns notes of one line each. They report outliers, coordinates that are stored in steps larger than a
/// voxel, points on voxel boundaries, and input features beyond the range of fp16. `extents` must be the
/// extents of the points inside the crop of the grid.
[[nodiscard]] std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid,
                                                  const Extents& extents);

/// Returns a voxel size that suits the points inside `crop`, together with this crop. Typical sizes are 0.05
/// m for LiDAR and 0.02 m for rooms. Outliers are ignored. The size is 1, 2 or 5 times a power of ten. The
/// size is chosen so that:
/// - the extents fit the 12/12/8 packing;
/// - there are about half as many occupied voxels as points, because most voxels would have no neighbours in
///   a finer grid;
/// - at least 64 cells lie across the scene, or fewer if only larger voxels have neighbours (regular grid of
///   points).
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

/// Returns the number of voxels: exact for at most 100,000 points, within a few percent for more than 100,000
/// voxels. For larger clouds, counts only the voxels in one of 32 hash classes and multiplies by 32.
[[nodiscard]] std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira

// Converts points to voxels: computes floor(p / g) on each axis in double precision, then subtracts a shift
// of whole voxels so that no index is negative.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/level_rule.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "engine/voxel/positions.hpp"

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
  std::optional<Bounds> crop_m{};  ///< Points outside this box are ignored. It is half-open: [low, high).
  PositionKind positions = PositionKind::nearest;  ///< The positions that native layers read.

  [[nodiscard]] bool keeps(const Point& p) const noexcept { return !crop_m || inside(*crop_m, p); }
};
/// Returns the smallest box of whole voxels that contains `extents`. Boxes are half-open, so its high corner
/// is above the highest coordinate.
[[nodiscard]] Bounds on_whole_voxels(const Bounds& extents, const Grid& grid);
[[nodiscard]] std::int64_t count_inside(const PointCloud& cloud, const Bounds& crop_m, Job& job);
/// Parses voxel sizes in metres, such as "0.05" or "0.05,0.05,0.1". Throws `Error(usage)` unless each size is
/// finite and greater than 0.
[[nodiscard]] Grid parse_grid(std::string_view text);
/// Parses a crop from six numbers in metres, first the low corner and then the high corner, such as
/// "-20,-20,-3,20,20,1". Throws `Error(usage)` if a value is not a number, or if a high value is not greater
/// than its low value.
[[nodiscard]] Bounds parse_crop(std::string_view text);
[[nodiscard]] std::string crop_text(
    const Bounds& crop_m);  ///< Returns the box in the form that parse_crop() reads.
/// Returns the voxel size as text for parse_grid(): "0.05" if all axes have the same size, otherwise one size
/// per axis, for example "0.05,0.05,0.1".
[[nodiscard]] std::string grid_text(const std::array<double, 3>& voxel_m);
/// Returns a number of voxels with their size, such as "2,048 voxels of 0.05 m". Leaves out the size if each
/// voxel is a cell of a voxel file, because its size is not known.
[[nodiscard]] std::string voxels_text(std::int64_t voxels, const std::array<double, 3>& voxel_m,
                                      LengthUnit unit);
/// Returns how many decimals to show for lengths and coordinates in metres. The last decimal is a tenth of a
/// voxel or less, for example 3 decimals for voxels of 0.05 m.
[[nodiscard]] int metre_decimals(double voxel_m);

/// The range of the voxel indices floor(p / g) of all points inside the crop, as 64-bit numbers. Both ends
/// are inclusive.
struct VoxelRange {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{-1, -1, -1};
  std::int64_t points = 0;  ///< Number of points inside the crop.

  /// Returns the number of cells of the scene on each axis, high - low + 1. Returns zeros for an empty scene.
  [[nodiscard]] std::array<std::int64_t, 3> span() const;
  /// Returns the shift that is subtracted from voxel indices: the lowest coordinate of all levels, rounded
  /// down to a multiple of the coarsest stride. A multiple is necessary so that every level contains the same
  /// voxels as without the shift (trap 2 in docs/architecture.md).
  [[nodiscard]] std::array<std::int64_t, 3> shift(const LevelReach& levels) const;
  /// Returns the number of cells on each axis from 0 to the highest coordinate of all levels, after the
  /// shift. The packing must hold this extent.
  [[nodiscard]] std::array<std::int64_t, 3> extent(const LevelReach& levels) const;
};
[[nodiscard]] VoxelRange voxel_range(const PointCloud& cloud, const Grid& grid, Job& job);

/// Returns notes for the user, one line each: about outliers, coordinates that are stored in steps larger
/// than a voxel, points on voxel boundaries, and input features beyond the range of fp16. `extents` must be
/// the extents of the points inside the crop of the grid.
[[nodiscard]] std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid,
                                                  const Extents& extents);

/// Returns a grid with the crop `crop` and a voxel size that suits the points inside it. Typical sizes are
/// 0.05 m for lidar scans and 0.02 m for rooms. Outliers are ignored. The size is 1, 2 or 5 times a power of
/// ten and has these properties:
/// - the extents fit the 12/12/8 packing;
/// - there are about half as many occupied voxels as points, because in a finer grid most voxels would have
///   no neighbours;
/// - the scene is at least 64 cells wide, or fewer if voxels have neighbours only at larger sizes, as in a
///   regular grid of points.
[[nodiscard]] Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop = {});

/// Returns the number of voxels of a cloud. The number is exact for up to 100,000 points. For larger clouds,
/// only the voxels in one of 32 hash classes are counted, and their number is multiplied by 32. The result is
/// accurate to a few percent if there are more than 100,000 voxels.
[[nodiscard]] std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira

// From points to voxels: floor((p) / g) per axis in double precision, and the whole-voxel shift to
// non-negative.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spira {

struct Grid {
  std::array<double, 3> voxel_m{0.1, 0.1, 0.1};
  std::optional<Bounds> crop_m{};  ///< points outside are left out; half-open [low, high)

  [[nodiscard]] bool keeps(const Point& p) const noexcept { return !crop_m || inside(*crop_m, p); }
};
/// The box of whole voxels around these coordinates; its high end is above them, because crops are half-open.
[[nodiscard]] Bounds on_whole_voxels(const Bounds& extents, const Grid& grid);
/// Points of the cloud that a crop would keep.
[[nodiscard]] std::int64_t count_inside(const PointCloud& cloud, const Bounds& crop_m, Job& job);
/// "0.05" or "0.05,0.05,0.1" metres, each finite and > 0. Throws Error(usage).
[[nodiscard]] Grid parse_grid(std::string_view text);
/// Six numbers in metres, low corner then high corner: "-20,-20,-3,20,20,1". Throws Error(usage) where one is
/// no number or a high one is not above its low one.
[[nodiscard]] Bounds parse_crop(std::string_view text);
[[nodiscard]] std::string crop_text(const Bounds& crop_m);  ///< as parse_crop reads it, exactly
/// "0.05" where all axes are alike, else "0.05,0.05,0.1": as parse_grid reads it.
[[nodiscard]] std::string grid_text(const std::array<double, 3>& voxel_m);
/// Decimals of metres that tell tenths of a voxel apart, for lengths and coordinates beside it: 3 for 0.05 m.
[[nodiscard]] int metre_decimals(double voxel_m);

/// Inclusive range of floor(p / g) over the points kept. 64-bit: nothing is cut off here.
struct VoxelRange {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{-1, -1, -1};
  std::int64_t points = 0;  ///< kept by the crop

  /// Cells per axis that the scene spans: high - low + 1; zeros without points.
  [[nodiscard]] std::array<std::int64_t, 3> span() const;
  /// The shift that is subtracted from voxel indices: `low` floored to a multiple of `coarsest_stride`, so
  /// that every level equals that of the unshifted scene (trap 2).
  [[nodiscard]] std::array<std::int64_t, 3> shift(int coarsest_stride) const;
  /// Cells per axis counted from 0 after that shift: high - shift + 1. This is what has to fit.
  [[nodiscard]] std::array<std::int64_t, 3> extent(int coarsest_stride) const;
};
[[nodiscard]] VoxelRange voxel_range(const PointCloud& cloud, const Grid& grid, Job& job);

}  // namespace spira

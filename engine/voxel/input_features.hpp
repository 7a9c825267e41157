// Computes the values of points whose means are the input features of a network. Also repeats the
// voxelisation of other libraries.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

enum class PointValue : std::uint8_t {
  x,
  y,
  z,
  intensity,
  red,
  green,
  blue,
  label,
  count,  ///< Number of points in the voxel of the point.
  one     ///< 1 for each point.
};
/// Returns the name in network files: "x", "intensity", "r", "label", "one" ...
[[nodiscard]] std::string_view text_of(PointValue value) noexcept;

/// The coordinate frame of the values x, y and z.
enum class PointFrame : std::uint8_t {
  scene,  ///< Metres, as in the file.
  grid,   ///< Voxels of the grid, relative to the origin of the scene.
  voxel   ///< Metres, relative to the centre of the voxel.
};
[[nodiscard]] std::string_view text_of(PointFrame frame) noexcept;

/// One input feature of a network: the mean of value * scale + add over the points of a voxel.
struct InputFeature {
  PointValue value = PointValue::x;
  PointFrame frame = PointFrame::scene;
  double scale = 1, add = 0;
  bool operator==(const InputFeature&) const = default;
};

enum class CellRounding : std::uint8_t {
  floor,   ///< The cell is floor((p - low) / voxel).
  nearest  ///< The cell is the nearest whole number. Halves are rounded to even numbers.
};
[[nodiscard]] std::string_view text_of(CellRounding rounding) noexcept;

/// The method that computes one feature value of a voxel from the values of its points.
enum class VoxelReduction : std::uint8_t { mean, first, max };
[[nodiscard]] std::string_view text_of(VoxelReduction reduction) noexcept;

/// Describes how a library voxelises scans: "input.grid" of a network file.
struct InputGrid {
  std::array<double, 3> voxel_m{};  ///< Zeros if the file contains no voxel size.
  std::array<double, 3> low_m{};    ///< The low corner of cell 0.
  /// Points outside these cells are removed. Zeros if no limit exists.
  std::array<std::int64_t, 3> cells{};
  CellRounding rounding = CellRounding::floor;
  VoxelReduction reduction = VoxelReduction::mean;
  /// Maximum number of points of a voxel that are used, in file order. 0 means no limit.
  int most_points = 0;
  [[nodiscard]] bool has_voxel_size() const noexcept { return voxel_m != std::array<double, 3>{}; }
  [[nodiscard]] bool limited() const noexcept { return cells != std::array<std::int64_t, 3>{}; }
  bool operator==(const InputGrid&) const = default;
};

/// Returns the points of a scan as a library with this grid uses them. `input.voxel_m` must be set.
/// - Positions are relative to `low_m`, so floor(position / voxel_m) is the cell of the library. Cells are
///   computed in float32, as spconv and mmcv do. A point whose cell would differ in double precision is moved
///   to the centre of its voxel.
/// - Points outside `cells`, and points that `reduction` or `most_points` exclude, are removed. The notes of
///   the result contain the numbers of removed points.
/// - PointCloud::features of the result are computed from the original positions, as `features` describes. If
///   `features` is empty, they are x, y, z and intensity.
/// Throws `Error(input)` if the cloud lacks an attribute, or if no point is inside `cells`.
[[nodiscard]] std::shared_ptr<const PointCloud> on_input_grid(const PointCloud& cloud, const InputGrid& input,
                                                              std::span<const InputFeature> features,
                                                              Job& job);

/// Returns a cloud with the positions of `cloud` and the values that `features` describe, as
/// PointCloud::features. Throws `Error(input)` if the cloud lacks an attribute, such as the intensity or the
/// colours.
[[nodiscard]] std::shared_ptr<const PointCloud> with_input_features(const PointCloud& cloud, const Grid& grid,
                                                                    std::span<const InputFeature> features,
                                                                    Job& job);

}  // namespace spira

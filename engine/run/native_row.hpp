// Explains one output of a native layer: its position, its local cells, and how its inputs differ from those
// of the same layer with the neighbourhood voxels. Also finds the points in voxels.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace spira {

/// Returns true if the scene has the positions of the rows of this level.
[[nodiscard]] inline bool has_positions(const VoxelScene& scene, int stride) noexcept {
  return scene.positions.contains(stride);
}
/// Returns the position of a row in metres, in the coordinates of the scene. The scene must have positions of
/// this level.
[[nodiscard]] Point position_m(const VoxelScene& scene, int stride, std::int64_t row);

/// An input of an output of a native layer, or a row that would be an input with the neighbourhood voxels.
struct NativeInput {
  std::int32_t row = -1;  ///< The row in the level of the inputs.
  Point position_m{};
  int column = -1;        ///< The column in the native map. -1 if the row is not an input.
  int voxel_column = -1;  ///< The column in the map of voxels. -1 if the row is not an input there.
  bool folded = false;    ///< True if the row lies outside the K^3 local cells.

  enum class Change {
    same_column,
    other_column,
    lost,  ///< The row is an input with the neighbourhood voxels only.
    added  ///< The row is an input of the native layer only.
  };
  [[nodiscard]] Change change() const noexcept;
  bool operator==(const NativeInput&) const = default;
};

/// One output of a native layer. Lengths are in metres, per axis.
struct NativeRow {
  int kernel_size = 3;
  Point position_m{};  ///< The centre of the local cells and of the ball.
  Point cell_m{};      ///< The size of a local cell.
  /// The centre of the cells of the layer with the neighbourhood voxels: the centre of the voxel of the input
  /// level that contains the low corner of the voxel of the output.
  Point voxel_centre_m{};
  Point voxel_cell_m{};  ///< The size of a voxel of the input level.
  /// The half-axes of the ball. They differ if the voxels are not cubes. Empty if the neighbourhood is a
  /// cube.
  std::optional<Point> ball_m{};
  /// The inputs in the order of their columns and rows, then the lost rows in the order of their columns.
  std::vector<NativeInput> inputs;
};
/// Explains the output `row` of a native map. `stride_in` and `stride_out` are the levels of the map. Throws
/// `Error(usage)` if the scene was voxelised without positions of one of them.
[[nodiscard]] NativeRow native_row(const VoxelScene& scene, const KernelMap& map, int stride_in,
                                   int stride_out, std::int32_t row);

struct VoxelPoint {
  std::int32_t point = 0;  ///< The index in the cloud.
  std::int32_t row = 0;
  bool kept = false;  ///< True if the position of the row is the position of this point.
  bool operator==(const VoxelPoint&) const = default;
};
/// Returns the points in some voxels of a level, in the order of the cloud. `wanted` is true for the rows of
/// these voxels. Shape: [rows of the level]. The scene must have positions of this level. O(points of the
/// cloud).
[[nodiscard]] std::vector<VoxelPoint> points_of_voxels(const VoxelScene& scene, int stride,
                                                       const std::vector<bool>& wanted);

}  // namespace spira

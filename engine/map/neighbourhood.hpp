// Defines Neighbourhood, which determines the inputs of an output of a layer: voxels at the offsets of the
// kernel (Spira), or points near the exact position of the output (sections 3.2 and 3.3 of the PointCNN++
// paper).
#pragma once

#include "engine/voxel/level_rule.hpp"
#include "engine/voxel/positions.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace spira {

enum class NeighbourShape : std::uint8_t {
  voxels,  ///< The voxels at the offsets of the kernel. Positions of points have no effect.
  /// The points in the cube of K^3 local cells whose centre is the position of the output. The column is the
  /// cell of the point.
  cube,
  /// The points in a ball around the position of the output. The column is the local cell of the point.
  /// Points outside the K^3 cells are folded: they have the column of the nearest cell of the kernel.
  ball
};
[[nodiscard]] std::string_view text_of(
    NeighbourShape shape) noexcept;  ///< Returns "voxels", "cube" or "ball".

/// The largest Neighbourhood::window().
constexpr int most_window_cells = 16;
/// The largest stride of the levels of a native layer, because a field of a position word has 20 bits.
constexpr int most_native_stride = 16;

/// The neighbourhood of a layer. A layer with another shape than voxels is native: its inputs are found from
/// the exact positions of points, and one output can have several inputs in a column.
struct Neighbourhood {
  NeighbourShape shape = NeighbourShape::voxels;
  /// The edge of a local cell, in cells of the input level. Always 1 for voxels.
  int cell = 1;
  /// The radius of a ball in local cells. 0 means the radius of the ball with the volume of K^3 cells. Always
  /// 0 for other shapes.
  double radius = 0;

  [[nodiscard]] bool native() const noexcept { return shape != NeighbourShape::voxels; }
  /// Returns the radius of a ball in local cells, for a kernel of K^3 cells.
  [[nodiscard]] double radius_of(int kernel_size) const noexcept;
  /// Returns how many cells of the input level, on each side of the cell of an output, can contain its
  /// inputs. Must be native. If all positions are on the grid, distances are whole numbers of cells, so a
  /// smaller window is enough.
  [[nodiscard]] int window(int kernel_size, PositionKind positions = PositionKind::nearest) const noexcept;
  auto operator<=>(const Neighbourhood&) const = default;
};
/// Returns "voxels", "cube", "ball", or for example "ball, cell 3, radius 1.5". The default cell and radius
/// are omitted.
[[nodiscard]] std::string text_of(const Neighbourhood& neighbourhood);
/// Returns the reason why a convolution with this kernel size cannot have the neighbourhood, and the remedy.
/// Returns an empty string if it can.
[[nodiscard]] std::string why_not(const Neighbourhood& neighbourhood, const PerAxis& kernel_size);

/// The integers that decide which points are inputs of an output, and in which column. Every back end uses
/// the same numbers, so all find the same triplets (trap 6 of native layers in docs/architecture.md). A
/// difference d is P_j - P_i, the position of the input minus the position of the output, in position units
/// (position_one per voxel).
struct NeighbourTest {
  int half = 1;    ///< (K - 1) / 2.
  int window = 2;  ///< Neighbourhood::window().
  /// thresholds[m] is the smallest |d| on an axis that is rounded to m + 1 cells or more. Halves are rounded
  /// to the nearest even number. thresholds[half] is the smallest |d| outside the kernel.
  std::int32_t thresholds[4]{};  // NOLINT(*-avoid-c-arrays): device code reads it.
  /// The largest d.d inside a ball, floor((R u)^2). Negative for a cube.
  std::int64_t most_squared = -1;

  /// `stride` is the stride of the inputs, which is equal on all axes. `neighbourhood` must be native.
  NeighbourTest(const Neighbourhood& neighbourhood, int kernel_size, int stride,
                PositionKind positions = PositionKind::nearest) noexcept;

  /// Returns the index of the cell of |d|, from 0 to `half`. Differences outside the kernel have the index
  /// `half`.
  [[nodiscard]] constexpr int cells(std::int32_t distance) const noexcept {
    int sum = 0;
    for (int m = 0; m < half; ++m)
      sum += distance >= thresholds[m] ? 1 : 0;
    return sum;
  }
  /// Returns the column of an input, or -1 if it is not in the neighbourhood.
  [[nodiscard]] constexpr int column(std::int32_t dx, std::int32_t dy, std::int32_t dz) const noexcept {
    if (most_squared < 0 ? outside(dx, dy, dz) : squared(dx, dy, dz) > most_squared) return -1;
    const int size = (2 * half) + 1;
    return (((index_of(dx) * size) + index_of(dy)) * size) + index_of(dz);
  }
  /// Returns true if no input whose smallest possible distances on the axes x and y are these can be in the
  /// neighbourhood. The distances must not be negative.
  [[nodiscard]] constexpr bool too_far(std::int32_t dx, std::int32_t dy) const noexcept {
    return most_squared < 0 ? outside(dx, dy, 0) : squared(dx, dy, 0) > most_squared;
  }
  /// Returns true if an input lies outside the K^3 cells. Such an input of a ball is folded.
  [[nodiscard]] constexpr bool outside(std::int32_t dx, std::int32_t dy, std::int32_t dz) const noexcept {
    const std::int32_t beyond = thresholds[half];
    return magnitude(dx) >= beyond || magnitude(dy) >= beyond || magnitude(dz) >= beyond;
  }

 private:
  [[nodiscard]] static constexpr std::int32_t magnitude(std::int32_t d) noexcept { return d < 0 ? -d : d; }
  [[nodiscard]] constexpr int index_of(std::int32_t d) const noexcept {
    return d < 0 ? half - cells(-d) : half + cells(d);
  }
  [[nodiscard]] static constexpr std::int64_t squared(std::int64_t dx, std::int64_t dy,
                                                      std::int64_t dz) noexcept {
    return (dx * dx) + (dy * dy) + (dz * dz);
  }
};

}  // namespace spira

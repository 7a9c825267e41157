#include "engine/map/neighbourhood.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spira {

std::string_view text_of(NeighbourShape shape) noexcept {
  return shape == NeighbourShape::voxels ? "voxels" : shape == NeighbourShape::cube ? "cube" : "ball";
}

double Neighbourhood::radius_of(int kernel_size) const noexcept {
  if (radius > 0) return radius;
  const double size = kernel_size;
  return std::cbrt(3 * size * size * size / (4 * std::numbers::pi));
}

int Neighbourhood::window(int kernel_size, PositionKind positions) const noexcept {
  const double reach = (shape == NeighbourShape::ball ? radius_of(kernel_size) : kernel_size / 2.0) * cell;
  // A larger number has no meaning, and a radius can exceed the range of int.
  const double limited = std::min(reach, most_window_cells + 1.0);
  return static_cast<int>(positions == PositionKind::grid ? std::floor(limited) : std::ceil(limited));
}

std::string text_of(const Neighbourhood& neighbourhood) {
  std::string text(text_of(neighbourhood.shape));
  if (neighbourhood.cell != 1) text += ", cell " + std::to_string(neighbourhood.cell);
  if (neighbourhood.radius != 0) text += ", radius " + shortest(neighbourhood.radius);
  return text;
}

std::string why_not(const Neighbourhood& neighbourhood, const PerAxis& kernel_size) {
  const std::string shape = "'" + std::string(text_of(neighbourhood.shape)) + "'";
  if (!neighbourhood.native()) {
    if (neighbourhood.cell != 1) return "cell: only a cube or a ball has cells; remove it or set neighbours";
    return neighbourhood.radius == 0
               ? ""
               : "radius: only a ball has a radius; remove it or set neighbours to ball";
  }
  if (!kernel_size.equal() || kernel_size[0] % 2 == 0 || kernel_size[0] < 3)
    return "neighbours: " + shape + " needs a kernel of size 3, 5 or 7, but this one has the size " +
           text_of(kernel_size) + "; use 'voxels' for this layer";
  if (neighbourhood.shape == NeighbourShape::cube && neighbourhood.radius != 0)
    return "radius: a cube has none; remove it or set neighbours to ball";
  // 0 means the radius of the ball with the volume of the kernel.
  constexpr double smallest_radius = 1e-6;
  if (neighbourhood.radius != 0 &&
      (std::isnan(neighbourhood.radius) || neighbourhood.radius < smallest_radius))
    return "radius: must be at least 0.000001; remove it for a ball with the volume of the kernel";
  if (neighbourhood.cell < 1 || neighbourhood.cell > most_window_cells)
    return "cell: " + std::to_string(neighbourhood.cell) + " is not in the range 1 to " +
           std::to_string(most_window_cells);
  if (neighbourhood.window(kernel_size[0]) > most_window_cells) {
    const bool ball = neighbourhood.shape == NeighbourShape::ball;
    return std::string(ball ? "radius: " : "cell: ") + "the neighbours would be more than " +
           std::to_string(most_window_cells) + " cells away from an output; use a smaller " +
           (ball && neighbourhood.radius > 0 ? "radius" : "cell");
  }
  return {};
}

NeighbourTest::NeighbourTest(const Neighbourhood& neighbourhood, int kernel_size, int stride,
                             PositionKind positions) noexcept
    : half((kernel_size - 1) / 2), window(neighbourhood.window(kernel_size, positions)) {
  const std::int64_t edge = std::int64_t{neighbourhood.cell} * stride * position_one;
  for (int m = 0; m <= half; ++m) {
    // The difference (m + 1/2) * edge is exactly between m and m + 1 cells. It belongs to the even one of the
    // two.
    const std::int64_t between = ((2 * m) + 1) * edge / 2;
    thresholds[m] = static_cast<std::int32_t>(between + (m % 2 == 0 ? 1 : 0));
  }
  if (neighbourhood.shape != NeighbourShape::ball) return;
  const double radius = neighbourhood.radius_of(kernel_size) * static_cast<double>(edge);
  most_squared = static_cast<std::int64_t>(std::floor(radius * radius));
}

}  // namespace spira

// Defines Area, the part of a scene that a bird's-eye view shows. The view divides the ground into square
// cells; z only selects points.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace spira {

/// A rectangle of cells on the ground and a range of z. Cell (x, y) of the area contains the points p with
/// floor(p / cell_m) - first = (x, y), computed in double precision.
struct Area {
  double cell_m = 0.1;  ///< Edge of a cell.
  std::array<std::int64_t, 2>
      first{};  ///< The lowest cell of the area, in cells from the origin of the scene.
  std::array<std::int64_t, 2> cells{};   ///< Number of cells along x and along y.
  std::array<double, 2> z_m{-3.0, 1.0};  ///< Range of z, [low, high). The input image and masks depend on it.

  /// Return the number of cells of the image at a stride, along x and along y. The stride must divide
  /// `cells`.
  [[nodiscard]] std::int64_t rows(int stride = 1) const noexcept { return cells[0] / stride; }
  [[nodiscard]] std::int64_t columns(int stride = 1) const noexcept { return cells[1] / stride; }
  /// Returns the number of rows of the features of an image: every cell has one. Cell (x, y) has the row
  /// x * columns(stride) + y.
  [[nodiscard]] std::int64_t size(int stride = 1) const noexcept { return rows(stride) * columns(stride); }
  /// Returns the row of the cell of a point at stride 1, or -1 if the point is outside the rectangle. Ignores
  /// z.
  [[nodiscard]] std::int64_t row_of(const Point& p) const noexcept;
  /// Returns true if the point is in the range of z.
  [[nodiscard]] bool has_height(const Point& p) const noexcept { return p[2] >= z_m[0] && p[2] < z_m[1]; }
  bool operator==(const Area&) const = default;
};

struct AreaRequest {
  double cell_m = 0.1;
  std::optional<Bounds> crop_m{};  ///< x and y of the box limit the area. Its z is not used.
  std::array<double, 2> z_m{-3.0, 1.0};
  int coarsest_stride =
      16;  ///< The coarsest stride of the network. The sizes of the area are multiples of it.
};
/// Returns the smallest area that contains the crop. Without a crop, it contains all points that are neither
/// outliers nor outside the range of z. Throws `Error(input)` if there are no such points, and `Error(usage)`
/// if the area would have more than 2^31 cells; the message names a cell size that fits.
[[nodiscard]] Area area_of(const PointCloud& cloud, const AreaRequest& request);
/// Returns the note "enlarged from ... to ... cells, multiples of the stride 16". Returns an
/// empty string if the sizes were multiples already.
[[nodiscard]] std::string enlargement_note(const PointCloud& cloud, const AreaRequest& request);
/// Returns the size and the position, such as "704 x 800 cells of 0.1 m, x 0 to 70.4, y -40 to 40 m".
[[nodiscard]] std::string text_of(const Area& area);
/// Parses a range such as "-3,1". Throws `Error(usage)` unless the second number is larger.
[[nodiscard]] std::array<double, 2> parse_z_range(const std::string& text);

}  // namespace spira

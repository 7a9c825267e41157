#include "engine/bev/area.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace spira {
namespace {

constexpr std::int64_t max_area_cells = std::int64_t{1} << 31U;

/// Returns the cell that begins at a limit. A limit such as -70.4 is a whole number of cells of 0.1 m,
/// although the quotient is slightly different in floating point.
double cell_at(double limit_m, double cell_m, double (*round)(double)) {
  constexpr double tolerance = 1e-6;
  const double cells = limit_m / cell_m, nearest = std::round(cells);
  return std::abs(cells - nearest) < tolerance ? nearest : round(cells);
}

/// Returns the box of the points that the area must contain.
Bounds wanted_box(const PointCloud& cloud, const AreaRequest& request) {
  if (request.crop_m) return *request.crop_m;
  constexpr double far = std::numeric_limits<double>::max();
  const Bounds heights{{-far, -far, request.z_m[0]}, {far, far, request.z_m[1]}};
  const Extents extents = extents_of(cloud, heights);
  if (extents.points == 0)
    throw Error(ErrorKind::input, cloud.name + ": no points between z = " + shortest(request.z_m[0]) +
                                      " and " + shortest(request.z_m[1]) + " m; use --z LOW,HIGH or --crop");
  // The box contains its points, so the cell of the highest point belongs to the area.
  Bounds box = extents.box;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
    box.high.at(axis) = (std::floor(box.high.at(axis) / request.cell_m) + 1) * request.cell_m;
  return box;
}

/// Returns the area before its sizes become multiples of the stride, as numbers of cells.
std::pair<std::array<double, 2>, std::array<double, 2>> cells_of(const Bounds& box, double cell_m) {
  std::array<double, 2> first{}, size{};
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    first.at(axis) = cell_at(box.low.at(axis), cell_m, std::floor);
    size.at(axis) = std::max(1.0, cell_at(box.high.at(axis), cell_m, std::ceil) - first.at(axis));
  }
  return {first, size};
}

std::int64_t enlarged(std::int64_t cells, int stride) {
  return (cells + stride - 1) / stride * stride;
}

}  // namespace

std::int64_t Area::row_of(const Point& p) const noexcept {
  const double x = std::floor(p[0] / cell_m) - static_cast<double>(first[0]);
  const double y = std::floor(p[1] / cell_m) - static_cast<double>(first[1]);
  if (!(x >= 0 && x < static_cast<double>(cells[0]) && y >= 0 && y < static_cast<double>(cells[1])))
    return -1;
  return static_cast<std::int64_t>(x) * cells[1] + static_cast<std::int64_t>(y);
}

Area area_of(const PointCloud& cloud, const AreaRequest& request) {
  const Bounds box = wanted_box(cloud, request);
  const auto [first, size] = cells_of(box, request.cell_m);
  const double all = size[0] * size[1];
  if (!(all <= static_cast<double>(max_area_cells))) {
    const double fits = request.cell_m * std::sqrt(all / static_cast<double>(max_area_cells)) * 1.1;
    throw Error(ErrorKind::usage, "an area of " + shortest(size[0]) + " x " + shortest(size[1]) +
                                      " cells of " + shortest(request.cell_m) +
                                      " m has more than 2^31 cells; use --cell " + fixed(fits, 2) +
                                      " or --crop");
  }
  Area area;
  area.cell_m = request.cell_m;
  area.z_m = request.z_m;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    area.first.at(axis) = static_cast<std::int64_t>(first.at(axis));
    area.cells.at(axis) = enlarged(static_cast<std::int64_t>(size.at(axis)), request.coarsest_stride);
  }
  return area;
}

std::string enlargement_note(const PointCloud& cloud, const AreaRequest& request) {
  const auto [first, size] = cells_of(wanted_box(cloud, request), request.cell_m);
  const Area area = area_of(cloud, request);
  const auto x = static_cast<std::int64_t>(size[0]), y = static_cast<std::int64_t>(size[1]);
  if (area.cells[0] == x && area.cells[1] == y) return {};
  return "enlarged from " + count_text(x) + " x " + count_text(y) + " to " + count_text(area.cells[0]) +
         " x " + count_text(area.cells[1]) + " cells, multiples of the stride " +
         std::to_string(request.coarsest_stride);
}

std::string text_of(const Area& area) {
  constexpr int decimals = 2;
  const auto metres = [&](std::int64_t cell) {
    std::string text = fixed(static_cast<double>(cell) * area.cell_m, decimals);
    while (text.ends_with('0'))
      text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? std::string("0") : text;
  };
  return count_text(area.cells[0]) + " x " + count_text(area.cells[1]) + " cells of " +
         shortest(area.cell_m) + " m, x " + metres(area.first[0]) + " to " +
         metres(area.first[0] + area.cells[0]) + ", y " + metres(area.first[1]) + " to " +
         metres(area.first[1] + area.cells[1]) + " m";
}

std::array<double, 2> parse_z_range(const std::string& text) {
  const auto range = parse_range(text);
  if (!range || !((*range)[0] < (*range)[1]))
    throw Error(ErrorKind::usage, "z range '" + shortened(text) +
                                      "': expected two numbers in metres, low then high, such as -3,1");
  return *range;
}

}  // namespace spira

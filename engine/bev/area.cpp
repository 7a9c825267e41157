#include "engine/bev/area.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spira {
namespace {

constexpr double max_area_cells = 0x1p31, max_cell_number = 0x1p52;

/// A rectangle of cells before its sizes become multiples of the stride. The numbers are whole. They are not
/// integers, because an area with too many cells can exceed the range of 64-bit integers.
struct CellBox {
  std::array<double, 2> first{}, size{};
};

/// Returns the cell that begins at a limit. A limit such as -70.4 is a whole number of cells of 0.1 m,
/// although the quotient is slightly different in floating point.
double cell_at(double limit_m, double cell_m, double (*round)(double)) {
  constexpr double tolerance = 1e-6;
  const double cells = limit_m / cell_m, nearest = std::round(cells);
  return std::abs(cells - nearest) < tolerance ? nearest : round(cells);
}

/// Returns the box that the area must contain: the crop, or the box of the points.
Bounds wanted_box(const PointCloud& cloud, const AreaRequest& request) {
  if (request.crop_m) return *request.crop_m;
  constexpr double far = std::numeric_limits<double>::max();
  const Bounds heights{{-far, -far, request.z_m[0]}, {far, far, request.z_m[1]}};
  const Extents extents = extents_of(cloud, heights);
  if (extents.points == 0)
    throw Error(ErrorKind::input, cloud.name + ": no points between z = " + shortest(request.z_m[0]) +
                                      " and " + shortest(request.z_m[1]) + " m; use --z LOW,HIGH or --crop");
  return extents.box;
}

CellBox cells_of(const Bounds& box, double cell_m, bool of_points) {
  CellBox cells;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    double& first = cells.first.at(axis);
    double end = 0;
    if (of_points) {
      // Points have the cells of Area::row_of(), which does not round to whole cells.
      first = std::floor(box.low.at(axis) / cell_m);
      end = std::floor(box.high.at(axis) / cell_m) + 1;
    } else {
      first = cell_at(box.low.at(axis), cell_m, std::floor);
      end = cell_at(box.high.at(axis), cell_m, std::ceil);
    }
    cells.size.at(axis) = std::max(1.0, end - first);
  }
  return cells;
}

double enlarged(double cells, int stride) {
  return std::ceil(cells / stride) * stride;
}

bool has_too_many_cells(const CellBox& box, int stride) {
  return !(enlarged(box.size[0], stride) * enlarged(box.size[1], stride) <= max_area_cells);
}

void require_few_cells(const Bounds& box, const AreaRequest& request) {
  const bool of_points = !request.crop_m;
  const CellBox cells = cells_of(box, request.cell_m, of_points);
  if (!has_too_many_cells(cells, request.coarsest_stride)) return;
  double fits = request.cell_m;
  while (has_too_many_cells(cells_of(box, fits, of_points), request.coarsest_stride))
    fits *= 2;
  throw Error(ErrorKind::usage, "an area of " + shortest(cells.size[0]) + " x " + shortest(cells.size[1]) +
                                    " cells of " + shortest(request.cell_m) +
                                    " m has more than 2^31 cells; use cells of " + shortest(fits) +
                                    " m or --crop");
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
  require_few_cells(box, request);
  const CellBox cells = cells_of(box, request.cell_m, !request.crop_m);
  Area area;
  area.cell_m = request.cell_m;
  area.z_m = request.z_m;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const double first = cells.first.at(axis);
    if (!(std::abs(first) <= max_cell_number))
      throw Error(ErrorKind::usage, "the area begins " + shortest(std::abs(first)) + " cells of " +
                                        shortest(request.cell_m) +
                                        " m from the origin, where cells have no exact numbers; use larger "
                                        "cells or another --crop");
    area.first.at(axis) = static_cast<std::int64_t>(first);
    area.cells.at(axis) = static_cast<std::int64_t>(enlarged(cells.size.at(axis), request.coarsest_stride));
  }
  return area;
}

std::string enlargement_note(const PointCloud& cloud, const AreaRequest& request) {
  const CellBox cells = cells_of(wanted_box(cloud, request), request.cell_m, !request.crop_m);
  const Area area = area_of(cloud, request);
  const auto x = static_cast<std::int64_t>(cells.size[0]), y = static_cast<std::int64_t>(cells.size[1]);
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

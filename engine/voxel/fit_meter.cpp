#include "engine/voxel/fit_meter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spira {
namespace {

using Cell = std::array<std::int64_t, 3>;

constexpr std::int64_t points_per_checkpoint = 65'536;

Cell cell_of(const Point& p, const Grid& grid) {
  Cell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    cell.at(axis) = static_cast<std::int64_t>(std::floor(p.at(axis) / grid.voxel_m.at(axis)));
  return cell;
}

/// Returns the number of occupied cells that are at or above `end` on at least one axis.
std::int64_t cells_past(const PointCloud& cloud, const Grid& grid, const Cell& end, Job& job) {
  std::vector<Cell> past;
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % points_per_checkpoint == 0) job.checkpoint({"finding voxels that do not fit", at, cloud.size()});
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (!grid.keeps(p)) continue;
    const Cell cell = cell_of(p, grid);
    if (cell[0] >= end[0] || cell[1] >= end[1] || cell[2] >= end[2]) past.push_back(cell);
  }
  std::sort(past.begin(), past.end());
  return std::unique(past.begin(), past.end()) - past.begin();
}

/// Returns the bounding box of the points inside the crop of the grid. The high ends are inclusive.
Bounds kept_bounds(const PointCloud& cloud, const Grid& grid) {
  Bounds box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (const Point& p : cloud.positions) {
    if (!grid.keeps(p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low.at(axis) = std::min(box.low.at(axis), p.at(axis));
      box.high.at(axis) = std::max(box.high.at(axis), p.at(axis));
    }
  }
  return box;
}

bool fits_at(const Bounds& box, const std::array<double, 3>& voxel_m, const FitQuestion& question) {
  VoxelRange range;
  const Grid grid{voxel_m, {}};
  range.low = cell_of(box.low, grid);
  range.high = cell_of(box.high, grid);
  return fit(range.extent(question.needs.levels), question.pack, question.needs).fits();
}

std::optional<std::array<double, 3>> voxel_that_fits(const Bounds& box, const Misfit& misfit) {
  const FitQuestion& question = misfit.of;
  const Fit now = fit(misfit.extent, question.pack, question.needs);
  double factor = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t limit = now.axes.at(axis).limit;
    if (limit <= 0) return std::nullopt;
    // If voxels were smaller than this, the scene would span more than `limit` cells.
    const double least = (box.high.at(axis) - box.low.at(axis)) / static_cast<double>(limit);
    factor = std::max(factor, least / question.grid.voxel_m.at(axis));
  }
  const double first = question.grid.voxel_m[0] * factor;
  int decade = static_cast<int>(std::floor(std::log10(first))) - 1;
  auto digits = static_cast<int>(std::ceil((first / std::pow(10.0, decade)) - 1e-9));
  constexpr int max_tries = 200;  // Enough tries for more than two decades with 90 sizes each.
  for (int tried = 0; tried < max_tries; ++tried, ++digits) {
    if (digits >= 100) {
      digits = 10;
      ++decade;
    }
    // Dividing by an exact power of ten gives the same number as a typed text such as "0.12".
    const double size = decade < 0 ? digits / std::pow(10.0, -decade) : digits * std::pow(10.0, decade);
    if (size <= question.grid.voxel_m[0]) continue;
    std::array<double, 3> voxel_m{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      voxel_m.at(axis) = question.grid.voxel_m.at(axis) == question.grid.voxel_m[0]
                             ? size
                             : question.grid.voxel_m.at(axis) * (size / question.grid.voxel_m[0]);
    if (fits_at(box, voxel_m, question)) return voxel_m;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Misfit> misfit_of(const PointCloud& cloud, const FitQuestion& question, Job& job) {
  const VoxelRange range = voxel_range(cloud, question.grid, job);
  if (range.points == 0) return std::nullopt;
  const auto extent = range.extent(question.needs.levels);
  const Fit whole = fit(extent, question.pack, question.needs);
  if (whole.fits()) return std::nullopt;
  Misfit misfit{question, cloud.unit(), extent, 0, {}, {}, {}, {}};
  const auto shift = range.shift(question.needs.levels);
  Cell end{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    end.at(axis) = shift.at(axis) + std::max<std::int64_t>(0, whole.axes.at(axis).limit);
    misfit.past_from_m.at(axis) = static_cast<double>(end.at(axis)) * question.grid.voxel_m.at(axis);
  }
  misfit.voxels_past = cells_past(cloud, question.grid, end, job);
  misfit.crop = crop_that_fits(cloud, question.grid, question.pack, question.needs, job);
  misfit.voxel_m = voxel_that_fits(kept_bounds(cloud, question.grid), misfit);
  const auto packs = packings_that_fit(extent, question.needs);
  if (!packs.empty()) misfit.pack = packs.front();
  return misfit;
}

}  // namespace spira

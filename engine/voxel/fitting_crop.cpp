
#include "engine/base/text.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spira {
namespace {

/// Returns the start of the window of `cells` cells that contains the most values of `sorted`. In a tie,
/// returns the lowest start.
std::int64_t fullest_window(const std::vector<std::int64_t>& sorted, std::int64_t cells) {
  std::int64_t best = sorted.front();
  std::size_t most = 0, end = 0;
  for (std::size_t begin = 0; begin < sorted.size(); ++begin) {
    while (end < sorted.size() && sorted[end] < sorted[begin] + cells)
      ++end;
    if (end - begin <= most) continue;
    most = end - begin;
    best = sorted[begin];
  }
  return best;
}

/// Returns a length with at least two significant digits, such as "25.4 m".
std::string length_text(double metres) {
  const int zeros = metres > 0 && metres < 1 ? static_cast<int>(-std::log10(metres)) : 0;
  return fixed(metres, metres < 10 ? 2 + zeros : 1) + " m";
}

}  // namespace

std::string FittingCrop::text() const {
  std::string result;
  for (const char axis : axes) {
    const std::string length = length_text(length_m.at(static_cast<std::size_t>(axis - 'x')));
    result += (result.empty() ? "" : ", ") + std::string(1, axis) + " to " + length;
  }
  return result;
}

std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid, PackSpec pack,
                                          int max_kernel_size, int max_stride, Job& job) {
  const VoxelRange range = voxel_range(cloud, grid, job);
  if (range.points == 0) return std::nullopt;
  const Fit whole = fit(range.extent(max_stride), pack, max_kernel_size, max_stride);
  if (whole.fits()) return std::nullopt;
  FittingCrop crop;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t low = range.low.at(axis), cells = range.span().at(axis);
    // The shift is a multiple of the coarsest stride. Therefore up to `max_stride` - 1 cells below the scene
    // can be empty.
    const std::int64_t room = whole.axes.at(axis).limit - (max_stride - 1);
    if (!whole.axes.at(axis).fits() && room > 0) {
      job.checkpoint({"finding a crop that fits", 0, 0});
      std::vector<std::int64_t> coordinates;
      for (const Point& p : cloud.positions) {
        if (grid.keeps(p))
          coordinates.push_back(static_cast<std::int64_t>(std::floor(p.at(axis) / grid.voxel_m.at(axis))));
      }
      std::sort(coordinates.begin(), coordinates.end());
      low = fullest_window(coordinates, room);
      cells = room;
      crop.axes += whole.axes.at(axis).axis;
    }
    crop.length_m.at(axis) = static_cast<double>(cells) * grid.voxel_m.at(axis);
    crop.box.low.at(axis) = static_cast<double>(low) * grid.voxel_m.at(axis);
    crop.box.high.at(axis) = static_cast<double>(low + cells) * grid.voxel_m.at(axis);
  }
  crop.points = range.points;
  crop.kept = count_inside(cloud, crop.box, job);
  // Rounding can put the last cell on either side of the border. Check that the suggested crop really fits.
  Grid cropped = grid;
  cropped.crop_m = crop.box;
  const bool fits =
      fit(voxel_range(cloud, cropped, job).extent(max_stride), pack, max_kernel_size, max_stride).fits();
  return fits && !crop.axes.empty() ? std::optional(crop) : std::nullopt;
}

}  // namespace spira

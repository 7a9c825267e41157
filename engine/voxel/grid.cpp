#include "engine/voxel/grid.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace spira {
namespace {

constexpr std::int64_t points_per_checkpoint = 65'536;

}  // namespace

Grid parse_grid(std::string_view text) {
  const auto fault = [&] {
    return Error(ErrorKind::usage, "grid '" + std::string(text) +
                                       "': expected metres such as 0.05 or 0.05,0.05,0.1, each above 0");
  };
  Grid grid;
  std::string_view rest = text;
  std::size_t axis = 0;
  while (true) {
    const auto comma = rest.find(',');
    const auto value = parse_double(rest.substr(0, comma));
    if (!value || !std::isfinite(*value) || *value <= 0.0 || axis == 3) throw fault();
    grid.voxel_m.at(axis++) = *value;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (axis == 1) grid.voxel_m = {grid.voxel_m[0], grid.voxel_m[0], grid.voxel_m[0]};
  if (axis == 2) throw fault();
  return grid;
}

Bounds parse_crop(std::string_view text) {
  const auto fault = [&](const std::string& why) {
    return Error(ErrorKind::usage,
                 "crop '" + std::string(text) + "': " + why +
                     "; expected six numbers in metres: x,y,z of the lower corner, then of the upper corner");
  };
  std::array<double, 6> numbers{};
  std::string_view rest = text;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto comma = rest.find(',');
    const auto value = parse_double(rest.substr(0, comma));
    const bool last = at + 1 == numbers.size();
    if (!value || !std::isfinite(*value) || last != (comma == std::string_view::npos))
      throw fault("number " + std::to_string(at + 1) + " is missing or invalid");
    numbers.at(at) = *value;
    if (!last) rest.remove_prefix(comma + 1);
  }
  const Bounds box{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(box.low.at(axis) < box.high.at(axis)))
      throw fault(std::string("on axis ") + "xyz"[axis] + " the high end must be above the low end");
  }
  return box;
}

std::string crop_text(const Bounds& crop_m) {
  std::string text;
  for (const Point& corner : {crop_m.low, crop_m.high}) {
    for (const double value : corner)
      text += (text.empty() ? "" : ",") + shortest(value);
  }
  return text;
}

std::string grid_text(const std::array<double, 3>& voxel_m) {
  const std::string x = shortest(voxel_m[0]), y = shortest(voxel_m[1]), z = shortest(voxel_m[2]);
  return x == y && y == z ? x : x + "," + y + "," + z;
}

std::string voxels_text(std::int64_t voxels, const std::array<double, 3>& voxel_m, LengthUnit unit) {
  std::string count = counted_text(voxels, "voxel", "voxels");
  if (unit == LengthUnit::cells && voxel_m == std::array<double, 3>{1, 1, 1}) return count;
  return count + " of " + with_unit(grid_text(voxel_m), unit);
}

int metre_decimals(double voxel_m) {
  constexpr int most = 6;  // Micrometres.
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(voxel_m))), 0, most);
}

namespace {

/// Returns the range of coordinates on one axis, over level 0 and all reached levels.
CellRange coordinates_of(const VoxelRange& range, const LevelReach& levels, std::size_t axis) {
  const CellRange own{range.low.at(axis), range.high.at(axis)};
  CellRange all = own;
  for (const LevelRule& rule : levels.reached) {
    const CellRange cells = rule.bounds_of(axis, own);
    if (cells.empty()) continue;
    const std::int64_t stride = rule.stride()[axis];
    all = {std::min(all.first, cells.first * stride), std::max(all.last, cells.last * stride)};
  }
  return all;
}

}  // namespace

std::array<std::int64_t, 3> VoxelRange::shift(const LevelReach& levels) const {
  std::array<std::int64_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t lowest = coordinates_of(*this, levels, axis).first, stride = levels.coarsest[axis];
    result.at(axis) = lowest - (((lowest % stride) + stride) % stride);
  }
  return result;
}

std::array<std::int64_t, 3> VoxelRange::span() const {
  return {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1};
}

std::array<std::int64_t, 3> VoxelRange::extent(const LevelReach& levels) const {
  const auto from = shift(levels);
  std::array<std::int64_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    result.at(axis) = coordinates_of(*this, levels, axis).last - from.at(axis) + 1;
  return result;
}

Bounds on_whole_voxels(const Bounds& extents, const Grid& grid) {
  Bounds box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = grid.voxel_m.at(axis);
    box.low.at(axis) = std::floor(extents.low.at(axis) / size) * size;
    box.high.at(axis) = (std::floor(extents.high.at(axis) / size) + 1.0) * size;
    // Because of rounding, an end of the box can be inside the extents. Move such an end outwards by one
    // voxel.
    if (box.low.at(axis) > extents.low.at(axis)) box.low.at(axis) -= size;
    if (box.high.at(axis) <= extents.high.at(axis)) box.high.at(axis) += size;
  }
  return box;
}

std::int64_t count_inside(const PointCloud& cloud, const Bounds& crop_m, Job& job) {
  std::int64_t kept = 0;
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % points_per_checkpoint == 0) job.checkpoint({"counting the points in the box", at, cloud.size()});
    kept += inside(crop_m, cloud.positions[static_cast<std::size_t>(at)]) ? 1 : 0;
  }
  return kept;
}

VoxelRange voxel_range(const PointCloud& cloud, const Grid& grid, Job& job) {
  // With this limit, floor(p / g) fits in 64 bits even after the shift.
  constexpr double index_limit = 4.6e18;
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  VoxelRange range;
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % points_per_checkpoint == 0) job.checkpoint({"measuring the extent", at, cloud.size()});
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (!grid.keeps(p)) continue;
    ++range.points;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low.at(axis) = std::min(low.at(axis), p.at(axis));
      high.at(axis) = std::max(high.at(axis), p.at(axis));
    }
  }
  if (range.points == 0) return range;
  // Division and floor are monotone, so the corners of the box give the range of the indices.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double first = std::floor(low.at(axis) / grid.voxel_m.at(axis));
    const double last = std::floor(high.at(axis) / grid.voxel_m.at(axis));
    if (!(std::abs(first) < index_limit && std::abs(last) < index_limit)) {
      throw Error(ErrorKind::does_not_fit,
                  cloud.name + ": coordinates divided by the voxel size exceed 64 bits on axis " +
                      std::string(1, "xyz"[axis]) + "; use larger voxels");
    }
    range.low.at(axis) = static_cast<std::int64_t>(first);
    range.high.at(axis) = static_cast<std::int64_t>(last);
  }
  return range;
}

namespace {

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33U)) * 0xFF51AFD7ED558CCDULL;
  h = (h ^ (h >> 33U)) * 0xC4CEB9FE1A85EC53ULL;
  return h ^ (h >> 33U);
}

}  // namespace

std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job) {
  constexpr std::int64_t counted_exactly = 100'000;
  const std::uint64_t classes = cloud.size() > counted_exactly ? 32 : 1;
  std::unordered_set<std::uint64_t> seen;
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % points_per_checkpoint == 0) job.checkpoint({"estimating the voxels", at, cloud.size()});
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (grid.crop_m && !inside(*grid.crop_m, p)) continue;
    std::uint64_t hash = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      hash = mixed(hash ^ static_cast<std::uint64_t>(std::llround(std::floor(p[axis] / grid.voxel_m[axis]))));
    if (hash % classes == 0) seen.insert(hash);
  }
  return static_cast<std::int64_t>(seen.size() * classes);
}

}  // namespace spira

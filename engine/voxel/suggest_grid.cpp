#include "engine/scene/extents.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace spira {
namespace {

using Cell = std::array<std::int64_t, 3>;

std::uint64_t key_of(const Cell& cell) {
  std::uint64_t key = 0;
  for (const std::int64_t c : cell) {
    key = (key + static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15ULL;
    key ^= key >> 29U;
  }
  return key;
}

/// The points inside the crop that are not outliers. The suggested voxel size must suit these points.
class Suited {
 public:
  Suited(const PointCloud& cloud, const std::optional<Bounds>& crop)
      : cloud_(cloud), crop_(crop), extents_(extents_of(cloud, crop)) {}

  [[nodiscard]] double extent(std::size_t axis) const {
    return extents_.box.high.at(axis) - extents_.box.low.at(axis);
  }
  [[nodiscard]] double largest_extent() const { return std::max({extent(0), extent(1), extent(2)}); }
  [[nodiscard]] bool fits(double voxel_m) const;
  [[nodiscard]] double distinct_share(double voxel_m) const;
  [[nodiscard]] bool some_touch(double voxel_m) const;

 private:
  /// Calls `visit` for each point, until `visit` returns false.
  template <class Visit> void for_each(const Visit& visit) const {
    const Bounds& box = extents_.box;
    for (const Point& p : cloud_.positions) {
      if (crop_ && !inside(*crop_, p)) continue;
      bool suited = true;
      for (std::size_t axis = 0; axis < 3; ++axis)
        suited = suited && p[axis] >= box.low[axis] && p[axis] <= box.high[axis];
      if (suited && !visit(p)) return;
    }
  }

  const PointCloud& cloud_;
  const std::optional<Bounds>& crop_;
  Extents extents_;
};

/// Returns true if the points fit the 12/12/8 packing.
bool Suited::fits(double voxel_m) const {
  constexpr std::int64_t coarsest_stride = 16, kernel_size = 5;
  VoxelRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double first = std::floor(extents_.box.low.at(axis) / voxel_m);
    const double last = std::floor(extents_.box.high.at(axis) / voxel_m);
    if (!(std::abs(first) < 0x1p62 && std::abs(last) < 0x1p62)) return false;
    range.low.at(axis) = static_cast<std::int64_t>(first);
    range.high.at(axis) = static_cast<std::int64_t>(last);
  }
  return fit(range.extent(coarsest_stride), PackSpec::bits32(), kernel_size, coarsest_stride).fits();
}

/// Returns the number of occupied voxels divided by the number of points. Uses linear counting (Whang et al.,
/// 1990). This method is fast enough to try several sizes before the first picture.
double Suited::distinct_share(double voxel_m) const {
  constexpr std::uint64_t slots = 1ULL << 22U;
  std::vector<bool> seen(slots, false);
  std::uint64_t taken = 0;
  for_each([&](const Point& p) {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<std::int64_t>(std::floor(p[axis] / voxel_m));
    const auto slot = static_cast<std::size_t>(key_of(cell) % slots);
    if (!seen[slot]) ++taken;
    seen[slot] = true;
    return true;
  });
  const double empty = 1.0 - (static_cast<double>(taken) / static_cast<double>(slots));
  const double distinct =
      empty > 0.0 ? -static_cast<double>(slots) * std::log(empty) : static_cast<double>(slots);
  return distinct / static_cast<double>(std::max<std::int64_t>(1, extents_.points));
}

/// Returns true if at least one voxel in twenty has a neighbour among the 26 voxels around it. Tests an
/// evenly spaced sample of the points. The grid is shifted by a fraction of a voxel. Without the shift, a
/// regular grid of points could coincide with voxel borders, and rounding would create some neighbours at any
/// voxel size.
bool Suited::some_touch(double voxel_m) const {
  constexpr std::int64_t selected = 500, one_in = 20;
  constexpr double shift = 0.37;
  const auto cell_of = [&](const Point& p) {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<std::int64_t>(std::floor((p[axis] / voxel_m) + shift));
    return cell;
  };
  const std::int64_t step = std::max<std::int64_t>(1, extents_.points / selected);
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> next_to;  // Sampled voxels next to each cell.
  std::unordered_map<std::uint64_t, bool> chosen;
  std::int64_t at = 0;
  for_each([&](const Point& p) {
    if (at++ % step != 0) return true;
    const Cell centre = cell_of(p);
    const std::size_t index = chosen.size();
    if (!chosen.emplace(key_of(centre), true).second) return true;
    for (std::int64_t around = 0; around < 27; ++around) {
      const Cell cell{centre[0] + (around / 9) - 1, centre[1] + (around / 3 % 3) - 1,
                      centre[2] + (around % 3) - 1};
      if (cell != centre) next_to[key_of(cell)].push_back(index);
    }
    return true;
  });
  std::vector<bool> touched(chosen.size(), false);
  const std::int64_t wanted = std::max<std::int64_t>(1, std::ssize(touched) / one_in);
  std::int64_t found = 0;
  for_each([&](const Point& p) {
    const auto near = next_to.find(key_of(cell_of(p)));
    if (near == next_to.end()) return true;
    for (const std::size_t index : near->second) {
      found += touched[index] ? 0 : 1;
      touched[index] = true;
    }
    near->second.clear();
    return found < wanted;
  });
  return found >= wanted;
}

double voxel_that_suits(const Suited& points) {
  // Minimum number of occupied voxels per point.
  constexpr double wanted_share = 0.45;
  // Minimum number of cells across the scene. With fewer cells, the shape of the scene is lost.
  constexpr double cells_of_a_shape = 64.0;
  // Minimum number of cells across the scene if voxels must have neighbours. A coarser grid is no better than
  // isolated voxels.
  constexpr double cells_for_neighbours = 4;
  const double largest = points.largest_extent();
  std::optional<double> without_neighbours;
  // Tries 1, 2 and 5 times powers of ten, from fine to coarse. Uses the first size that fits and is not finer
  // than needed.
  const int first_decade = static_cast<int>(std::floor(std::log10(largest / 4096.0))) - 1;
  for (int decade = first_decade; decade < first_decade + 8; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double voxel_m = decade < 0 ? digit / std::pow(10.0, -decade) : digit * std::pow(10.0, decade);
      if (without_neighbours && largest / voxel_m < cells_for_neighbours) return *without_neighbours;
      if (!points.fits(voxel_m)) continue;
      const double coarser = voxel_m * (digit == 2.0 ? 2.5 : 2.0);
      if (largest / coarser > cells_of_a_shape && points.distinct_share(coarser) > wanted_share) continue;
      if (points.some_touch(voxel_m)) return voxel_m;
      if (!without_neighbours) without_neighbours = voxel_m;
    }
  }
  return without_neighbours.value_or(largest / 200.0);
}

}  // namespace

Grid suggest_grid(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  const Suited points(cloud, crop);
  Grid grid;
  grid.crop_m = crop;
  // Extents outside this range would give voxel sizes of 0 or infinity.
  constexpr double smallest = 1e-290, largest = 1e290;
  if (!(points.largest_extent() > smallest && points.largest_extent() < largest)) return grid;
  const auto all = generators();
  const auto made_by = std::find_if(all.begin(), all.end(), [&](const GeneratorFacts& facts) {
    return cloud.format == "generated" && cloud.name == facts.id;
  });
  const double voxel_m = made_by != all.end() ? made_by->voxel_m : voxel_that_suits(points);
  grid.voxel_m = {voxel_m, voxel_m, voxel_m};
  return grid;
}

}  // namespace spira

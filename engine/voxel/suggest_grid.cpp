#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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

/// The points inside the crop, without outliers. The suggested voxel size must suit them.
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
  /// Calls `visit` for each point until it returns false.
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

/// Returns true if the points fit the 12/12/8 packing with voxels of this size.
bool Suited::fits(double voxel_m) const {
  constexpr int coarsest_stride = 16, kernel_size = 5;
  VoxelRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double first = std::floor(extents_.box.low.at(axis) / voxel_m);
    const double last = std::floor(extents_.box.high.at(axis) / voxel_m);
    if (!(std::abs(first) < 0x1p62 && std::abs(last) < 0x1p62)) return false;
    range.low.at(axis) = static_cast<std::int64_t>(first);
    range.high.at(axis) = static_cast<std::int64_t>(last);
  }
  return fit(range.extent(coarsest_stride), PackSpec::bits32(), {kernel_size, coarsest_stride}).fits();
}

/// Estimates the number of occupied voxels divided by the number of points. Uses linear counting (Whang et
/// al., 1990), which is fast enough to try several sizes before the scene is first drawn.
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

/// Returns true if at least one in twenty voxels has a neighbour in the 26 cells around it. Tests an evenly
/// spaced sample of the points. The grid is shifted by a fraction of a voxel. Without this shift, a regular
/// grid of points could lie on the voxel boundaries, and rounding would create some neighbours at any voxel
/// size.
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
  // For each cell, the indices of the sampled voxels next to it.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> next_to;
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
  // The minimum number of occupied voxels per point.
  constexpr double wanted_share = 0.45;
  // The minimum number of cells across the scene. With fewer cells, the shape of the scene is lost.
  constexpr double cells_of_a_shape = 64.0;
  // The minimum number of cells across the scene if the voxels must have neighbours. A coarser grid would be
  // no better than a grid with isolated voxels.
  constexpr double cells_for_neighbours = 4;
  const double largest = points.largest_extent();
  std::optional<double> without_neighbours;
  // Try 1, 2 and 5 times powers of ten, from fine to coarse, until a size fits and is coarse enough.
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
  if (cloud.feature_channels > 0) {  // The points are voxels with an edge of 1.
    grid.voxel_m = {1, 1, 1};
    return grid;
  }
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

namespace {

/// The precision in which a file stores coordinates.
struct StoredAs {
  bool single = true;  ///< True if all coordinates are single-precision numbers.
  /// The largest distance in metres between a coordinate and the next single-precision number. All zeros if
  /// `single` is false.
  std::array<double, 3> step_m{0, 0, 0};
};

StoredAs stored_as(const PointCloud& cloud, const Grid& grid) {
  StoredAs stored;
  for (const Point& p : cloud.positions) {
    if (!grid.keeps(p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto value = static_cast<float>(p[axis]);
      if (static_cast<double>(value) != p[axis]) return {false, {0, 0, 0}};
      // Skip values whose last mantissa bit is 0, because they can come from coarser steps, such as whole
      // metres.
      if ((std::bit_cast<std::uint32_t>(value) & 1U) == 0) continue;
      const float next = std::nextafter(std::abs(value), INFINITY);
      const double step = static_cast<double>(next) - static_cast<double>(std::abs(value));
      if (std::isfinite(step)) stored.step_m[axis] = std::max(stored.step_m[axis], step);
    }
  }
  return stored;
}

std::string coarse_note(const StoredAs& stored, const Grid& grid) {
  std::string steps;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (stored.step_m[axis] > grid.voxel_m[axis])
      steps += (steps.empty() ? "" : ", ") + std::string(1, "xyz"[axis]) + " " +
               shortest(stored.step_m[axis]) + " m";
  }
  if (steps.empty()) return {};
  return "the file stores single-precision coordinates, in steps of up to " + steps +
         ", which are coarser than the voxel size " + grid_text(grid.voxel_m) + " m";
}

/// Returns true if it depends on rounding to which voxel a coordinate belongs. This is the case if the
/// coordinate is equal to a voxel boundary within the precision of the file, but not exactly.
bool on_boundary(double coordinate, double voxel_m, bool single) {
  constexpr double single_error = 0x1.02p-24, double_error = 0x1.8p-52;  // Relative errors.
  const double cells = coordinate / voxel_m, nearest = std::round(cells);
  const double error = single ? single_error : double_error;
  return std::abs(cells - nearest) <= error * std::abs(nearest) &&
         std::fma(nearest, voxel_m, -coordinate) != 0;
}

std::uint64_t combined(std::uint64_t key, double cell) {
  key = (key ^ std::bit_cast<std::uint64_t>(cell)) * 0xFF51AFD7ED558CCDULL;
  return key ^ (key >> 32U);
}

/// Collects the cells of points as hashed keys. Each cell is computed twice: in double precision, which this
/// program uses, and in single precision, for comparison.
struct Cells {
  std::vector<std::uint64_t> in_double, in_single;

  void add(const Point& p, const Grid& grid) {
    std::uint64_t of_double = 0, of_single = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float cells = static_cast<float>(p[axis]) / static_cast<float>(grid.voxel_m[axis]);
      // Adding 0.0 changes a negative zero into a positive zero.
      of_double = combined(of_double, std::floor(p[axis] / grid.voxel_m[axis]) + 0.0);
      of_single = combined(of_single, static_cast<double>(std::floor(cells)) + 0.0);
    }
    in_double.push_back(of_double);
    in_single.push_back(of_single);
  }
};

std::int64_t distinct(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  return std::unique(keys.begin(), keys.end()) - keys.begin();
}

std::string boundary_note(const PointCloud& cloud, const Grid& grid, bool single) {
  // Share of the points. In scans that are stored in millimetres, it is at most about 0.15.
  constexpr double few = 0.2;
  std::int64_t points = 0, on_boundaries = 0;
  for (const Point& p : cloud.positions) {
    if (!grid.keeps(p)) continue;
    ++points;
    bool on = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      on = on || on_boundary(p[axis], grid.voxel_m[axis], single);
    on_boundaries += on ? 1 : 0;
  }
  if (on_boundaries == 0 || static_cast<double>(on_boundaries) < few * static_cast<double>(points)) return {};
  Cells cells;
  for (const Point& p : cloud.positions) {
    if (grid.keeps(p)) cells.add(p, grid);
  }
  const std::int64_t in_double = distinct(cells.in_double), in_single = distinct(cells.in_single);
  const std::string counts = counted_text(in_double, "voxel", "voxels") +
                             " in double precision (used here), " + count_text(in_single) +
                             " in single precision";
  return count_text(on_boundaries) + " of " + counted_text(points, "point lies", "points lie") +
         " on a voxel boundary within the precision of the file: " +
         (in_double == in_single ? "programs that round differently may count a different number of voxels"
                                 : counts);
}

/// Returns a note if input features exceed the range of fp16, otherwise an empty string. The input features
/// are the intensities and the coordinates relative to the display origin.
std::string beyond_fp16_note(const PointCloud& cloud, const Grid& grid, const Point& origin) {
  // Larger values round to infinity in fp16. The largest fp16 value is 65,504.
  constexpr double infinite_from = 65'520.0;
  std::int64_t intensities = 0, coordinates = 0;
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    const Point& p = cloud.positions[at];
    if (!grid.keeps(p)) continue;
    bool far = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      far = far || std::abs(p[axis] - origin[axis]) >= infinite_from;
    coordinates += far ? 1 : 0;
    if (!cloud.intensity.empty() && std::abs(static_cast<double>(cloud.intensity[at])) >= infinite_from)
      ++intensities;
  }
  std::string what;
  if (intensities > 0) what = counted_text(intensities, "intensity", "intensities");
  if (coordinates > 0)
    what += (what.empty() ? "" : " and ") + counted_text(coordinates, "position", "positions");
  if (what.empty()) return {};
  return what +
         " beyond 65,504, the largest fp16 value; in runs with precision fp16, these values become infinite";
}

}  // namespace

std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid, const Extents& extents) {
  const StoredAs stored = stored_as(cloud, grid);
  std::vector<std::string> notes{outlier_note(extents), coarse_note(stored, grid)};
  // If the stored coordinates are coarser than a voxel, skip the note about voxel boundaries: the distances
  // to them are then meaningless.
  if (notes.back().empty()) notes.push_back(boundary_note(cloud, grid, stored.single));
  notes.push_back(beyond_fp16_note(cloud, grid, display_origin(extents)));
  std::erase(notes, std::string());
  return notes;
}

}  // namespace spira

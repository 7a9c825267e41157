#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace spira {
namespace {

/// Describes the precision in which the file stores the coordinates.
struct StoredAs {
  bool single = true;  ///< True if single precision represents all coordinates exactly.
  /// Largest distance in metres from a coordinate to the next single-precision value. Zeros if `single` is
  /// false.
  std::array<double, 3> step_m{0, 0, 0};
};

StoredAs stored_as(const PointCloud& cloud, const Grid& grid) {
  StoredAs stored;
  for (const Point& p : cloud.positions) {
    if (!grid.keeps(p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto value = static_cast<float>(p[axis]);
      if (static_cast<double>(value) != p[axis]) return {false, {0, 0, 0}};
      // Skip values whose last bit is 0. They can come from coordinates with coarser steps, such as whole
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
         ": coarser than the voxel size " + grid_text(grid.voxel_m) + " m";
}

/// Returns true if rounding determines the voxel index of a coordinate. The coordinate then equals a voxel
/// boundary within the precision of the file, but not exactly.
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

/// Collects the cells of points as hashed keys. Computes each cell in double precision (as this program does)
/// and in single precision.
struct Cells {
  std::vector<std::uint64_t> in_double, in_single;

  void add(const Point& p, const Grid& grid) {
    std::uint64_t of_double = 0, of_single = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float cells = static_cast<float>(p[axis]) / static_cast<float>(grid.voxel_m[axis]);
      // Adding 0.0 turns a negative zero into a positive zero.
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
  constexpr double few = 0.2;  // Share of the points. Scans in millimetres reach 0.15.
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
         (in_double == in_single ? "programs that round differently may count different voxels" : counts);
}

/// Returns a note if input features exceed the range of fp16, otherwise an empty string. The input features
/// are the intensities and the coordinates relative to the display origin.
std::string beyond_fp16_note(const PointCloud& cloud, const Grid& grid, const Point& origin) {
  constexpr double infinite_from = 65'520.0;  // Rounds to infinity in fp16, whose largest value is 65,504.
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
  return what + " beyond 65,504, the largest value of fp16: infinite in runs with precision fp16";
}

}  // namespace

std::vector<std::string> grid_notes(const PointCloud& cloud, const Grid& grid, const Extents& extents) {
  const StoredAs stored = stored_as(cloud, grid);
  std::vector<std::string> notes{outlier_note(extents), coarse_note(stored, grid)};
  // If the steps are larger than a voxel, the distance to a voxel boundary has no meaning.
  if (notes.back().empty()) notes.push_back(boundary_note(cloud, grid, stored.single));
  notes.push_back(beyond_fp16_note(cloud, grid, display_origin(extents)));
  std::erase(notes, std::string());
  return notes;
}

}  // namespace spira

#include "engine/tune/scene_densities.hpp"

#include "engine/backend/host_read.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace spira {
namespace {

constexpr std::array<int, 4> offsets_of_norm{1, 6, 12, 8};

int norm_of(Voxel offset) {
  return std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]);
}

/// Returns the number of voxels that have a neighbour at `offset`. The shifted voxels have the same order as
/// the unshifted voxels, so a single pass over both lists is enough.
std::int64_t matches_at(const std::vector<Voxel>& voxels, Voxel offset) {
  std::int64_t matches = 0;
  auto other = voxels.begin();
  for (const Voxel& voxel : voxels) {
    const Voxel wanted{voxel[0] + offset[0], voxel[1] + offset[1], voxel[2] + offset[2]};
    while (other != voxels.end() && *other < wanted)
      ++other;
    if (other == voxels.end()) break;
    matches += *other == wanted ? 1 : 0;
  }
  return matches;
}

}  // namespace

SceneDensities scene_densities(const CoordSet& level) {
  std::vector<Voxel> voxels = all_voxels(level);
  if (level.pack.batch_bits > 0) {  // Place the frames one after another along x, without a common border.
    const std::int64_t distance = (std::int64_t{1} << level.pack.x_bits) + 1;
    for (std::size_t row = 0; row < voxels.size(); ++row) {
      const std::int64_t first = frame_at(level, static_cast<std::int64_t>(row)) * distance;
      voxels[row][0] = static_cast<std::int32_t>(voxels[row][0] + first);
    }
  }
  SceneDensities means{};
  if (voxels.empty()) return means;
  std::array<std::int64_t, 4> matches{std::ssize(voxels), 0, 0, 0};
  for (int x = 0; x <= 1; ++x) {
    for (int y = x == 0 ? 0 : -1; y <= 1; ++y) {
      for (int z = x == 0 && y == 0 ? 1 : -1; z <= 1; ++z) {
        // The opposite offset is not counted, because it has the same number of matches.
        const Voxel offset{x, y, z};
        matches.at(static_cast<std::size_t>(norm_of(offset))) += 2 * matches_at(voxels, offset);
      }
    }
  }
  for (std::size_t l1 = 0; l1 < means.size(); ++l1)
    means[l1] = static_cast<double>(matches[l1]) / static_cast<double>(voxels.size()) / offsets_of_norm[l1];
  return means;
}

std::optional<SceneDensities> scene_densities(const Densities& densities) {
  const int size = densities.kernel.size[0];
  if (densities.stride != PerAxis(1) || densities.kernel != KernelShape(size) || size < 3 || size % 2 == 0)
    return std::nullopt;
  SceneDensities means{};
  for (const ColumnDensity& column : densities.columns) {
    const bool near = std::all_of(column.offset.begin(), column.offset.end(),
                                  [](std::int32_t step) { return std::abs(step) <= 1; });
    if (near) means.at(static_cast<std::size_t>(norm_of(column.offset))) += column.density;
  }
  for (std::size_t l1 = 0; l1 < means.size(); ++l1)
    means[l1] /= offsets_of_norm[l1];
  return means;
}

double density_distance(const SceneDensities& a, const SceneDensities& b) noexcept {
  double largest = 0;
  for (std::size_t l1 = 0; l1 < a.size(); ++l1)
    largest = std::max(largest, std::abs(a[l1] - b[l1]));
  return largest;
}

}  // namespace spira

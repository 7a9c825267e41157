#include "engine/voxel/voxel_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace spira {
namespace {

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33U)) * 0xFF51AFD7ED558CCDULL;
  h = (h ^ (h >> 33U)) * 0xC4CEB9FE1A85EC53ULL;
  return h ^ (h >> 33U);
}

}  // namespace

std::int64_t estimate_voxels(const PointCloud& cloud, const Grid& grid, Job& job) {
  constexpr std::int64_t counted_exactly = 100'000, points_per_checkpoint = 65'536;
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

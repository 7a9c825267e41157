#include "engine/run/scene_memory.hpp"

#include "engine/base/host_facts.hpp"
#include "engine/base/text.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>

namespace spira {
namespace {

// Bytes per point: the voxel of the point, plus two copies of its key and its number for sorting.
constexpr std::uint64_t bytes_of_point = 4 + (2 * 12);
// Bytes per voxel: the number of its points, and the keys of all levels. All levels have about 1.6 times the
// keys of the first level.
constexpr std::uint64_t bytes_of_voxel = 13 + 4;
// Bytes per drawn voxel: centre, open faces, two copies of the colours, cells, indices into two coarser
// meshes, and the copy that VTK makes.
constexpr std::uint64_t bytes_of_picture = 12 + 1 + 6 + 8 + 8 + 28;

}  // namespace

std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use) {
  const auto z_runs =
      static_cast<std::uint64_t>(use.kernel_size) * static_cast<std::uint64_t>(use.kernel_size);
  const std::uint64_t map = 4 * z_runs;
  return (static_cast<std::uint64_t>(points) * bytes_of_point) +
         (static_cast<std::uint64_t>(voxels) * (bytes_of_voxel + map + (use.drawn ? bytes_of_picture : 0)));
}

void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job) {
  const auto free = free_memory_bytes(max_bytes);
  if (!free || scene_bytes(cloud.size(), cloud.size(), use) <= *free) return;
  const std::int64_t voxels = estimate_voxels(cloud, grid, job);
  const std::uint64_t need = scene_bytes(cloud.size(), voxels, use);
  if (need <= *free) return;
  const auto points = static_cast<std::uint64_t>(cloud.size());
  const std::int64_t every = cloud.every * every_that_fits(points, (need / points) + 1, *free);
  std::string text = cloud.name + ": about " + count_text(voxels) + " voxels of " + count_text(cloud.size()) +
                     " points need " + bytes_text(need) + ", " + bytes_text(*free) + " are free";
  if (every > 0) text += "; " + every_text(every) + " point would fit";
  throw NotEnoughMemory(text, every);
}

}  // namespace spira

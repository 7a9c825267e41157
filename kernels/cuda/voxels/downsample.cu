// Down-samples level 0: rounds its keys down to a stride and removes duplicates (section 5.5 of the Spira
// paper).
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/level_grid.hpp"
#include "kernels/cuda/voxels/voxelize.hpp"

#include <cub/cub.cuh>

#include <bit>
#include <utility>

namespace spira::cuda {
namespace {

/// Down-samples with an occupancy grid. No sort is needed, because the cells of the coarse box are in order.
/// The cells are counted when they are marked. Therefore the host waits only until all cells are marked, and
/// then allocates the keys.
CoordSet by_grid(const Device& device, const CoordSet& level0, int stride) {
  LevelGrid grid(device, level0.pack, *level0.extent, stride);
  grid.mark_keys(device, level0.keys.data(), level0.size.value());
  const std::int64_t voxels = grid.found(device).voxels;
  Buffer keys(device.pool, bytes_of_keys(level0.pack, voxels)), count(device.pool, sizeof(std::int64_t));
  grid.rank(device, keys.data(), voxels, values<std::int64_t>(count));
  grid.empty(device, keys.data(), voxels);
  return coord_set(device, level0.pack, stride, level0.extent, std::move(keys), voxels, std::move(count));
}

/// Down-samples with a radix sort. Used if the bounding box is unknown or too large for a grid.
template <class Key> CoordSet by_radix_sort(const Device& device, const CoordSet& level0, int stride) {
  const std::int64_t count = level0.size.value();
  const std::size_t bytes_of_all = bytes_of_keys(level0.pack, count);
  const auto mask = static_cast<Key>(level0.pack.round_down_mask(stride));
  Buffer rounded(device.pool, bytes_of_all), sorted(device.pool, bytes_of_all),
      unique(device.pool, bytes_of_all), found(device.pool, sizeof(std::int32_t));
  const Key* from = values<Key>(level0.keys);
  auto* to = values<Key>(rounded);
  for_each(device, count, [=] __device__(std::int64_t at) { to[at] = from[at] & mask; });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, to, values<Key>(sorted), static_cast<int>(count), 0,
                                          bits_in_use(level0.pack, level0.extent), device.stream);
  });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, values<Key>(sorted), values<Key>(unique),
                                     values<std::int32_t>(found), static_cast<int>(count), device.stream);
  });
  const std::int64_t voxels = read_value(device, values<std::int32_t>(found));
  return coord_set(device, level0.pack, stride, level0.extent,
                   trimmed(device, unique, bytes_of_keys(level0.pack, voxels)), voxels);
}

}  // namespace

CoordSet downsample(const Device& device, const CoordSet& level0, int stride, Job& job) {
  SPIRA_ASSERT(stride >= level0.stride && std::has_single_bit(static_cast<unsigned>(stride)) && stride <= 16,
               "down-sampling needs a power of two up to 16");
  job.checkpoint({"down-sampling", 0, 1});
  const std::int64_t count = level0.size.value();
  if (count == 0) return coord_set(device, level0.pack, stride, level0.extent, {}, 0);
  if (level0.extent && suits_grid(*level0.extent, stride, count)) return by_grid(device, level0, stride);
  return visit_key(level0.pack, [&]<class Key>(Key) { return by_radix_sort<Key>(device, level0, stride); });
}

}  // namespace spira::cuda

// Down-samples level 0: rounds its keys down to a stride and removes duplicates (section 5.5 of the Spira
// paper).
#include "engine/base/text.hpp"
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/level_grid.hpp"
#include "kernels/cuda/voxels/occupancy.cuh"
#include "kernels/cuda/voxels/voxelize.hpp"

#include <cub/cub.cuh>

#include <bit>
#include <utility>

namespace spira::cuda {
namespace {

/// Down-samples with an occupancy grid. No sort is needed, because the cells of the grid are in order. The
/// cells are counted while they are marked. Therefore the host waits only for the marking, and then allocates
/// the keys.
CoordSet by_grid(const Device& device, const CoordSet& level0, const SceneLevel& level) {
  LevelGrid grid(device, level0.pack, *level0.extent, level.rule.stride()[0]);
  grid.mark_keys(device, level0.keys.data(), level0.size.value());
  const std::int64_t voxels = grid.found(device).voxels;
  Buffer keys(device.pool, bytes_of_keys(level0.pack, voxels)), count(device.pool, sizeof(std::int64_t));
  grid.rank(device, keys.data(), voxels, values<std::int64_t>(count));
  grid.empty(device, keys.data(), voxels);
  return coord_set(device, level0.pack, level, level0.extent, std::move(keys), voxels, std::move(count));
}

/// Sorts `keys` and removes duplicates. If `gaps` is true, a key with all bits set is a gap and not a voxel.
template <class Key>
CoordSet sorted_level(const Device& device, const CoordSet& level0, const SceneLevel& level, Buffer keys,
                      std::int64_t count, bool gaps) {
  const std::size_t bytes_of_all = bytes_of_keys(level0.pack, count);
  Buffer sorted(device.pool, bytes_of_all), unique(device.pool, bytes_of_all),
      found(device.pool, sizeof(std::int32_t));
  const int bits = gaps ? static_cast<int>(sizeof(Key)) * 8 : bits_in_use(level0.pack, level0.extent);
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, values<Key>(keys), values<Key>(sorted),
                                          static_cast<int>(count), 0, bits, device.stream);
  });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, values<Key>(sorted), values<Key>(unique),
                                     values<std::int32_t>(found), static_cast<int>(count), device.stream);
  });
  std::int64_t voxels = read_value(device, values<std::int32_t>(found));
  // After duplicates were removed, at most one gap is left. It is the last key.
  if (gaps && voxels > 0 && read_value(device, values<Key>(unique) + voxels - 1) == static_cast<Key>(~Key{0}))
    --voxels;
  return coord_set(device, level0.pack, level, level0.extent,
                   trimmed(device, unique, bytes_of_keys(level0.pack, voxels)), voxels);
}

/// Down-samples with a radix sort. Used if the bounding box is unknown or too large for a grid.
template <class Key>
CoordSet by_radix_sort(const Device& device, const CoordSet& level0, const SceneLevel& level) {
  const std::int64_t count = level0.size.value();
  const auto mask = static_cast<Key>(level0.pack.round_down_mask(level.rule.stride()));
  Buffer rounded(device.pool, bytes_of_keys(level0.pack, count));
  const Key* from = values<Key>(level0.keys);
  auto* to = values<Key>(rounded);
  for_each(device, count, [=] __device__(std::int64_t at) { to[at] = from[at] & mask; });
  return sorted_level<Key>(device, level0, level, std::move(rounded), count, false);
}

/// The steps of a level on one axis, for kernels.
struct AxisChain {
  static constexpr int most = 16;
  AxisStep steps[most];
  int stride_bits[most];  ///< Base-2 logarithm of the stride of each step.
  int count;
  int base_bits;  ///< Base-2 logarithm of the stride of the base.
  std::int64_t shift;
  int stride;
  /// An upper bound of the number of cells that a voxel reaches.
  int width;

  /// Returns the range of output cells to which a coordinate contributes, in units of the stride. The shift
  /// of the packing has been subtracted from both the argument and the result.
  [[nodiscard]] __device__ CellRange cells_of(int coordinate) const {
    const std::int64_t cell = (coordinate + shift) >> base_bits;
    CellRange range{cell, cell};
    // The same rule as reached(), with shifts, which round down.
    for (int at = 0; at < count && range.first <= range.last; ++at) {
      const AxisStep& step = steps[at];
      if (step.flat) {
        range = {0, 0};
        continue;
      }
      range.first = (range.first + step.padding - step.kernel + step.stride) >> stride_bits[at];
      range.last = (range.last + step.padding) >> stride_bits[at];
      if (step.cells > 0) {
        range.first = max(range.first, std::int64_t{0});
        range.last = min(range.last, step.cells - 1);
      }
    }
    return {range.first - (shift / stride), range.last - (shift / stride)};
  }
};

AxisChain chain_of(const LevelRule& rule, std::size_t axis, std::int64_t shift) {
  AxisChain chain{};
  chain.count = static_cast<int>(rule.steps(axis).size());
  SPIRA_ASSERT(chain.count <= AxisChain::most, "too many strided layers for one level");
  chain.shift = shift;
  chain.stride = rule.stride()[axis];
  chain.base_bits = std::countr_zero(static_cast<unsigned>(rule.base().stride()[axis]));
  chain.width = 1;
  for (int at = 0; at < chain.count; ++at) {
    chain.steps[at] = rule.steps(axis)[static_cast<std::size_t>(at)];
    chain.stride_bits[at] = std::countr_zero(static_cast<unsigned>(chain.steps[at].stride));
    chain.width =
        chain.steps[at].flat ? 1 : ((chain.width + chain.steps[at].kernel - 2) / chain.steps[at].stride) + 1;
  }
  return chain;
}

/// Computes a level whose voxels reach boxes of cells. Writes the keys of all boxes and sorts them. Each
/// voxel has space for the largest possible box.
template <class Key>
CoordSet by_boxes(const Device& device, const CoordSet& level0, const SceneLevel& level,
                  const std::array<std::int64_t, 3>& shift) {
  const AxisChain x = chain_of(level.rule, 0, shift[0]), y = chain_of(level.rule, 1, shift[1]),
                  z = chain_of(level.rule, 2, shift[2]);
  const std::int64_t of_voxel = std::int64_t{x.width} * y.width * z.width,
                     count = level0.size.value() * of_voxel;
  if (count >= std::int64_t{1} << 31)
    throw Error(ErrorKind::does_not_fit,
                "level of stride " + text_of(level.rule) + ": " + count_text(count) +
                    " cells must be sorted, but the limit is 2^31; use larger voxels");
  Buffer keys(device.pool, bytes_of_keys(level0.pack, count));
  const Key* from = values<Key>(level0.keys);
  auto* to = values<Key>(keys);
  const PackSpec pack = level0.pack;
  for_each(device, count, [=] __device__(std::int64_t at) {
    const Cell voxel = cell_of(pack, from[at / of_voxel], Axes{0, 0, 0});
    const auto slot = static_cast<int>(at % of_voxel);
    // In a batch, the rule applies to the coordinate in the frame.
    const int x_in_frame = voxel.x & static_cast<int>((1U << static_cast<unsigned>(pack.x_bits)) - 1U);
    const CellRange in_x = x.cells_of(x_in_frame), in_y = y.cells_of(voxel.y), in_z = z.cells_of(voxel.z);
    const std::int64_t cell_x = in_x.first + (slot / (y.width * z.width)),
                       cell_y = in_y.first + (slot / z.width % y.width),
                       cell_z = in_z.first + (slot % z.width);
    const bool there = cell_x <= in_x.last && cell_y <= in_y.last && cell_z <= in_z.last;
    to[at] = there ? static_cast<Key>((static_cast<Key>((cell_x * x.stride) + (voxel.x - x_in_frame))
                                       << (pack.y_bits + pack.z_bits)) +
                                      (static_cast<Key>(cell_y * y.stride) << pack.z_bits) +
                                      static_cast<Key>(cell_z * z.stride))
                   : static_cast<Key>(~Key{0});
  });
  return sorted_level<Key>(device, level0, level, std::move(keys), count, true);
}

}  // namespace

CoordSet downsample(const Device& device, const CoordSet& level0, const SceneLevel& level,
                    const std::array<std::int64_t, 3>& shift, Job& job) {
  job.checkpoint({"down-sampling", 0, 1});
  const std::int64_t count = level0.size.value();
  if (count == 0) return coord_set(device, level0.pack, level, level0.extent, {}, 0);
  return visit_key(level0.pack, [&]<class Key>(Key) {
    if (!level.rule.floor()) return by_boxes<Key>(device, level0, level, shift);
    const bool one_stride = level.rule.stride().equal();
    if (one_stride && level0.extent && suits_grid(*level0.extent, level.rule.stride()[0], count))
      return by_grid(device, level0, level);
    return by_radix_sort<Key>(device, level0, level);
  });
}

CoordSet unite(const Device& device, const std::vector<const CoordSet*>& parts, const SceneLevel& level,
               Job& job) {
  job.checkpoint({"joining levels", 0, 1});
  const CoordSet& first = *parts.front();
  std::int64_t count = 0;
  for (const CoordSet* part : parts)
    count += part->size.value();
  if (count == 0) return coord_set(device, first.pack, level, first.extent, {}, 0);
  if (count >= std::int64_t{1} << 31)
    throw Error(ErrorKind::does_not_fit, "level of stride " + text_of(level.rule) + ": " + count_text(count) +
                                             " voxels to sort; the limit is 2^31");
  Buffer keys(device.pool, bytes_of_keys(first.pack, count));
  std::size_t offset = 0;
  for (const CoordSet* part : parts) {
    const std::size_t bytes = bytes_of_keys(first.pack, part->size.value());
    if (bytes != 0)
      SPIRA_CUDA(cudaMemcpyAsync(values<std::byte>(keys) + offset, part->keys.data(), bytes,
                                 cudaMemcpyDeviceToDevice, device.stream));
    offset += bytes;
  }
  return visit_key(first.pack, [&]<class Key>(Key) {
    return sorted_level<Key>(device, first, level, std::move(keys), count, false);
  });
}

}  // namespace spira::cuda

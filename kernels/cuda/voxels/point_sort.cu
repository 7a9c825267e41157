// Sorts points by voxel (stages "pack" and "sort"), and groups them by voxel (stage "input").
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/level_grid.hpp"
#include "kernels/cuda/voxels/point_sort.hpp"

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <bit>
#include <utility>

namespace spira::cuda {
namespace {

/// Returns 1 at the start of each run of equal keys, except for the first run. Returns 0 at all other keys.
/// The inclusive prefix sum of these values is the row of each key.
template <class Key> struct StartsRun {
  const Key* keys;
  __host__ __device__ std::int32_t operator()(std::int64_t at) const {
    return at > 0 && keys[at] != keys[at - 1] ? 1 : 0;
  }
};

/// Keys and indices of the points inside the crop, in the order of the points.
template <class Key> struct PackedPoints {
  Buffer keys, numbers;
  std::int64_t count = 0;
};

template <class Key> PackedPoints<Key> pack_points(const Device& device, const SceneTask& task) {
  const PointsOnDevice& points = task.points;
  const auto words = static_cast<std::size_t>(task.all);
  PackedPoints<Key> packed{Buffer(device.pool, words * sizeof(Key)),
                           Buffer(device.pool, words * sizeof(std::int32_t)), task.all};
  auto* key = values<Key>(packed.keys);
  auto* number = values<std::int32_t>(packed.numbers);
  for_each(device, task.all, [=] __device__(std::int64_t at) {
    key[at] = static_cast<Key>(points.key(at));
    number[at] = static_cast<std::int32_t>(at);
  });
  if (!points.cropped) return packed;
  Buffer flags(device.pool, words), kept(device.pool, sizeof(std::int32_t));
  auto* flag = values<std::uint8_t>(flags);
  for_each(device, task.all, [=] __device__(std::int64_t at) { flag[at] = points.keeps(at) ? 1 : 0; });
  const auto select = [&](auto* all, Buffer& buffer) {
    Buffer chosen(device.pool, buffer.bytes());
    auto* to = static_cast<decltype(all)>(chosen.data());
    with_scratch(device, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(scratch, bytes, all, flag, to, values<std::int32_t>(kept),
                                        static_cast<int>(task.all), device.stream);
    });
    buffer.swap(chosen);
  };
  select(key, packed.keys);
  select(number, packed.numbers);
  packed.count = read_value(device, values<std::int32_t>(kept));
  return packed;
}

/// Sorts the keys together with the indices of their points. The sort is stable.
template <class Key> SortedPoints by_radix_sort(const Device& device, const SceneTask& task, Job& job) {
  PackedPoints<Key> packed;
  {
    const auto stage = job.stage("pack");
    packed = pack_points<Key>(device, task);
  }
  const auto stage = job.stage("sort");
  const std::int64_t count = packed.count;
  const auto words = static_cast<std::size_t>(count);
  SortedPoints result;
  result.groups.points = Buffer(device.pool, words * sizeof(std::int32_t));
  Buffer sorted(device.pool, words * sizeof(Key)), places(device.pool, words * sizeof(std::int32_t));
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, values<Key>(packed.keys), values<Key>(sorted), values<std::int32_t>(packed.numbers),
        values<std::int32_t>(result.groups.points), static_cast<int>(count), 0,
        bits_in_use(task.points.pack, task.extent), device.stream);
  });
  const Key* keys = values<Key>(sorted);
  auto* place = values<std::int32_t>(places);
  const auto starts_run =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), StartsRun<Key>{keys});
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, starts_run, place, static_cast<int>(count),
                                         device.stream);
  });
  result.voxels = std::int64_t{read_value(device, place + count - 1)} + 1;
  result.keys = Buffer(device.pool, static_cast<std::size_t>(result.voxels) * sizeof(Key));
  result.groups.starts =
      Buffer(device.pool, static_cast<std::size_t>(result.voxels + 1) * sizeof(std::int32_t));
  result.rows = Buffer(device.pool, static_cast<std::size_t>(task.all) * sizeof(std::int32_t));
  SPIRA_CUDA(cudaMemsetAsync(result.rows.data(), 0xFF, result.rows.bytes(), device.stream));
  auto* to = values<Key>(result.keys);
  auto *start = values<std::int32_t>(result.groups.starts), *row = values<std::int32_t>(result.rows);
  const auto* points = values<std::int32_t>(result.groups.points);
  for_each(device, count, [=] __device__(std::int64_t at) {
    const std::int32_t voxel = place[at];
    row[points[at]] = voxel;
    if (at == 0 || place[at - 1] != voxel) {
      to[voxel] = keys[at];
      start[voxel] = static_cast<std::int32_t>(at);
    }
    if (at == count - 1) start[voxel + 1] = static_cast<std::int32_t>(count);
  });
  return result;
}

/// Returns the indices of the points, sorted by row. Cropped points come last: their row is -1, which is the
/// largest number if it is read as unsigned.
Buffer points_by_row(const Device& device, const SortedPoints& level, std::int64_t all) {
  const auto words = static_cast<std::size_t>(all);
  Buffer numbers(device.pool, words * sizeof(std::int32_t)),
      points(device.pool, words * sizeof(std::int32_t)), sorted(device.pool, words * sizeof(std::uint32_t));
  auto* number = values<std::int32_t>(numbers);
  for_each(device, all, [=] __device__(std::int64_t at) { number[at] = static_cast<std::int32_t>(at); });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, values<std::uint32_t>(level.rows), values<std::uint32_t>(sorted), number,
        values<std::int32_t>(points), static_cast<int>(all), 0,
        std::bit_width(static_cast<std::uint64_t>(level.voxels)), device.stream);
  });
  return points;
}

/// Sorts with an occupancy grid. The cells of a grid are in key order. Counting the occupied cells before a
/// voxel gives its row.
SortedPoints by_grid(const Device& device, const SceneTask& task, Job& job) {
  const std::int64_t all = task.all;
  const PackSpec& pack = task.points.pack;
  const auto bytes = static_cast<std::size_t>(all) * sizeof(std::int32_t);
  SortedPoints result;
  result.rows = Buffer(device.pool, bytes);
  result.slots = Buffer(device.pool, bytes);
  result.hits = Buffer(device.pool, bytes + sizeof(std::int32_t));
  auto *rows = values<std::int32_t>(result.rows), *hits = values<std::int32_t>(result.hits);
  LevelGrid grid = [&] {
    const auto stage = job.stage("pack");
    LevelGrid marked(device, pack, task.extent, 1);
    marked.mark_points(device, task.points, all, rows, hits);
    return marked;
  }();
  const auto stage = job.stage("sort");
  Buffer keys(device.pool, bytes_of_keys(pack, all));
  grid.rank(device, keys.data(), all, grid.voxels());
  grid.find_rows(device, rows, all, values<std::int32_t>(result.slots), hits);
  const GridFound found = grid.found(device);
  result.voxels = found.voxels;
  result.crowded = found.crowded != 0;
  grid.empty(device, keys.data(), found.voxels);
  result.keys = trimmed(device, keys, bytes_of_keys(pack, found.voxels));
  return result;
}

}  // namespace

SortedPoints sort_points(const Device& device, const SceneTask& task, Job& job) {
  if (suits_grid(task.extent, 1, task.all)) return by_grid(device, task, job);
  return visit_key(task.points.pack, [&]<class Key>(Key) { return by_radix_sort<Key>(device, task, job); });
}

PointGroups group_points(const Device& device, const SortedPoints& sorted, std::int64_t all) {
  PointGroups groups;
  const auto ends = static_cast<int>(sorted.voxels + 1);
  groups.starts = Buffer(device.pool, static_cast<std::size_t>(ends) * sizeof(std::int32_t));
  const auto* hits = values<std::int32_t>(sorted.hits);
  auto* starts = values<std::int32_t>(groups.starts);
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, hits, starts, ends, device.stream);
  });
  groups.ordered = sorted.crowded;
  if (sorted.crowded) {
    groups.points = points_by_row(device, sorted, all);
    return groups;
  }
  groups.points = Buffer(device.pool, static_cast<std::size_t>(all) * sizeof(std::int32_t));
  const auto *rows = values<std::int32_t>(sorted.rows), *slots = values<std::int32_t>(sorted.slots);
  auto* points = values<std::int32_t>(groups.points);
  for_each(device, all, [=] __device__(std::int64_t at) {
    if (rows[at] >= 0) points[starts[rows[at]] + slots[at]] = static_cast<std::int32_t>(at);
  });
  return groups;
}

}  // namespace spira::cuda

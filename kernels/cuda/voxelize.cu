#include "kernels/cuda/keys.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/points.cuh"
#include "kernels/cuda/voxelize.hpp"

#include <cub/cub.cuh>
#include <cuda_fp16.h>

#include <bit>
#include <utility>

namespace spira::cuda {
namespace {

int key_bits(const PackSpec& pack) {
  return pack.x_bits + pack.y_bits + pack.z_bits;
}

/// Where each ascending run of equal keys starts: places[i] = number of distinct keys up to i, minus 1.
template <class Key> Buffer run_numbers(const Device& device, const Key* keys, std::int64_t count) {
  Buffer places(device.pool, static_cast<std::size_t>(count) * sizeof(std::int32_t));
  auto* to = values<std::int32_t>(places);
  for_each(device, count,
           [=] __device__(std::int64_t at) { to[at] = at > 0 && keys[at] != keys[at - 1] ? 1 : 0; });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, to, to, static_cast<int>(count), device.stream);
  });
  return places;
}

CoordSet coord_set(const Device& device, const PackSpec& pack, int stride, Buffer keys, std::int64_t count) {
  CoordSet coords;
  coords.pack = pack;
  coords.stride = stride;
  coords.capacity = count;
  coords.keys = std::move(keys);
  coords.count = table_copy(device, std::span<const std::int64_t>(&count, 1));
  coords.size = count;
  return coords;
}

/// Keys and point numbers, sorted by key; equal keys keep the order of their points.
template <class Key> struct Sorted {
  Buffer keys, points;
  std::int64_t count = 0;
};

template <class Key>
Sorted<Key> sort_points(const Device& device, const PointsOnDevice& points, std::int64_t all, Job& job) {
  const auto words = static_cast<std::size_t>(all);
  Buffer keys(device.pool, words * sizeof(Key)), numbers(device.pool, words * sizeof(std::int32_t));
  Sorted<Key> sorted{Buffer(device.pool, words * sizeof(Key)),
                     Buffer(device.pool, words * sizeof(std::int32_t)), all};
  {
    const auto stage = job.stage("pack");
    auto* key = values<Key>(keys);
    auto* number = values<std::int32_t>(numbers);
    for_each(device, all, [=] __device__(std::int64_t at) {
      key[at] = static_cast<Key>(points.key(at));
      number[at] = static_cast<std::int32_t>(at);
    });
    if (points.cropped) {  // the sorted arrays serve as the compacted ones
      Buffer flags(device.pool, words), kept(device.pool, sizeof(std::int32_t));
      auto* flag = values<std::uint8_t>(flags);
      for_each(device, all, [=] __device__(std::int64_t at) { flag[at] = points.keeps(at) ? 1 : 0; });
      const auto select = [&](const auto* from, auto* to) {
        with_scratch(device, [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::Flagged(scratch, bytes, from, flag, to, values<std::int32_t>(kept),
                                            static_cast<int>(all), device.stream);
        });
      };
      select(key, values<Key>(sorted.keys));
      select(number, values<std::int32_t>(sorted.points));
      sorted.count = read_value(device, values<std::int32_t>(kept));
      std::swap(keys, sorted.keys);
      std::swap(numbers, sorted.points);
    }
  }
  const auto stage = job.stage("sort");
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, values<Key>(keys), values<Key>(sorted.keys),
                                           values<std::int32_t>(numbers), values<std::int32_t>(sorted.points),
                                           static_cast<int>(sorted.count), 0, key_bits(points.pack),
                                           device.stream);
  });
  return sorted;
}

/// One thread a voxel adds its points in their order, in double: the same sums as on the CPU.
template <class Value>
void mean_features(const Device& device, const MeanInputs& inputs, const std::int32_t* points,
                   const std::int32_t* starts, std::int64_t voxels, Value* features) {
  for_each(device, voxels, [=] __device__(std::int64_t voxel) {
    double sums[input_channels] = {0, 0, 0, 0};
    const std::int32_t begin = starts[voxel], end = starts[voxel + 1];
    for (std::int32_t at = begin; at < end; ++at) {
      const std::int64_t point = points[at];
      for (int channel = 0; channel < input_channels; ++channel)
        sums[channel] += inputs.value(point, channel);
    }
    for (int channel = 0; channel < input_channels; ++channel)
      features[(voxel * input_channels) + channel] =
          static_cast<Value>(static_cast<float>(sums[channel] / (end - begin)));
  });
}

template <class Key>
Voxelized merge(const Device& device, std::int64_t all, const Sorted<Key>& sorted, const MeanInputs& inputs,
                const VoxelizeRequest& request) {
  Voxelized result;
  const std::int64_t count = sorted.count;
  const Key* keys = values<Key>(sorted.keys);
  const auto* points = values<std::int32_t>(sorted.points);
  const Buffer places = run_numbers(device, keys, count);
  const auto* place = values<std::int32_t>(places);
  const std::int64_t voxels = count == 0 ? 0 : std::int64_t{read_value(device, place + count - 1)} + 1;

  Buffer unique(device.pool, static_cast<std::size_t>(voxels) * sizeof(Key));
  Buffer starts(device.pool, static_cast<std::size_t>(voxels + 1) * sizeof(std::int32_t));
  Buffer voxel_of_point(device.pool, static_cast<std::size_t>(all) * sizeof(std::int32_t));
  SPIRA_CUDA(cudaMemsetAsync(voxel_of_point.data(), 0xFF, voxel_of_point.bytes(), device.stream));
  auto* to = values<Key>(unique);
  auto *start = values<std::int32_t>(starts), *voxel_of = values<std::int32_t>(voxel_of_point);
  for_each(device, count, [=] __device__(std::int64_t at) {
    const std::int32_t voxel = place[at];
    voxel_of[points[at]] = voxel;
    if (at == 0 || place[at - 1] != voxel) {
      to[voxel] = keys[at];
      start[voxel] = static_cast<std::int32_t>(at);
    }
    if (at == count - 1) start[voxel + 1] = static_cast<std::int32_t>(count);
  });
  result.features = {
      voxels, input_channels, request.precision,
      Buffer(device.pool, static_cast<std::size_t>(voxels) * input_channels * bytes_of(request.precision))};
  if (request.precision == Precision::fp32) {
    mean_features(device, inputs, points, start, voxels, values<float>(result.features.data));
  } else {
    mean_features(device, inputs, points, start, voxels, values<__half>(result.features.data));
  }
  result.coords = coord_set(device, request.pack, 1, std::move(unique), voxels);
  if (!request.point_lists) return result;
  result.voxel_of_point = host_copy<std::int32_t>(device, voxel_of_point);
  const auto ends = host_copy<std::int32_t>(device, starts);
  for (std::size_t voxel = 0; voxel + 1 < ends.size(); ++voxel)
    result.points_per_voxel.push_back(ends[voxel + 1] - ends[voxel]);
  return result;
}

template <class Key> CoordSet downsample_keys(const Device& device, const CoordSet& level0, int stride) {
  const std::int64_t count = level0.size.value();
  const auto bytes_of_keys = static_cast<std::size_t>(count) * sizeof(Key);
  const auto mask = static_cast<Key>(level0.pack.round_down_mask(stride));
  Buffer rounded(device.pool, bytes_of_keys), sorted(device.pool, bytes_of_keys),
      unique(device.pool, bytes_of_keys), found(device.pool, sizeof(std::int32_t));
  const Key* from = values<Key>(level0.keys);
  auto* to = values<Key>(rounded);
  for_each(device, count, [=] __device__(std::int64_t at) { to[at] = from[at] & mask; });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, to, values<Key>(sorted), static_cast<int>(count), 0,
                                          key_bits(level0.pack), device.stream);
  });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, values<Key>(sorted), values<Key>(unique),
                                     values<std::int32_t>(found), static_cast<int>(count), device.stream);
  });
  const std::int64_t voxels = count == 0 ? 0 : read_value(device, values<std::int32_t>(found));
  Buffer keys(device.pool, static_cast<std::size_t>(voxels) * sizeof(Key));
  if (voxels != 0) {
    SPIRA_CUDA(
        cudaMemcpyAsync(keys.data(), unique.data(), keys.bytes(), cudaMemcpyDeviceToDevice, device.stream));
  }
  return coord_set(device, level0.pack, stride, std::move(keys), voxels);
}

}  // namespace

UploadedPoints upload_points(const Device& device, std::shared_ptr<const PointCloud> cloud, Job& job) {
  const auto stage = job.stage("transfer");
  UploadedPoints points{std::move(cloud), {}, {}, {}};
  points.positions = device_copy(device, std::span<const Point>(points.cloud->positions));
  points.intensity = device_copy(device, std::span<const float>(points.cloud->intensity));
  points.origin = display_origin(*points.cloud);
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));  // what was copied from may end now
  return points;
}

Voxelized voxelize(const Device& device, const UploadedPoints& uploaded, const Grid& grid,
                   const VoxelizeRequest& request, Job& job) {
  require_sound(uploaded, request);
  const std::int64_t all = uploaded.cloud->size();
  const auto shift = request.range->shift(request.coarsest_stride);
  const PointsOnDevice points = describe(values<double>(uploaded.positions), grid, request.pack, shift);
  const Point& origin = uploaded.origin;
  const MeanInputs inputs{
      points.positions, values<float>(uploaded.intensity), {origin[0], origin[1], origin[2]}};
  return visit_key(request.pack, [&]<class Key>(Key) {
    const Sorted<Key> sorted = sort_points<Key>(device, points, all, job);
    job.checkpoint({"sorting voxels", 1, 2});
    Voxelized result = merge<Key>(device, all, sorted, inputs, request);
    result.shift = shift;
    return result;
  });
}

CoordSet downsample(const Device& device, const CoordSet& level0, int stride, Job& job) {
  SPIRA_ASSERT(stride >= level0.stride && std::has_single_bit(static_cast<unsigned>(stride)) && stride <= 16,
               "down-sampling needs a power of two up to 16");
  job.checkpoint({"down-sampling", 0, 1});
  return visit_key(level0.pack, [&]<class Key>(Key) { return downsample_keys<Key>(device, level0, stride); });
}

}  // namespace spira::cuda

// Uploads points (stage "transfer") and voxelizes them (stages "pack", "sort", "input" and, if positions are
// requested, "positions").
#include "engine/scene/batch.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/voxels/point_sort.hpp"
#include "kernels/cuda/voxels/positions.hpp"
#include "kernels/cuda/voxels/voxelize.hpp"

#include <cuda_fp16.h>

#include <utility>
#include <vector>

namespace spira::cuda {
namespace {

static_assert(position_channels == 4, "four threads of a warp share a voxel");

/// Sorts the points of a voxel by index with an insertion sort. This is fast, because a voxel has few points
/// and they are mostly in order already: threads process the points roughly in order.
__device__ void put_in_order(std::int32_t* points, std::int32_t count) {
  for (std::int32_t at = 1; at < count; ++at) {
    const std::int32_t moved = points[at];
    std::int32_t to = at;
    for (; to > 0 && points[to - 1] > moved; --to)
      points[to] = points[to - 1];
    points[to] = moved;
  }
}

/// Computes the mean features of each voxel. Four threads process a voxel, one per channel. They add the
/// points in order and in double precision, so the sums are equal to the sums of the CPU back end. Each
/// thread reads several values at a time, so that it does not have to wait for each read separately.
template <class Value>
void mean_positions(const Device& device, const MeanInputs& inputs, PointGroups& groups, std::int64_t voxels,
                    Value* features) {
  constexpr std::int32_t ahead = 8;
  auto* points = values<std::int32_t>(groups.points);
  const auto* starts = values<std::int32_t>(groups.starts);
  const bool ordered = groups.ordered;
  for_each(device, voxels * position_channels, [=] __device__(std::int64_t item) {
    const std::int64_t voxel = item / position_channels;
    const int channel = static_cast<int>(item % position_channels);
    const std::int32_t begin = starts[voxel], end = starts[voxel + 1];
    if (!ordered) {
      if (channel == 0) put_in_order(points + begin, end - begin);
      // This barrier synchronizes the four threads that compute this voxel.
      __syncwarp(0xFU << (threadIdx.x & 28U));
    }
    double sum = 0;
    std::int32_t at = begin;
    for (; at + ahead <= end; at += ahead) {
      double next[ahead];
#pragma unroll
      for (std::int32_t step = 0; step < ahead; ++step)
        next[step] = inputs.position_value(points[at + step], channel);
#pragma unroll
      for (std::int32_t step = 0; step < ahead; ++step)
        sum += next[step];
    }
    for (; at < end; ++at)
      sum += inputs.position_value(points[at], channel);
    features[item] = static_cast<Value>(static_cast<float>(sum / (end - begin)));
  });
}

/// Computes the means of PointCloud::features, with one thread per value. The points are added in the same
/// order as on the CPU back end.
template <class Value>
void mean_values(const Device& device, const MeanInputs& inputs, PointGroups& groups, std::int64_t voxels,
                 Value* features) {
  auto* points = values<std::int32_t>(groups.points);
  const auto* starts = values<std::int32_t>(groups.starts);
  if (!groups.ordered) {
    for_each(device, voxels, [=] __device__(std::int64_t voxel) {
      put_in_order(points + starts[voxel], starts[voxel + 1] - starts[voxel]);
    });
  }
  const int channels = inputs.feature_channels;
  for_each(device, voxels * channels, [=] __device__(std::int64_t item) {
    const std::int64_t voxel = item / channels;
    const int channel = static_cast<int>(item % channels);
    const std::int32_t begin = starts[voxel], end = starts[voxel + 1];
    double sum = 0;
    for (std::int32_t at = begin; at < end; ++at)
      sum += inputs.feature(points[at], channel);
    features[item] = static_cast<Value>(static_cast<float>(sum / (end - begin)));
  });
}

/// Computes the input features. Also sorts the points of each voxel.
Features features_of(const Device& device, const MeanInputs& inputs, PointGroups& groups, std::int64_t voxels,
                     Precision precision) {
  const int channels = inputs.channels();
  Features features{voxels, channels, precision,
                    Buffer(device.pool, static_cast<std::size_t>(voxels) *
                                            static_cast<std::size_t>(channels) * bytes_of(precision))};
  const auto fill = [&]<class Value>(Value* to) {
    inputs.feature_channels != 0 ? mean_values(device, inputs, groups, voxels, to)
                                 : mean_positions(device, inputs, groups, voxels, to);
  };
  precision == Precision::fp32 ? fill(values<float>(features.data)) : fill(values<__half>(features.data));
  return features;
}

/// Returns the extent of all frames.
Extent extent_of(const PointCloud& cloud, const VoxelizeRequest& request) {
  return request.pack.batch_extent(request.range->extent(request.levels), cloud.batch());
}

Voxelized no_points(const Device& device, const PointCloud& cloud, const VoxelizeRequest& request) {
  Voxelized none;
  none.coords = coord_set(device, request.pack, 1, extent_of(cloud, request), {}, 0);
  none.features = {0, cloud.input_channels(), request.precision, {}};
  if (request.point_lists) none.voxel_of_point.assign(static_cast<std::size_t>(cloud.size()), -1);
  return none;
}

}  // namespace

UploadedPoints upload_points(const Device& device, std::shared_ptr<const PointCloud> cloud, Job& job) {
  const auto stage = job.stage("transfer");
  UploadedPoints points{std::move(cloud), {}, {}};
  points.positions = device_copy(device, std::span<const Point>(points.cloud->positions));
  const PointCloud& source = *points.cloud;
  points.values = device_copy(
      device, std::span<const float>(source.feature_channels > 0 ? source.features : source.intensity));
  if (source.batch() > 1) {
    const std::vector<std::uint8_t> frames = frames_of_points(source);
    points.frames = device_copy(device, std::span<const std::uint8_t>(frames));
    SPIRA_CUDA(cudaStreamSynchronize(device.stream));
  }
  // Wait for the copies, because the host memory may be freed after this call.
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));
  return points;
}

Voxelized voxelize(const Device& device, const UploadedPoints& uploaded, const Grid& grid,
                   const VoxelizeRequest& request, Job& job) {
  require_sound(uploaded, request);
  const std::int64_t all = uploaded.cloud->size();
  const auto shift = request.range->shift(request.levels);
  Voxelized result;
  if (request.range->points == 0) {
    result = no_points(device, *uploaded.cloud, request);
    if (request.positions) result.positions = Positions{grid.positions, {}, {}};
    result.shift = shift;
    return result;
  }
  const bool batch = uploaded.cloud->batch() > 1;
  const PointsOnDevice points = describe(values<double>(uploaded.positions), grid, request.pack, shift,
                                         batch ? values<std::uint8_t>(uploaded.frames) : nullptr,
                                         request.range->extent(request.levels)[0]);
  const Point& origin = request.origin;
  const MeanInputs inputs{points.positions,
                          values<float>(uploaded.values),
                          {origin[0], origin[1], origin[2]},
                          uploaded.cloud->feature_channels};
  const SceneTask task{points, all, extent_of(*uploaded.cloud, request)};
  SortedPoints sorted = sort_points(device, task, job);
  job.checkpoint({"sorting voxels", 1, 2});
  const std::int64_t voxels = sorted.voxels;
  {
    const auto stage = job.stage("input");
    if (sorted.groups.starts.bytes() == 0) sorted.groups = group_points(device, sorted, all);
    result.features = features_of(device, inputs, sorted.groups, voxels, request.precision);
  }
  if (request.positions)
    result.positions =
        nearest_points(device, grid.positions, {points, all, values<std::int32_t>(sorted.rows), voxels}, job);
  result.coords = coord_set(device, request.pack, 1, task.extent, std::move(sorted.keys), voxels);
  result.shift = shift;
  if (!request.point_lists) return result;
  result.voxel_of_point = host_copy<std::int32_t>(device, sorted.rows);
  const auto ends = host_copy<std::int32_t>(device, sorted.groups.starts);
  for (std::size_t voxel = 0; voxel + 1 < ends.size(); ++voxel)
    result.points_per_voxel.push_back(ends[voxel + 1] - ends[voxel]);
  return result;
}

}  // namespace spira::cuda

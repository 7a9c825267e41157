// Makes input images, masks and lists of active blocks (stages "project", "mask" and "blocks"). Nothing but
// the copy of a mask from the host makes the host wait.
#include "engine/base/error.hpp"
#include "kernels/cuda/birds_eye/birds_eye.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cub/device/device_select.cuh>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace spira::cuda {
namespace {

/// The members of an Area as plain values, because kernels receive them by value.
struct AreaOnDevice {
  double cell_m, first[2], cells[2], low_m, high_m;
  std::int64_t columns;

  explicit AreaOnDevice(const Area& area)
      : cell_m(area.cell_m),
        first{static_cast<double>(area.first[0]), static_cast<double>(area.first[1])},
        cells{static_cast<double>(area.cells[0]), static_cast<double>(area.cells[1])},
        low_m(area.z_m[0]),
        high_m(area.z_m[1]),
        columns(area.cells[1]) {}
  /// See Area::row_of().
  [[nodiscard]] __device__ std::int64_t row_of(const double* point) const {
    const double x = floor(point[0] / cell_m) - first[0], y = floor(point[1] / cell_m) - first[1];
    if (!(x >= 0 && x < cells[0] && y >= 0 && y < cells[1])) return -1;
    return (static_cast<std::int64_t>(x) * columns) + static_cast<std::int64_t>(y);
  }
  /// Returns the row of the cell of a point, or -1 if the point is outside the area or its range of z.
  [[nodiscard]] __device__ std::int64_t row_in_heights(const double* point) const {
    return point[2] >= low_m && point[2] < high_m ? row_of(point) : -1;
  }
  /// Returns the channel that a point of height z sets to 1. See BirdsEye::project().
  [[nodiscard]] __device__ int height_channel(double z, int channels) const {
    const int bins = channels - 3;
    if (!(z >= low_m)) return 0;
    if (z >= high_m) return bins + 1;
    const double bin = (z - low_m) / (high_m - low_m) * bins;
    return 1 + min(static_cast<int>(bin), bins - 1);
  }
};

/// Intensities are summed in whole multiples of 2^-24, so the order of the additions does not change the sum.
constexpr double steps_of_intensity = 16'777'216.0;

void clear(const Device& device, Buffer& buffer) {
  SPIRA_CUDA(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), device.stream));
}

/// Sets the channels of the heights to 1. Without intensities, also sets the mean intensity.
template <class Value>
void project_points(const Device& device, const UploadedPoints& points, const AreaOnDevice& area,
                    const float* intensities, Features& image) {
  const auto* const positions = values<double>(points.positions);
  auto* const to = values<Value>(image.data);
  const int channels = image.channels;
  if (intensities == nullptr) {
    for_each(device, points.cloud->size(), [=] __device__(std::int64_t at) {
      const std::int64_t row = area.row_of(positions + (3 * at));
      if (row < 0) return;
      Value* const cell = to + (row * channels);
      cell[area.height_channel(positions[(3 * at) + 2], channels)] = static_cast<Value>(1.0F);
      cell[channels - 1] = static_cast<Value>(1.0F);
    });
    return;
  }
  Buffer sum_buffer(device.pool, static_cast<std::size_t>(image.rows) * sizeof(std::int64_t));
  Buffer count_buffer(device.pool, static_cast<std::size_t>(image.rows) * sizeof(std::int32_t));
  clear(device, sum_buffer);
  clear(device, count_buffer);
  auto* const sums = values<unsigned long long>(sum_buffer);
  auto* const counts = values<std::int32_t>(count_buffer);
  for_each(device, points.cloud->size(), [=] __device__(std::int64_t at) {
    const std::int64_t row = area.row_of(positions + (3 * at));
    if (row < 0) return;
    to[(row * channels) + area.height_channel(positions[(3 * at) + 2], channels)] = static_cast<Value>(1.0F);
    const std::int64_t steps = __double2ll_rn(static_cast<double>(intensities[at]) * steps_of_intensity);
    atomicAdd(sums + row, static_cast<unsigned long long>(steps));
    atomicAdd(counts + row, 1);
  });
  for_each(device, image.rows, [=] __device__(std::int64_t row) {
    if (counts[row] == 0) return;
    const double mean = static_cast<double>(static_cast<std::int64_t>(sums[row])) / steps_of_intensity /
                        static_cast<double>(counts[row]);
    to[((row + 1) * channels) - 1] = static_cast<Value>(static_cast<float>(mean));
  });
}

/// Sets the cells with at least `wanted` points in the range of z to 1.
void mark_occupied(const Device& device, const UploadedPoints& points, const AreaOnDevice& area,
                   std::int64_t wanted, Buffer& mask) {
  const auto* const positions = values<double>(points.positions);
  auto* const cells = values<std::uint8_t>(mask);
  if (wanted == 1) {
    clear(device, mask);
    for_each(device, points.cloud->size(), [=] __device__(std::int64_t at) {
      const std::int64_t row = area.row_in_heights(positions + (3 * at));
      if (row >= 0) cells[row] = 1;
    });
    return;
  }
  Buffer count_buffer(device.pool, mask.bytes() * sizeof(std::int32_t));
  clear(device, count_buffer);
  auto* const counts = values<std::int32_t>(count_buffer);
  for_each(device, points.cloud->size(), [=] __device__(std::int64_t at) {
    const std::int64_t row = area.row_in_heights(positions + (3 * at));
    if (row >= 0) atomicAdd(counts + row, 1);
  });
  for_each(device, static_cast<std::int64_t>(mask.bytes()),
           [=] __device__(std::int64_t row) { cells[row] = counts[row] >= wanted ? 1 : 0; });
}

/// Returns the cells that have a set cell at most `radius` cells before or after them, along x or along y.
Buffer spread(const Device& device, const Buffer& mask, const Area& area, std::int64_t radius, bool along_x) {
  Buffer result(device.pool, mask.bytes());
  const auto* const from = values<std::uint8_t>(mask);
  auto* const to = values<std::uint8_t>(result);
  const std::int64_t columns = area.columns(), count = along_x ? area.rows() : columns,
                     step = along_x ? columns : 1;
  for_each(device, area.size(), [=] __device__(std::int64_t at) {
    const std::int64_t place = along_x ? at / columns : at % columns;
    const std::int64_t first = max(-radius, -place), last = min(radius, count - 1 - place);
    bool set = false;
    for (std::int64_t d = first; d <= last && !set; ++d)
      set = from[at + (d * step)] != 0;
    to[at] = set ? 1 : 0;
  });
  return result;
}

/// Returns the mask at a stride: a cell is 1 if one of its stride x stride cells is.
Buffer coarser_cells(const Device& device, const Buffer& mask, const Area& area, int stride) {
  Buffer result(device.pool, static_cast<std::size_t>(area.size(stride)));
  const auto* const from = values<std::uint8_t>(mask);
  auto* const to = values<std::uint8_t>(result);
  const std::int64_t columns = area.columns(), coarse_columns = area.columns(stride);
  // The number of columns is a multiple of the stride, so words do not cross a cell.
  const int word = stride % 4 == 0 ? 4 : 1;
  for_each(device, area.size(stride), [=] __device__(std::int64_t at) {
    const std::uint8_t* const cell =
        from + (at / coarse_columns * stride * columns) + (at % coarse_columns * stride);
    unsigned set = 0;
    for (int x = 0; x < stride; ++x) {
      for (int y = 0; y < stride; y += word) {
        const std::uint8_t* const here = cell + (x * columns) + y;
        set |= word == 4 ? *reinterpret_cast<const unsigned*>(here) : *here;
      }
    }
    to[at] = set != 0 ? 1 : 0;
  });
  return result;
}

/// The arguments of the kernel that finds active blocks.
struct FlagTask {
  const std::uint8_t* cells;  ///< The mask at the stride of the blocks.
  std::int64_t rows, columns, grid_columns, blocks, min_cells;
  int core, reach;
  std::uint8_t* flags;  ///< 1 for each active block, otherwise 0.
};

/// Each warp counts the cells of one block.
__global__ void __launch_bounds__(threads_per_block) flag_blocks_kernel(const FlagTask task) {
  const std::int64_t block = ((static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x) / 32;
  if (block >= task.blocks) return;
  const std::int64_t first_x = (block / task.grid_columns * task.core) - task.reach,
                     first_y = (block % task.grid_columns * task.core) - task.reach;
  const int edge = task.core + (2 * task.reach);
  std::uint32_t count = 0;
  for (int at = static_cast<int>(threadIdx.x % 32U); at < edge * edge; at += 32) {
    const std::int64_t x = first_x + (at / edge), y = first_y + (at % edge);
    if (x >= 0 && x < task.rows && y >= 0 && y < task.columns) count += task.cells[(x * task.columns) + y];
  }
  count = sum_of_warp(count);
  if (threadIdx.x % 32U == 0) task.flags[block] = count >= task.min_cells ? 1 : 0;
}

}  // namespace

Features CudaBirdsEye::project(const UploadedPoints& points, const Area& area, int channels,
                               Precision precision, Job& /*job*/) {
  SPIRA_ASSERT(channels >= 4, "an image of points has at least four channels");
  Features image{area.size(), channels, precision,
                 Buffer(device_.pool, static_cast<std::size_t>(area.size()) *
                                          static_cast<std::size_t>(channels) * bytes_of(precision))};
  clear(device_, image.data);
  const PointCloud& cloud = *points.cloud;
  // If the cloud has features, UploadedPoints::values contains them instead of the intensities.
  const Buffer own =
      cloud.feature_channels > 0 ? device_copy(device_, std::span<const float>(cloud.intensity)) : Buffer();
  const float* const intensities =
      cloud.intensity.empty() ? nullptr : values<float>(cloud.feature_channels > 0 ? own : points.values);
  precision == Precision::fp16
      ? project_points<__half>(device_, points, AreaOnDevice(area), intensities, image)
      : project_points<float>(device_, points, AreaOnDevice(area), intensities, image);
  return image;
}

Buffer CudaBirdsEye::make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec,
                               Job& job) {
  Buffer mask(device_.pool, static_cast<std::size_t>(area.size()));
  if (spec.source == MaskSource::all) {
    SPIRA_CUDA(cudaMemsetAsync(mask.data(), 1, mask.bytes(), device_.stream));
    return mask;
  }
  if (spec.source == MaskSource::occupied) {
    mark_occupied(device_, points, AreaOnDevice(area), spec.points, mask);
  } else {
    MaskSpec undilated = spec;
    undilated.dilation = 0;
    const Mask on_host = spira::make_mask(*points.cloud, area, undilated, job);
    copy_to_device(device_, mask.data(), on_host.cells.data(), on_host.cells.size());
    SPIRA_CUDA(cudaStreamSynchronize(device_.stream));
  }
  if (spec.dilation == 0) return mask;
  const Buffer along_y = spread(device_, mask, area, spec.dilation, false);
  return spread(device_, along_y, area, spec.dilation, true);
}

BlockList CudaBirdsEye::active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape,
                                      Job& /*job*/) {
  SPIRA_ASSERT(mask.bytes() == static_cast<std::size_t>(area.size()), "the mask is of another area");
  SPIRA_ASSERT(std::find(block_cores.begin(), block_cores.end(), shape.core) != block_cores.end() &&
                   shape.min_cells >= 1 && shape.reach >= 0,
               "the shape of the blocks is not valid");
  const auto grid = grid_of(shape, area);
  const std::int64_t blocks = grid[0] * grid[1];
  BlockList list{shape, grid, Buffer(device_.pool, static_cast<std::size_t>(blocks) * sizeof(std::int32_t)),
                 Buffer(device_.pool, sizeof(std::int64_t))};
  const Buffer coarse = shape.stride == 1 ? Buffer() : coarser_cells(device_, mask, area, shape.stride);
  Buffer flags(device_.pool, static_cast<std::size_t>(blocks));
  constexpr std::int64_t warps = threads_per_block / 32;
  flag_blocks_kernel<<<blocks_for(blocks, warps), threads_per_block, 0, device_.stream>>>(
      {values<std::uint8_t>(shape.stride == 1 ? mask : coarse), area.rows(shape.stride),
       area.columns(shape.stride), grid[1], blocks, shape.min_cells, shape.core, shape.reach,
       values<std::uint8_t>(flags)});
  SPIRA_CUDA(cudaGetLastError());
  // The selection keeps the order of the numbers, so the list is ascending.
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<std::int32_t>(0),
                                      values<std::uint8_t>(flags), values<std::int32_t>(list.numbers),
                                      values<std::int64_t>(list.count), blocks, device_.stream);
  });
  return list;
}

}  // namespace spira::cuda

// Searches the pair lists of a native map for the begin of each unit of outputs (part of stage "order").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/column_starts.hpp"
#include "kernels/cuda/order/first_pair.cuh"

namespace spira::cuda {
namespace {

/// One thread searches one unit of one column. blockIdx.y is the column.
__global__ void starts_kernel(const int2* pairs, const std::int32_t* counts, int columns, std::int64_t units,
                              std::uint32_t* starts) {
  const int column = static_cast<int>(blockIdx.y), thread = static_cast<int>(threadIdx.x);
  std::uint32_t begin = first_pair_of(counts, column),
                end = begin + static_cast<std::uint32_t>(__ldg(counts + column));
  const std::int64_t unit = (static_cast<std::int64_t>(blockIdx.x) * threads_per_block) + thread;
  if (unit > units) return;
  while (begin < end) {
    const std::uint32_t middle = begin + ((end - begin) / 2);
    if (__ldg(&pairs[middle].x) < unit * rows_of_start_unit) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  starts[(unit * columns) + column] = begin;
}

}  // namespace

void column_starts(const Device& device, const int2* pairs, const std::int32_t* counts, int columns,
                   std::int64_t outputs, ColumnStarts& order) {
  order.starts = Buffer(device.pool, ColumnStarts::bytes_for(outputs, columns));
  const std::int64_t units = ColumnStarts::units(outputs);
  const dim3 grid(blocks_for(units + 1), static_cast<unsigned>(columns));
  starts_kernel<<<grid, threads_per_block, 0, device.stream>>>(pairs, counts, columns, units,
                                                               values<std::uint32_t>(order.starts));
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda

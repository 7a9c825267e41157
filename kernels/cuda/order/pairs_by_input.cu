// Sorts the pair lists of a native map by input with a stable radix sort (part of stage "order").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/first_pair.cuh"
#include "kernels/cuda/order/pairs_by_input.hpp"

#include <cub/cub.cuh>

#include <bit>

namespace spira::cuda {
namespace {

/// Exchanges output and input of each pair, and writes its sort key: column * inputs + input. blockIdx.y is
/// the column.
__global__ void exchange_kernel(const int2* pairs, const std::int32_t* counts, std::int64_t inputs,
                                std::uint64_t* keys, int2* exchanged) {
  const int column = static_cast<int>(blockIdx.y);
  const std::uint32_t first = first_pair_of(counts, column),
                      end = first + static_cast<std::uint32_t>(__ldg(counts + column)),
                      step = gridDim.x * threads_per_block;
  for (std::uint32_t at = first + (blockIdx.x * threads_per_block) + threadIdx.x; at < end; at += step) {
    const int2 pair = __ldg(pairs + at);
    keys[at] = static_cast<std::uint64_t>((column * inputs) + pair.y);
    exchanged[at] = make_int2(pair.y, pair.x);
  }
}

}  // namespace

void pairs_by_input(const Device& device, const int2* pairs, const std::int32_t* counts, int columns,
                    std::int64_t inputs, std::int64_t number, PairsByInput& order) {
  const auto count = static_cast<std::size_t>(number);
  order.pairs = Buffer(device.pool, count * sizeof(int2));
  if (number != 0) {
    constexpr unsigned blocks_of_column = 64;
    Buffer keys(device.pool, count * sizeof(std::uint64_t)), sorted_keys(device.pool, keys.bytes()),
        exchanged(device.pool, order.pairs.bytes());
    exchange_kernel<<<dim3(blocks_of_column, static_cast<unsigned>(columns)), threads_per_block, 0,
                      device.stream>>>(pairs, counts, inputs, values<std::uint64_t>(keys),
                                       values<int2>(exchanged));
    SPIRA_CUDA(cudaGetLastError());
    const int bits = std::bit_width(static_cast<std::uint64_t>(columns * inputs));
    with_scratch(device, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, values<std::uint64_t>(keys),
                                             values<std::uint64_t>(sorted_keys), values<int2>(exchanged),
                                             values<int2>(order.pairs), number, 0, bits, device.stream);
    });
  }
  column_starts(device, values<int2>(order.pairs), counts, columns, inputs, order.starts);
}

}  // namespace spira::cuda

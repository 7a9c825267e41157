#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/map_layouts.hpp"
#include "kernels/cuda/runs.cuh"

#include <cub/cub.cuh>

#include <algorithm>

namespace spira::cuda {
namespace {

constexpr int warps = threads_per_block / 32, most_columns = 343;  // of K = 7
constexpr int group_step = 8;                                      // more than a z-group has offsets

/// A block looks at as many outputs as it has threads, column by column: whoever has an input is a bit of a
/// ballot, so counts and places come out in order.
template <class Word> struct PairTask {
  Runs<Word> runs;
  std::int64_t outputs;
  std::int64_t* starts;  ///< [stored][blocks], then one more: counts, then where the pairs of a block start
  int stored;
  std::int16_t columns[most_columns];  ///< [stored], ascending: z-group * 8 + offset in it

  /// visit(slot, input), by all lanes of a warp together; input -1: none.
  template <class Visit> __device__ void each_column(std::int64_t output, Visit&& visit) const {
    Word word{};
    int group = -1;
    for (int slot = 0; slot < stored; ++slot) {
      const int column = columns[slot], own = column / group_step;
      if (own != group) word = output < outputs ? runs.word(output, own) : Word{0};
      group = own;
      visit(slot, runs.input_of(word, column % group_step));
    }
  }
  [[nodiscard]] __device__ std::int64_t output() const {
    return (static_cast<std::int64_t>(blockIdx.x) * threads_per_block) + threadIdx.x;
  }
};

template <class Word>
__global__ void __launch_bounds__(threads_per_block)
    count_pairs_kernel(const __grid_constant__ PairTask<Word> task) {
  __shared__ int counts[warps][most_columns];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  task.each_column(task.output(), [&](int slot, std::int32_t input) {
    const unsigned found = __ballot_sync(0xFFFFFFFFU, input >= 0);
    if (thread % 32 == 0) counts[warp][slot] = __popc(found);
  });
  __syncthreads();
  for (int slot = thread; slot < task.stored; slot += threads_per_block) {
    int sum = 0;
#pragma unroll
    for (int at = 0; at < warps; ++at)
      sum += counts[at][slot];
    task.starts[(static_cast<std::int64_t>(slot) * gridDim.x) + blockIdx.x] = sum;
  }
  if (blockIdx.x == 0 && thread == 0) task.starts[static_cast<std::int64_t>(task.stored) * gridDim.x] = 0;
}

template <class Word>
__global__ void __launch_bounds__(threads_per_block)
    write_pairs_kernel(const __grid_constant__ PairTask<Word> task, int2* pairs, std::int32_t* counts) {
  __shared__ std::int64_t places[warps][most_columns];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const std::int64_t output = task.output();
  task.each_column(output, [&](int slot, std::int32_t input) {
    const unsigned found = __ballot_sync(0xFFFFFFFFU, input >= 0);
    if (lane == 0) places[warp][slot] = __popc(found);
  });
  __syncthreads();
  for (int slot = thread; slot < task.stored; slot += threads_per_block) {
    const std::int64_t* starts = task.starts + (static_cast<std::int64_t>(slot) * gridDim.x);
    std::int64_t place = starts[blockIdx.x];
    if (blockIdx.x == 0) counts[slot] = static_cast<std::int32_t>(starts[gridDim.x] - place);
#pragma unroll
    for (int at = 0; at < warps; ++at) {
      const std::int64_t count = places[at][slot];
      places[at][slot] = place;
      place += count;
    }
  }
  __syncthreads();
  task.each_column(output, [&](int slot, std::int32_t input) {
    const unsigned found = __ballot_sync(0xFFFFFFFFU, input >= 0);
    if (input >= 0)
      pairs[places[warp][slot] + __popc(found & ((1U << lane) - 1U))] =
          make_int2(static_cast<int>(output), input);
  });
}

}  // namespace

void fill_pair_lists(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                     KernelMap::Part& part) {
  const std::size_t stored = part.columns.size();
  part.counts = Buffer(device.pool, stored * sizeof(std::int32_t));
  if (map.outputs == 0 || stored == 0) {
    if (stored != 0) SPIRA_CUDA(cudaMemsetAsync(part.counts.data(), 0, part.counts.bytes(), device.stream));
    return;
  }
  SPIRA_ASSERT(stored <= most_columns, "a map has more columns than any kernel of ours");
  const unsigned blocks = blocks_for(map.outputs);
  const int kernel_size = map.offsets->kernel_size();
  const std::size_t ranges = stored * blocks;
  Buffer starts(device.pool, (ranges + 1) * sizeof(std::int64_t));
  auto* start = values<std::int64_t>(starts);
  visit_runs(runs, map, [&]<class Word>(const Runs<Word>& words) {
    PairTask<Word> task{words, map.outputs, start, static_cast<int>(stored), {}};
    std::transform(part.columns.begin(), part.columns.end(), task.columns, [&](int column) {
      return static_cast<std::int16_t>((column / kernel_size * group_step) + (column % kernel_size));
    });
    count_pairs_kernel<<<blocks, threads_per_block, 0, device.stream>>>(task);
    SPIRA_CUDA(cudaGetLastError());
    with_scratch(device, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, start, start, static_cast<int>(ranges + 1),
                                           device.stream);
    });
    const std::int64_t all = read_value(device, start + ranges);
    part.entries = Buffer(device.pool, static_cast<std::size_t>(all) * sizeof(int2));
    write_pairs_kernel<<<blocks, threads_per_block, 0, device.stream>>>(task, values<int2>(part.entries),
                                                                        values<std::int32_t>(part.counts));
    SPIRA_CUDA(cudaGetLastError());
  });
}

}  // namespace spira::cuda

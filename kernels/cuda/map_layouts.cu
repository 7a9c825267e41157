#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/map_layouts.hpp"

#include <cub/cub.cuh>

namespace spira::cuda {
namespace {

constexpr int rows_per_block = 1024;  // of a pair-list column; four a thread

template <class Word> struct Runs {
  const Word* words;
  int groups, kernel_size;

  /// Position of the input of (output, column); -1: none.
  [[nodiscard]] __device__ std::int32_t input(std::int64_t output, int column) const {
    const Word word = words[(output * groups) + (column / kernel_size)];
    const auto mask = static_cast<std::uint32_t>(word) & ((1U << kernel_size) - 1U);
    const std::uint32_t bit = 1U << static_cast<unsigned>(column % kernel_size);
    if ((mask & bit) == 0) return -1;
    return static_cast<std::int32_t>(word >> kernel_size) + __popc(mask & (bit - 1U));
  }
};

template <class Visit> void visit_runs(const RunWordsOnDevice& runs, const KernelMap& map, Visit&& visit) {
  const int groups = map.offsets->z_groups(), kernel_size = map.offsets->kernel_size();
  if (runs.word_bits == 32) {
    visit(Runs<std::uint32_t>{values<std::uint32_t>(*runs.words), groups, kernel_size});
  } else {
    visit(Runs<std::uint64_t>{values<std::uint64_t>(*runs.words), groups, kernel_size});
  }
}

/// Writes one entry of a dense layout.
template <class Word> struct DenseEntry {
  Runs<Word> runs;
  std::int32_t* entries;
  const std::int32_t* columns;
  std::int64_t outputs, stored;
  bool output_major;

  __device__ void operator()(std::int64_t at) const {
    const std::int64_t output = output_major ? at / stored : at % outputs;
    const std::int64_t slot = output_major ? at % stored : at / outputs;
    entries[at] = runs.input(output, columns[slot]);
  }
};

/// Counts the matches of a column in a range of outputs; with `pairs`, also writes them, in order.
template <class Word, bool write>
__global__ void __launch_bounds__(threads_per_block)
    pair_kernel(Runs<Word> runs, const std::int32_t* columns, std::int64_t outputs, std::int64_t* starts,
                int2* pairs) {
  using Scan = cub::BlockScan<int, threads_per_block>;
  __shared__ typename Scan::TempStorage scratch;
  constexpr int each = rows_per_block / threads_per_block;
  const int column = columns[blockIdx.y];
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * rows_per_block) + (threadIdx.x * each);
  std::int32_t found[each];
  int count = 0;
  for (int at = 0; at < each; ++at) {
    found[at] = first + at < outputs ? runs.input(first + at, column) : -1;
    count += found[at] >= 0 ? 1 : 0;
  }
  int before = 0, all = 0;
  Scan(scratch).ExclusiveSum(count, before, all);
  std::int64_t& start = starts[(static_cast<std::int64_t>(blockIdx.y) * gridDim.x) + blockIdx.x];
  if constexpr (write) {
    std::int64_t to = start + before;
    for (int at = 0; at < each; ++at) {
      if (found[at] >= 0) pairs[to++] = make_int2(static_cast<int>(first + at), found[at]);
    }
  } else if (threadIdx.x == 0) {
    start = all;
  }
}

}  // namespace

void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part) {
  const auto stored = static_cast<std::int64_t>(part.columns.size());
  part.entries = Buffer(device.pool, static_cast<std::size_t>(map.outputs * stored) * sizeof(std::int32_t));
  const Buffer columns = table_copy(device, std::span<const int>(part.columns));
  const auto* column = values<std::int32_t>(columns);
  auto* entries = values<std::int32_t>(part.entries);
  const std::int64_t outputs = map.outputs;
  const bool output_major = part.layout == MapLayout::output_major;
  visit_runs(runs, map, [&](const auto& words) {
    for_each(device, outputs * stored, DenseEntry{words, entries, column, outputs, stored, output_major});
  });
}

void fill_pair_lists(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                     KernelMap::Part& part) {
  const std::size_t stored = part.columns.size();
  part.counts = Buffer(device.pool, stored * sizeof(std::int32_t));
  if (map.outputs == 0 || stored == 0) {
    if (stored != 0) SPIRA_CUDA(cudaMemsetAsync(part.counts.data(), 0, part.counts.bytes(), device.stream));
    return;
  }
  const unsigned blocks = blocks_for(map.outputs, rows_per_block);
  const dim3 grid(blocks, static_cast<unsigned>(stored));
  const Buffer columns = table_copy(device, std::span<const int>(part.columns));
  const auto* column = values<std::int32_t>(columns);
  const std::size_t ranges = stored * blocks;
  Buffer starts(device.pool, (ranges + 1) * sizeof(std::int64_t));
  auto* start = values<std::int64_t>(starts);
  SPIRA_CUDA(cudaMemsetAsync(start + ranges, 0, sizeof(std::int64_t), device.stream));
  visit_runs(runs, map, [&]<class Word>(const Runs<Word>& words) {
    pair_kernel<Word, false>
        <<<grid, threads_per_block, 0, device.stream>>>(words, column, map.outputs, start, nullptr);
    SPIRA_CUDA(cudaGetLastError());
    with_scratch(device, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, start, start, static_cast<int>(ranges + 1),
                                           device.stream);
    });
    const std::int64_t all = read_value(device, start + ranges);
    part.entries = Buffer(device.pool, static_cast<std::size_t>(all) * sizeof(int2));
    pair_kernel<Word, true><<<grid, threads_per_block, 0, device.stream>>>(words, column, map.outputs, start,
                                                                           values<int2>(part.entries));
    SPIRA_CUDA(cudaGetLastError());
  });
  auto* counts = values<std::int32_t>(part.counts);
  for_each(device, static_cast<std::int64_t>(stored), [=] __device__(std::int64_t at) {
    counts[at] = static_cast<std::int32_t>(start[(at + 1) * blocks] - start[at * blocks]);
  });
}

}  // namespace spira::cuda

// Chooses the tiles and the kernel of a layer of a bird's-eye view, and launches it (stage "dense"). Also
// gathers and scatters blocks (stages "gather" and "scatter").
#include "kernels/cuda/birds_eye/unit_layer.cuh"
#include "kernels/cuda/device/launch.cuh"

#include <algorithm>
#include <optional>
#include <string>

namespace spira::cuda {
namespace {

/// A compiled kernel: its tile, and how to plan and to launch it.
struct LayerKernel {
  int rows, channels, threads;
  LayerMemoryPlan (*plan)(LayerTask, int);
  void (*run)(LayerTask);

  [[nodiscard]] int across(int out_channels) const { return (out_channels + channels - 1) / channels; }
  /// Returns the number of output channels that the tiles of a cell compute, with those that do not exist.
  [[nodiscard]] int computed_channels(int out_channels) const { return across(out_channels) * channels; }
};

template <class Products> constexpr LayerKernel kernel_of() {
  return {Products::rows, Products::channels, Products::threads, memory_plan<Products>,
          layer_kernel<Products>};
}

constexpr LayerKernel fp16_kernels[] = {
    kernel_of<Fp16Products<1, 3, 2>>(), kernel_of<Fp16Products<2, 3, 2>>(),
    kernel_of<Fp16Products<2, 4, 2>>(), kernel_of<Fp16Products<2, 6, 2>>(),
    kernel_of<Fp16Products<2, 8, 2>>(), kernel_of<Fp16Products<1, 3, 1>>(),
    kernel_of<Fp16Products<2, 3, 1>>(), kernel_of<Fp16Products<2, 4, 1>>(),
    kernel_of<Fp16Products<2, 6, 1>>(), kernel_of<Fp16Products<2, 8, 1>>()};
constexpr LayerKernel fp32_kernels[] = {kernel_of<Fp32Products<32>>(), kernel_of<Fp32Products<64>>()};

/// A kernel with its tiles and its memory.
struct PlannedLayer {
  const LayerKernel* kernel;
  LayerTask task;
  std::int64_t thread_blocks;  ///< For the likely number of blocks.
};

PlannedLayer planned(const Device& device, const LayerKernel& kernel, const LayerTask& task,
                     std::int64_t likely_blocks) {
  PlannedLayer plan{&kernel, task, 0};
  choose_rectangles(plan.task.tiles, kernel.rows);
  plan.task.memory = kernel.plan(plan.task, device.shared_bytes);
  plan.thread_blocks = plan.task.tiles.count(likely_blocks) * kernel.across(task.out_channels);
  return plan;
}

/// Returns the number of thread blocks that a multiprocessor can run at the same time. Registers are not
/// considered.
int resident_blocks(const Device& device, const PlannedLayer& plan) {
  return std::max(1, std::min(device.threads_of_sm / plan.kernel->threads,
                              device.shared_of_sm / (plan.task.memory.bytes + 1024)));
}

/// Returns true if `a` is the better choice. Few idle channels are most important. Otherwise, large tiles
/// read the least, but small tiles fill the device if there are few cells or if a large tile needs too much
/// memory.
bool is_better(const Device& device, const PlannedLayer& a, const PlannedLayer& b) {
  const int channels = a.task.out_channels;
  const int computed_a = a.kernel->computed_channels(channels),
            computed_b = b.kernel->computed_channels(channels);
  if (computed_a != computed_b) return computed_a < computed_b;
  constexpr std::int64_t enough_for_rows = 8;
  const auto fills = [&](const PlannedLayer& plan) {
    const bool large = plan.kernel->rows > 64;
    return plan.thread_blocks >= (large ? enough_for_rows : 1) * device.sm_count &&
           (!large || resident_blocks(device, plan) > 1);
  };
  if (fills(a) != fills(b)) return fills(a);
  const int area_a = a.kernel->rows * a.kernel->channels, area_b = b.kernel->rows * b.kernel->channels;
  if (area_a == area_b) return a.kernel->channels > b.kernel->channels;
  return fills(a) ? area_a > area_b : area_a < area_b;
}

template <std::size_t count>
PlannedLayer best_plan(const Device& device, const LayerKernel (&kernels)[count], const LayerTask& task,
                       std::int64_t likely_blocks) {
  std::optional<PlannedLayer> best;
  for (const LayerKernel& kernel : kernels) {
    const PlannedLayer plan = planned(device, kernel, task, likely_blocks);
    if (plan.task.memory.bytes > device.shared_bytes) continue;
    if (!best || is_better(device, plan, *best)) best = plan;
  }
  if (!best)
    throw Error(ErrorKind::device, "a kernel of " + std::to_string(task.tiles.kernel_size) + " x " +
                                       std::to_string(task.tiles.kernel_size) +
                                       " cells needs more shared memory than the GPU has; use --backend cpu");
  return *best;
}

/// Copies words of 16 bytes, or of 2 bytes for features of other sizes.
template <class Word>
__global__ void __launch_bounds__(threads_per_block)
    copy_cells_kernel(const BlocksOnDevice blocks, const CellRegion region, const CellFeatures from,
                      const CellFeatures to, int words) {
  const std::int64_t all = blocks.get() * region.cells() * words;
  for (std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x; at < all;
       at += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t cell = wide_quotient(at, words), slot = wide_quotient(cell, region.cells());
    const std::int64_t rest = cell - (slot * region.cells()), row = wide_quotient(rest, region.columns);
    const BlockAt block = blocks.at(slot);
    const std::int64_t x = region.first_x(block) + row,
                       y = region.first_y(block) + (rest - (row * region.columns));
    const std::int64_t source = from.store.cell(block, x, y), target = to.store.cell(block, x, y);
    if (target < 0) continue;
    const std::int64_t word = at - (cell * words);
    static_cast<Word*>(to.data)[(target * words) + word] =
        source < 0 ? Word{} : static_cast<const Word*>(from.data)[(source * words) + word];
  }
}

}  // namespace

void run_unit_layer(const Device& device, LayerTask task, std::int64_t likely_blocks, Precision precision) {
  if (task.tiles.count(task.blocks.max) == 0) return;
  const PlannedLayer plan = precision == Precision::fp16
                                ? best_plan(device, fp16_kernels, task, likely_blocks)
                                : best_plan(device, fp32_kernels, task, likely_blocks);
  const LayerKernel& kernel = *plan.kernel;
  const int bytes = plan.task.memory.bytes, across = kernel.across(task.out_channels);
  SPIRA_CUDA(cudaFuncSetAttribute(kernel.run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const std::int64_t tiles = plan.task.tiles.count(task.blocks.max);
  const auto in_x = static_cast<unsigned>(std::clamp<std::int64_t>(
      std::int64_t{resident_blocks(device, plan)} * device.sm_count / across, 1, tiles));
  kernel.run<<<dim3(in_x, static_cast<unsigned>(across)), static_cast<unsigned>(kernel.threads),
               static_cast<std::size_t>(bytes), device.stream>>>(plan.task);
  SPIRA_CUDA(cudaGetLastError());
}

void copy_cells(const Device& device, const BlocksOnDevice& blocks, const CellRegion& region,
                const CellFeatures& from, const CellFeatures& to, std::size_t bytes) {
  const bool wide = bytes % sizeof(uint4) == 0;
  const int words = static_cast<int>(bytes / (wide ? sizeof(uint4) : sizeof(std::uint16_t)));
  const std::int64_t all = blocks.max * region.cells() * words;
  if (all == 0) return;
  constexpr std::int64_t thread_blocks_of_sm = 8;
  const auto thread_blocks = static_cast<unsigned>(std::min<std::int64_t>(
      (all + threads_per_block - 1) / threads_per_block, thread_blocks_of_sm * device.sm_count));
  wide ? copy_cells_kernel<uint4>
      <<<thread_blocks, threads_per_block, 0, device.stream>>>(blocks, region, from, to, words)
       : copy_cells_kernel<std::uint16_t>
      <<<thread_blocks, threads_per_block, 0, device.stream>>>(blocks, region, from, to, words);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda

// Computes output-stationary features in fp16 for wide layers with a z-run map on sm_90a (section 5.4 of the
// Spira paper, stage "os").
//
// A warpgroup processes tiles of 64 rows with all offsets of these rows. The sums stay in registers from the
// first offset of a section to the last, as in conv_fp16_rows. Both factors of a product are in shared memory
// and arrive through ring buffers (tile_rings.cuh). For each warpgroup, two other warps only copy rows.
// Another warp of the thread block loads the weights of the columns in which the rows have inputs. This warp
// also takes the next tiles when the thread block is free. The tiles with the most offsets are taken first.
// If tiles were assigned in advance, some thread blocks would have half as much work as others, because rows
// with the same offsets are adjacent.
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/conv_fp16/tile_roles.cuh"
#include "kernels/cuda/conv_fp16/weight_order.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) tiles_kernel(const __grid_constant__ TilesTask task) {
#ifdef SPIRA_WARPGROUP_PRODUCTS
  extern __shared__ __align__(1024) unsigned char unaligned[];
  __shared__ TileMemory<Shape> memory;
  memory.init((shared_address(unaligned) + 1023U) & ~1023U);
  const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x / 32U), 0);
  constexpr int multiplying = Shape::warpgroups * 4, copying = Shape::warpgroups * Shape::copying_warps;
  if (warp < multiplying) return TileProducts<Shape>(task, memory, warp / 4).multiply_all();
  const int tile = (warp - multiplying) / Shape::copying_warps;
  if (warp < multiplying + copying) return RowCopies<Shape>(task, memory, tile).copy_all();
  TileFeed<Shape>(task, memory).feed_all();
#else
  // This GPU architecture has no matrix instructions for warpgroups. suits_tiles() ensures that the kernel is
  // never launched on such a GPU.
  __trap();
#endif
}

constexpr int columns_of_section(int kernel_size) {
  return groups_in_section(kernel_size) * kernel_size;
}

AtomShape atoms_of(const LayerOnDevice& layer) {
  return {layer.in_channels, layer.out_channels, layer.columns};
}

int tiles_of(const LayerOnDevice& layer) {
  for (const int tiles : {16, 12, 8}) {
    if (layer.out_channels % (tiles * 8) == 0) return tiles;
  }
  return 4;
}

template <class Shape> void launch(const Device& device, TilesTask& task) {
  task.weight_slots = std::min(
      max_weight_slots, (device.shared_bytes - kept_shared - 1024 - Shape::rows_bytes) / Shape::weight_bytes);
  task.parts = task.layer.in_channels * 2 / (Shape::atom_bytes * Shape::atoms);
  const int bytes = 1024 + Shape::rows_bytes + (task.weight_slots * Shape::weight_bytes);
  SPIRA_CUDA(cudaFuncSetAttribute(tiles_kernel<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  constexpr int block_rows = Shape::warpgroups * Shape::rows;
  const std::int64_t blocks = (task.outputs.max + block_rows - 1) / block_rows;
  const auto across = static_cast<unsigned>(task.layer.out_channels / (Shape::tiles * 8));
  const auto in_x =
      static_cast<unsigned>(std::min<std::int64_t>(blocks, std::max(1U, device.sm_count / across)));
  tiles_kernel<Shape><<<dim3(in_x, across, Shape::apart ? sections_of(Shape::K) : 1), Shape::threads,
                        static_cast<std::size_t>(bytes), device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int K, bool apart, int atom_bytes, int atoms>
void choose_tiles(const Device& device, TilesTask& task) {
  switch (tiles_of(task.layer)) {
    case 4:
      return launch<TileShape<K, atom_bytes, atoms, 4, apart>>(device, task);
    case 8:
      return launch<TileShape<K, atom_bytes, atoms, 8, apart>>(device, task);
    case 12:
      return launch<TileShape<K, atom_bytes, atoms, 12, apart>>(device, task);
    default:
      return launch<TileShape<K, atom_bytes, atoms, 16, apart>>(device, task);
  }
}

template <int K, bool apart> void choose_atoms(const Device& device, TilesTask& task) {
  const AtomShape shape = atoms_of(task.layer);
  if (shape.channels() == 64)
    return shape.atoms() % 2 == 0 ? choose_tiles<K, apart, 128, 2>(device, task)
                                  : choose_tiles<K, apart, 128, 1>(device, task);
  return shape.atoms() % 3 == 0 ? choose_tiles<K, apart, 64, 3>(device, task)
                                : choose_tiles<K, apart, 64, 1>(device, task);
}

/// Adds up the partial sums of all sections, in section order, and writes the results. Each thread adds up
/// eight channels of one row.
__global__ void __launch_bounds__(threads_per_block) add_up_kernel(const __grid_constant__ TilesTask task) {
  const int across = task.layer.out_channels / 8;
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t row = at / across;
  if (row >= task.outputs.get()) return;
  const int channel = static_cast<int>(at % across) * 8;
  const unsigned with = task.sections[0].slices.with[row];
  float4 sums[2] = {};
#pragma unroll
  for (int section = 0; section < max_sections; ++section) {
    if ((with >> section & 1U) == 0) continue;
    const auto* from = reinterpret_cast<const float4*>(task.sections[section].partial +
                                                       (row * task.layer.out_channels) + channel);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 four = from[half];
      sums[half].x += four.x;
      sums[half].y += four.y;
      sums[half].z += four.z;
      sums[half].w += four.w;
    }
  }
  const float columns[8] = {sums[0].x, sums[0].y, sums[0].z, sums[0].w,
                            sums[1].x, sums[1].y, sums[1].z, sums[1].w};
  finish_columns<4>(task.layer, row, channel, columns, ColumnBias<4>(task.layer, channel));
}

/// Launches the sections one after another.
template <int K> void launch_in_turn(const Device& device, const TilesTask& task) {
  TilesTask one = task;
  for (int section = 0; section < sections_of(K); ++section) {
    one.sections[0] = task.sections[section];
    choose_atoms<K, false>(device, one);
  }
}

template <int K> void launch_apart(const Device& device, TilesTask& task) {
  choose_atoms<K, true>(device, task);
  add_up_kernel<<<blocks_for(task.outputs.max * (task.layer.out_channels / 8)), threads_per_block, 0,
                  device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

/// Returns true if the sections run in parallel. This is faster if one section alone has too few rows to fill
/// the device.
bool takes_sections_apart(int kernel_size, std::int64_t outputs) {
  constexpr std::int64_t few_rows = 60000;
  return sections_of(kernel_size) > 1 && outputs < few_rows;
}

}  // namespace

std::optional<int> suits_tiles(const Device& device, const LayerOnDevice& layer, int /*kernel_size*/,
                               const MapRows& rows) {
  // With fewer rows than this, tiles of 64 rows do not fill the device, or the kernels of conv_fp16_rows and
  // conv_fp16_groups are faster.
  const std::int64_t enough_rows = layer.columns == 27 && layer.in_channels < 96 ? 40000 : 5000;
  const bool suits = has_warpgroup_products(device.sm) && atoms_of(layer).wanted() &&
                     rows.outputs >= enough_rows &&
                     layer.out_channels <= tiles_of(layer) * 8 * max_blocks_across;
  return suits ? std::optional(0) : std::nullopt;
}

std::size_t partial_bytes_of_tiles(const LayerOnDevice& layer, int kernel_size, std::int64_t outputs) {
  if (sections_of(kernel_size) == 1) return 0;
  const int copies = takes_sections_apart(kernel_size, outputs) ? sections_of(kernel_size) : 1;
  return static_cast<std::size_t>(copies * outputs * layer.out_channels) * sizeof(float);
}

void tiles_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const OrderedRows& rows) {
  const std::int64_t max_rows = source.outputs.max;
  if (max_rows == 0) return;
  const int K = source.cube, groups = groups_in_section(K);
  const FragmentShape fragments{layer.in_channels, layer.out_channels, layer.columns};
  const auto* weights = static_cast<const unsigned char*>(layer.weight) + (fragments.fp16_count() * 2);
  const std::int64_t column_bytes = std::int64_t{2} * layer.in_channels * layer.out_channels;
  TilesTask task{};
  task.layer = layer;
  task.outputs = source.outputs;
  const bool apart = takes_sections_apart(K, max_rows);
  task.column_bytes = layer.reversed ? -column_bytes : column_bytes;
  for (int section = 0; section < sections_of(K); ++section) {
    const int first = section * columns_of_section(K);
    SectionTask& own = task.sections[section];
    own.slices = SectionSlices::in(rows.order, max_rows, K, section);
    own.partial = rows.partial + (apart ? section * max_rows * layer.out_channels : 0);
    own.weights = weights + ((layer.reversed ? layer.columns - 1 - first : first) * column_bytes);
    std::copy_n(source.wanted + (section * groups), groups, own.wanted);
  }
  if (apart) return launch_apart<5>(device, task);
  K == 3 ? launch_in_turn<3>(device, task) : launch_in_turn<5>(device, task);
}

}  // namespace spira::cuda

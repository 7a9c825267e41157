// Output-stationary features in fp16 over a z-run map (section 5.4) for wide layers on sm_90a: a warpgroup
// takes tiles of 64 rows with all their offsets, and the sums stay in registers from the first offset to the
// last, as in conv_half_rows. Both factors of a product stand in shared memory: rows are copied there by the
// warpgroup itself, one unit ahead; weights by a warp of their own, only those of columns that the block's
// rows have.
#include "kernels/cuda/conv_half.cuh"
#include "kernels/cuda/row_slices.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/cuda/warpgroup.cuh"
#include "kernels/cuda/weight_atoms.hpp"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

[[maybe_unused]] constexpr int kernel_size = 3, z_groups = 9;
[[maybe_unused]] constexpr int tile_rows = 64, tile_slices = tile_rows / slice_rows;
constexpr int most_slots = 16;                                       ///< of the ring
template <int tiles> constexpr int warpgroups = tiles <= 8 ? 4 : 3;  ///< that compute, in a block

struct TilesTask {
  LayerOnDevice layer;
  RowSlices slices;
  RowCount outputs;
  const unsigned char* weights;  ///< as of pack_atoms()
  int slots;                     ///< of the ring
  int parts;                     ///< of the input channels, each a unit
  std::uint32_t wanted[z_groups];
};

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// Weights on their way through shared memory: [slots][atoms][output channels of the block][atom].
struct TileRing {
  unsigned char* weights;
  Barrier *full, *empty;  ///< [slots]
  int* units;             ///< [slots]: column and part that stands there, -1: the tiles end
};

/// Which columns the rows of slices [first, last) have; the same for all lanes of a warp.
__device__ std::uint32_t columns_of(const TilesTask& task, std::int64_t first_slice,
                                    std::int64_t last_slice) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  const auto* words = reinterpret_cast<const std::uint32_t*>(task.slices.words);
  std::uint32_t any = 0;
  for (std::int64_t slice = first_slice + (lane / 16); slice < last_slice; slice += 2) {
#pragma unroll
    for (int group = 0; group < z_groups; ++group)
      any |= (__ldg(words + (((slice * z_groups) + group) * 16) + (lane % 16)) & task.wanted[group])
             << static_cast<unsigned>(group * kernel_size);
  }
  return or_of_warp(any);
}

/// The life of the copying warp.
template <int atom_bytes, int atoms, int tiles>
__device__ void feed_ring(const TilesTask& task, const TileRing& ring, std::int64_t slices) {
  constexpr int block_slices = warpgroups<tiles> * tile_slices, piece = tiles * 8 * atom_bytes;
  const bool leader = (threadIdx.x & 31U) == 0;
  const std::int64_t column_bytes =
      static_cast<std::int64_t>(task.layer.in_channels) * task.layer.out_channels * 2;
  const int atom_step = task.layer.out_channels * atom_bytes;
  const unsigned char* from = task.weights + (static_cast<std::int64_t>(blockIdx.y) * piece);
  int slot = 0;
  unsigned phase = 1;  // the first wait for an empty slot ends at once
  const auto next = [&](int unit) {
    wait(ring.empty + slot, phase);
    ring.units[slot] = unit;
    if (unit < 0) return arrive(ring.full + slot);
    const int column = unit / task.parts, part = unit - (column * task.parts);
    const unsigned char* at =
        from + ((task.layer.reversed ? task.layer.columns - 1 - column : column) * column_bytes) +
        (static_cast<std::int64_t>(part * atoms) * atom_step);
    unsigned char* to = ring.weights + (slot * atoms * piece);
    arrive_and_expect(ring.full + slot, static_cast<unsigned>(atoms * piece));
#pragma unroll
    for (int atom = 0; atom < atoms; ++atom)
      copy_bulk(to + (atom * piece), at + (static_cast<std::int64_t>(atom) * atom_step), piece,
                ring.full + slot);
  };
  const auto advance = [&] {
    if (++slot == task.slots) {
      slot = 0;
      phase ^= 1U;
    }
  };
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * block_slices; first < slices;
       first += static_cast<std::int64_t>(gridDim.x) * block_slices) {
    std::uint32_t left = columns_of(task, first, min(first + block_slices, slices));
    for (; left != 0; left &= left - 1) {
      const int column = __ffs(static_cast<int>(left)) - 1;
      for (int part = 0; part < task.parts; ++part) {
        if (leader) next((column * task.parts) + part);
        advance();
      }
    }
    if (leader) next(-1);
    advance();
  }
}

/// A computing warp's place in the ring. All lanes call all functions together.
class RingWalk {
 public:
  __device__ RingWalk(const TileRing& ring, int slots, int slot_bytes)
      : ring_(ring), slots_(slots), slot_bytes_(slot_bytes) {}
  /// Moves on to the slot of a unit, -1: behind the end of the tiles.
  __device__ unsigned move_to(int unit) {
    for (;;) {
      wait(ring_.full + slot_, phase_);
      if (*static_cast<volatile int*>(ring_.units + slot_) == unit) break;
      leave();
    }
    return shared_address(ring_.weights) + static_cast<unsigned>(slot_ * slot_bytes_);
  }
  /// Products that read the slot have ended.
  __device__ void leave() {
    __syncwarp();
    if ((threadIdx.x & 31U) == 0) arrive(ring_.empty + slot_);
    if (++slot_ == slots_) {
      slot_ = 0;
      phase_ ^= 1U;
    }
  }

 private:
  const TileRing& ring_;
  int slots_, slot_bytes_, slot_ = 0;
  unsigned phase_ = 0;
};

/// Copies the rows of a tile's units ahead of their use: one slice a warp.
template <int atom_bytes, int atoms> class TileCopies {
 public:
  static constexpr int lanes = atom_bytes / 16, at_once = 32 / lanes, copies = 16 / at_once;

  __device__ TileCopies(const TilesTask& task, std::int64_t first_slice, std::int64_t slices)
      : task_(task), left_(columns_of(task, first_slice, min(first_slice + tile_slices, slices))) {
    const int lane = static_cast<int>(threadIdx.x & 31U), row = lane / lanes, piece = lane % lanes;
    const int warp = static_cast<int>(threadIdx.x / 32U % 4U);
    from_ = static_cast<const char*>(task.layer.in) + (piece * 16);
    row_bytes_ = static_cast<unsigned>(task.layer.in_stride) * 2U;
    there_ = first_slice + warp < slices;
    words_ = reinterpret_cast<const std::uint32_t*>(task.slices.words) +
             ((first_slice + warp) * z_groups * slice_rows);
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const int of = (warp * 16) + row + (odd * at_once);
      const int exchange = atom_bytes == 128 ? of % 8 : of / 2 % 4;
      to_[odd] = static_cast<unsigned>((of * atom_bytes) + ((piece ^ exchange) * 16));
    }
  }

  /// Starts copying the next unit to `buffer`; returns its column and part, -1: there is none.
  __device__ int start(unsigned buffer) {
    if (left_ == 0) return -1;
    const int column = __ffs(static_cast<int>(left_)) - 1, group = column / kernel_size;
    const std::uint32_t bit = 1U << static_cast<unsigned>(column - (group * kernel_size));
    if (group != group_) {
      group_ = group;
#pragma unroll
      for (int at = 0; at < copies; ++at) {
        const int row = (at * at_once) + static_cast<int>((threadIdx.x & 31U) / lanes);
        word_[at] = there_ ? __ldg(words_ + (group * 16) + (row % 8 * 2) + (row / 8)) : 0U;
      }
    }
#pragma unroll
    for (int at = 0; at < copies; ++at) {
      const std::uint32_t position =
          (word_[at] >> kernel_size) + static_cast<unsigned>(__popc(word_[at] & (bit - 1U)));
      const char* row =
          from_ + (part_ * atoms * atom_bytes) + (static_cast<std::uint64_t>(position) * row_bytes_);
      const unsigned to = buffer + to_[at % 2] + static_cast<unsigned>(at / 2 * 2 * at_once * atom_bytes);
#pragma unroll
      for (int atom = 0; atom < atoms; ++atom)
        copy_piece(to + static_cast<unsigned>(atom * tile_rows * atom_bytes), row + (atom * atom_bytes),
                   (word_[at] & bit) != 0);
    }
    const int unit = (column * task_.parts) + part_;
    if (++part_ == task_.parts) {
      part_ = 0;
      left_ &= left_ - 1;
    }
    return unit;
  }

 private:
  const TilesTask& task_;
  const char* from_;
  const std::uint32_t* words_;
  unsigned row_bytes_, to_[2];
  std::uint32_t left_, word_[copies]{};
  int part_ = 0, group_ = -1;
  bool there_;
};

/// A tile of a warpgroup: all its offsets.
template <int atom_bytes, int atoms, int tiles>
__device__ void add_tile(float (&sums)[tiles][4], const TilesTask& task, std::int64_t first_slice,
                         std::int64_t slices, RingWalk& weights, unsigned rows) {
  constexpr unsigned buffer_bytes = tile_rows * atom_bytes * atoms;
  TileCopies<atom_bytes, atoms> copies(task, first_slice, slices);
  unsigned buffer = 0;
  int next = copies.start(rows);
  commit_pieces();
  while (next >= 0) {
    const int unit = next;
    wait_for_pieces<0>();
    publish_pieces();
    meet_warpgroup(1 + static_cast<int>(threadIdx.x / 128U));
    next = copies.start(rows + ((buffer ^ 1U) * buffer_bytes));
    commit_pieces();
    const unsigned a = factor(rows + (buffer * buffer_bytes)), b = factor(weights.move_to(unit));
    buffer ^= 1U;
    start_products();
#pragma unroll
    for (int atom = 0; atom < atoms; ++atom) {
#pragma unroll
      for (int k = 0; k < atom_bytes / 32; ++k)
        multiply_warpgroup<atom_bytes>(sums, a + (atom * tile_rows * atom_bytes / 16) + (2 * k),
                                       b + (atom * tiles * 8 * atom_bytes / 16) + (2 * k));
    }
    commit_products();
    wait_for_products(sums);
    weights.leave();
  }
  weights.move_to(-1);
  weights.leave();
  wait_for_pieces<0>();
  meet_warpgroup(1 + static_cast<int>(threadIdx.x / 128U));  // the next tile starts with the first buffer
}

#endif

template <int atom_bytes, int atoms, int tiles>
__global__ void __launch_bounds__((warpgroups<tiles> * 128) + 32, 1)
    tiles_kernel(const __grid_constant__ TilesTask task) {
#ifdef SPIRA_WARPGROUP_PRODUCTS
  extern __shared__ __align__(1024) unsigned char unaligned[];
  __shared__ Barrier full[most_slots], empty[most_slots];
  __shared__ int units[most_slots];
  constexpr int groups = warpgroups<tiles>, slot_bytes = tiles * 8 * atom_bytes * atoms;
  constexpr unsigned row_bytes = 2 * tile_rows * atom_bytes * atoms;
  unsigned char* shared = unaligned + ((1024U - (shared_address(unaligned) & 1023U)) & 1023U);
  const TileRing ring{shared + (groups * row_bytes), full, empty, units};
  const int thread = static_cast<int>(threadIdx.x), group = thread / 128;
  if (thread < task.slots) {
    init_barrier(full + thread, 1);
    init_barrier(empty + thread, groups * 4);
  }
  publish_barriers();
  __syncthreads();
  const std::int64_t slices = (task.outputs.get() + slice_rows - 1) / slice_rows;
  if (group == groups) return feed_ring<atom_bytes, atoms, tiles>(task, ring, slices);
  RingWalk weights(ring, task.slots, slot_bytes);
  const unsigned rows = shared_address(shared) + (static_cast<unsigned>(group) * row_bytes);
  const int lane = thread % 32, channel = (static_cast<int>(blockIdx.y) * tiles * 8) + (lane % 4 * 8);
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * groups * tile_slices; first < slices;
       first += static_cast<std::int64_t>(gridDim.x) * groups * tile_slices) {
    const std::int64_t own = first + (group * tile_slices), slice = own + (thread / 32 % 4);
    float sums[tiles][4] = {};
    add_tile<atom_bytes, atoms, tiles>(sums, task, own, slices, weights, rows);
    if (slice >= slices) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int32_t row = __ldg(task.slices.rows + (slice * slice_rows) + (lane / 4) + (half * 8));
#pragma unroll
      for (int at = 0; at < tiles; at += 4) {
        const ColumnBias<4> bias(task.layer, channel + (at * 8));
        float columns[8];
        gather_columns<4>(sums + at, half, columns);
        if (row >= 0) finish_columns<4>(task.layer, row, channel + (at * 8), columns, bias);
      }
    }
  }
#else
  __trap();  // this copy has no such products; takes_tiles() says so
#endif
}

AtomShape atoms_of(const LayerOnDevice& layer) {
  return {layer.in_channels, layer.out_channels, layer.columns};
}

/// Tiles of 8 output channels that a block takes.
int tiles_of(const LayerOnDevice& layer) {
  for (const int tiles : {16, 12, 8}) {
    if (layer.out_channels % (tiles * 8) == 0) return tiles;
  }
  return 4;
}

template <int atom_bytes, int atoms, int tiles> void launch(const Device& device, TilesTask& task) {
  constexpr int rows = warpgroups<tiles> * 2 * tile_rows * atom_bytes * atoms,
                slot = tiles * 8 * atom_bytes * atoms;
  task.slots = std::min(most_slots, (device.shared_bytes - kept_shared - 1024 - rows) / slot);
  task.parts = task.layer.in_channels * 2 / (atom_bytes * atoms);
  const int bytes = 1024 + rows + (task.slots * slot);
  auto* kernel = tiles_kernel<atom_bytes, atoms, tiles>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const std::int64_t blocks =
      (task.outputs.most + (warpgroups<tiles> * tile_rows) - 1) / (warpgroups<tiles> * tile_rows);
  const auto across = static_cast<unsigned>(task.layer.out_channels / (tiles * 8));
  const auto in_x =
      static_cast<unsigned>(std::min<std::int64_t>(blocks, std::max(1U, device.sm_count / across)));
  kernel<<<dim3(in_x, across), (warpgroups<tiles> * 128) + 32, static_cast<std::size_t>(bytes),
           device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <int atom_bytes, int atoms> void choose_tiles(const Device& device, TilesTask& task) {
  switch (tiles_of(task.layer)) {
    case 4:
      return launch<atom_bytes, atoms, 4>(device, task);
    case 8:
      return launch<atom_bytes, atoms, 8>(device, task);
    case 12:
      return launch<atom_bytes, atoms, 12>(device, task);
    default:
      return launch<atom_bytes, atoms, 16>(device, task);
  }
}

void choose_atoms(const Device& device, TilesTask& task) {
  const AtomShape shape = atoms_of(task.layer);
  if (shape.channels() == 64)
    return shape.atoms() % 2 == 0 ? choose_tiles<128, 2>(device, task) : choose_tiles<128, 1>(device, task);
  return shape.atoms() % 3 == 0 ? choose_tiles<64, 3>(device, task) : choose_tiles<64, 1>(device, task);
}

}  // namespace

bool takes_tiles(const Device& device, const LayerOnDevice& layer, std::int64_t outputs) {
  constexpr std::int64_t enough_rows = 5000;  // fewer do not fill the device with tiles of 64
  return has_warpgroup_products(device.sm) && atoms_of(layer).wanted() && outputs >= enough_rows;
}

void tiles_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                const Buffer& slices) {
  if (source.outputs.most == 0) return;
  const FragmentShape fragments{layer.in_channels, layer.out_channels, layer.columns};
  TilesTask task{};
  task.layer = layer;
  task.slices = RowSlices::in(slices, source.outputs.most);
  task.outputs = source.outputs;
  task.weights = static_cast<const unsigned char*>(layer.weight) + (fragments.halves() * 2);
  std::copy_n(std::begin(source.wanted), z_groups, task.wanted);
  choose_atoms(device, task);
}

}  // namespace spira::cuda

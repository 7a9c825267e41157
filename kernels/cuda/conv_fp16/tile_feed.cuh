// Defines the data that all warps of a thread block of conv_fp16_tiles share. Also defines the feeding warp,
// which provides tiles and weights to the other warps.
#pragma once

#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/tile_rings.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/row_slices.hpp"

#include <cstdint>

namespace spira::cuda {

struct SectionTask {
  SectionSlices slices;
  /// Partial sums. Shape: [outputs][out_channels]. A section stores them, and the next section adds its
  /// products to them. If sections run in parallel, contains only the sums of this section.
  float* partial;
  const unsigned char*
      weights;  ///< Weights in the order of pack_atoms(), beginning with the first column of the section.
  std::uint32_t wanted[max_section_groups];
};

struct TilesTask {
  LayerOnDevice layer;
  RowCount outputs;
  std::int64_t column_bytes;  ///< Distance from one column to the next, in bytes.
  int weight_slots;           ///< Number of slots in the weight ring.
  /// Number of parts into which the input channels are divided. Each part is one unit.
  int parts;
  /// One entry per section. If sections run in parallel, blockIdx.z is the index. Otherwise only the first
  /// entry is used, and each section has a separate launch.
  SectionTask sections[max_sections];
};

/// The dimensions of a thread block's work. A unit is the content of one row slot: the values of 64 rows for
/// one offset, in a part of the input channels. If `sections_apart` is true, the sections run in parallel and
/// their sums are added afterwards.
template <int kernel_size, int bytes_of_atom, int atoms_of_unit, int n_tiles, bool sections_apart>
struct TileShape {
  static constexpr bool apart = sections_apart;
  static constexpr int K = kernel_size, groups = section_groups<K>;
  static constexpr int atom_bytes = bytes_of_atom, atoms = atoms_of_unit, tiles = n_tiles;
  /// Number of rows in a tile, and number of slices in a tile.
  static constexpr int rows = 64, slices = rows / slice_rows;
  /// Number of warpgroups that compute products. Each warpgroup processes one tile.
  static constexpr int warpgroups = tiles <= 8 ? 4 : 3;
  static constexpr int block_slices = warpgroups * slices;
  static constexpr int copying_warps = 2;  ///< Number of copying warps for each tile.
  static constexpr int threads = (warpgroups * (128 + (copying_warps * 32))) + 32;
  static constexpr int unit_bytes = rows * atom_bytes * atoms;
  /// Number of row slots for each tile.
  static constexpr int row_slots = (tiles <= 8 ? 32768 : 49152) / unit_bytes;
  static constexpr int rows_bytes = warpgroups * row_slots * unit_bytes;
  /// Size in bytes of a weight slot, which holds one atom.
  static constexpr int weight_bytes = tiles * 8 * atom_bytes;
};

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// Returns the section that this thread block computes. If sections run one after another, the index is a
/// compile-time constant, because kernel arguments can then be read faster.
template <class Shape> [[nodiscard]] __device__ const SectionTask& section_of(const TilesTask& task) {
  return task.sections[Shape::apart ? blockIdx.z : 0];
}

/// The shared memory that all warps of a thread block use.
template <class Shape> struct TileMemory {
  /// Shared memory addresses of two arrays: [warpgroups][row_slots] units, and [weight_slots] slots.
  unsigned rows, weights;
  Barrier rows_barriers[Shape::warpgroups][2][Shape::row_slots];
  Barrier weight_barriers[2][max_weight_slots], tile_barriers[2][tile_slots];
  BlockTiles tiles[tile_slots];

  /// Must be called by all threads of the thread block.
  __device__ void init(unsigned first) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
      rows = first;
      weights = first + Shape::rows_bytes;
    }
    if (thread < Shape::warpgroups * Shape::row_slots) {
      Barrier(&own)[2][Shape::row_slots] = rows_barriers[thread / Shape::row_slots];
      init_barrier(own[0] + (thread % Shape::row_slots), Shape::copying_warps);
      init_barrier(own[1] + (thread % Shape::row_slots), 4);
    }
    if (thread < max_weight_slots) {
      init_barrier(weight_barriers[0] + thread, 1);
      init_barrier(weight_barriers[1] + thread, Shape::warpgroups * 4);
    }
    if (thread < tile_slots) {
      init_barrier(tile_barriers[0] + thread, 1);
      init_barrier(tile_barriers[1] + thread, Shape::warpgroups * (4 + Shape::copying_warps));
    }
    publish_barriers();
    __syncthreads();
  }
};

/// The work of the feeding warp: it fetches tiles, finds the columns of these tiles, and loads the weights.
template <class Shape> class TileFeed {
  static constexpr int K = Shape::K;

 public:
  __device__ TileFeed(const TilesTask& task, TileMemory<Shape>& memory)
      : task_(task),
        section_(section_of<Shape>(task)),
        memory_(memory),
        tile_ring_(memory.tile_barriers[0], tile_slots),
        weight_ring_(memory.weight_barriers[0], max_weight_slots) {
    slices_ = static_cast<int>((task.outputs.get() + slice_rows - 1) / slice_rows);
    blocks_ = static_cast<unsigned>((slices_ + Shape::block_slices - 1) / Shape::block_slices);
    beyond_ = blocks_ > gridDim.x ? blocks_ - gridDim.x : 0;
    from_ = section_.weights + (static_cast<std::int64_t>(blockIdx.y) * Shape::weight_bytes);
  }

  __device__ void feed_all() {
    unsigned now = blockIdx.x;
    for (std::uint32_t columns = publish(now); now < blocks_; columns = publish(now)) {
      const unsigned drawn = feed(columns);
      const unsigned upcoming = __shfl_sync(0xFFFFFFFFU, drawn, 0);
      now = upcoming < beyond_ ? gridDim.x + upcoming : blocks_;
    }
    if (blockIdx.x >= blocks_) static_cast<void>(draw());
  }

 private:
  /// Takes the number of the next tiles from a counter. Only the first lane receives the number. At its end,
  /// each thread block takes one number that is beyond the last tiles. When the last thread block does this,
  /// the counter returns to zero for the next launch.
  [[nodiscard]] __device__ unsigned draw() const {
    return leads() ? atomicInc(section_.slices.taken + blockIdx.y, beyond_ + gridDim.x - 1) : 0;
  }
  [[nodiscard]] __device__ static bool leads() { return (threadIdx.x & 31U) == 0; }

  /// Sends the next tiles of the thread block to the other warps, and returns the columns of these tiles. The
  /// tiles are processed from the last to the first, because the last rows have the most offsets.
  __device__ std::uint32_t publish(unsigned block) {
    BlockTiles tiles{-1, 0, {}};
    if (block < blocks_) {
      tiles.slice = static_cast<int>(blocks_ - 1 - block) * Shape::block_slices;
#pragma unroll
      for (int tile = 0; tile < Shape::warpgroups; ++tile) {
        tiles.columns_of[tile] = columns_of(tiles.slice + (tile * Shape::slices));
        tiles.columns |= tiles.columns_of[tile];
      }
    }
    wait(tile_place_.of(tile_ring_.empty), tile_place_.phase);
    if (leads()) {
      memory_.tiles[tile_place_.slot] = tiles;
      arrive(tile_place_.of(tile_ring_.full));
    }
    tile_place_.advance(tile_slots);
    return tiles.columns;
  }

  /// Returns the columns in which the rows of a tile have inputs, one bit per column. The result is the same
  /// for all lanes.
  [[nodiscard]] __device__ std::uint32_t columns_of(int slice) const {
    // Number of 16-byte reads for the words of a slice.
    constexpr int reads = slice_rows / 4 * Shape::groups;
    const int count = min(Shape::slices, slices_ - slice) * reads;
    const auto* words = reinterpret_cast<const uint4*>(section_.slices.words) + (std::int64_t{slice} * reads);
    std::uint32_t any = 0;
#pragma unroll
    for (int first = 0; first < Shape::slices * reads; first += 32) {
      const int at = first + static_cast<int>(threadIdx.x & 31U), group = at / 4 % Shape::groups;
      if (at >= count) continue;
      const uint4 four = __ldg(words + at);
      any |= ((four.x | four.y | four.z | four.w) & section_.wanted[group])
             << static_cast<unsigned>(group * K);
    }
    return or_of_warp(any);
  }

  /// Loads the weights of `columns`. Also takes the number of the next tiles, just before it loads the
  /// weights of the last column: early enough that the number arrives in time. If thread blocks took their
  /// numbers earlier, no tiles would be left for thread blocks that finish early.
  __device__ unsigned feed(std::uint32_t columns) {
    const int atom_step = task_.layer.out_channels * Shape::atom_bytes;
    unsigned drawn = 0;
    if (columns == 0) return draw();
    for (; columns != 0; columns &= columns - 1) {
      if ((columns & (columns - 1)) == 0) drawn = draw();
      const int column = __ffs(static_cast<int>(columns)) - 1;
      const unsigned char* from = from_ + (column * task_.column_bytes);
      for (int atom = 0; atom < task_.parts * Shape::atoms; ++atom, from += atom_step) {
        wait(weight_place_.of(weight_ring_.empty), weight_place_.phase);
        __syncwarp();
        if (leads()) {
          const unsigned full = weight_place_.of(weight_ring_.full);
          arrive_and_expect(full, Shape::weight_bytes);
          copy_bulk(memory_.weights + static_cast<unsigned>(weight_place_.slot * Shape::weight_bytes), from,
                    Shape::weight_bytes, full);
        }
        weight_place_.advance(task_.weight_slots);
      }
    }
    return drawn;
  }

  const TilesTask& task_;
  const SectionTask& section_;
  TileMemory<Shape>& memory_;
  RingBarriers tile_ring_, weight_ring_;
  RingPlace tile_place_{0, 1}, weight_place_{0, 1};
  const unsigned char* from_;
  int slices_;
  unsigned blocks_, beyond_;
};

#endif

}  // namespace spira::cuda

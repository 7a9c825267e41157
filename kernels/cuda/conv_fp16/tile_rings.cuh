// The ring buffers in shared memory that provide the warpgroups of conv_fp16_tiles with tiles, rows and
// weights. Each slot has a "full" barrier and an "empty" barrier.
//
// Two rules prevent a deadlock. First, a warpgroup completes its products before it skips weights that it
// does not need. Second, a copying warp announces all rows that have arrived before it waits.
#pragma once

#include "kernels/cuda/conv_fp16/warpgroup.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int tile_slots = 4;
constexpr int max_weight_slots = 16;
constexpr int max_block_tiles = 4;  ///< Maximum number of tiles of a thread block: one tile per warpgroup.

/// The next tiles of a thread block. They are consecutive and have 64 rows each.
struct BlockTiles {
  std::int32_t slice;  ///< Index of the first slice, or -1 if there are no more tiles.
  /// Bit mask of the columns of the section in which at least one of the tiles has an input.
  std::uint32_t columns;
  std::uint32_t columns_of[max_block_tiles];
};

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// Returns `value`. Forces the compiler to keep it in a register instead of computing it again for each use.
__device__ inline unsigned kept(unsigned value) {
  unsigned result = 0;
  asm volatile("mov.u32 %0, %1;" : "=r"(result) : "r"(value));
  return result;
}

/// Shared memory addresses of the barriers of a ring: the "full" barriers of all slots, then the "empty"
/// barriers.
struct RingBarriers {
  unsigned full, empty;
  __device__ explicit RingBarriers(Barrier* barriers, int slots)
      : full(kept(shared_address(barriers))), empty(kept(shared_address(barriers + slots))) {}
};

/// The position of a warp in a ring. A warp that fills slots starts with phase 1, so that its first wait for
/// an empty slot returns immediately.
struct RingPlace {
  int slot = 0;
  unsigned phase = 0;

  __device__ void advance(int slots) {
    if (++slot == slots) {
      slot = 0;
      phase ^= 1U;
    }
  }
  [[nodiscard]] __device__ unsigned of(unsigned barriers) const {
    return barriers + (static_cast<unsigned>(slot) * static_cast<unsigned>(sizeof(Barrier)));
  }
};

/// The data in a BlockTiles that one warp needs.
struct OwnTile {
  std::int32_t slice;     ///< Index of the first slice in all tiles of the thread block.
  std::uint32_t columns;  ///< Bit mask of the columns of all tiles in the thread block.
  std::uint32_t own;      ///< Bit mask of the columns of the tile that the warp processes.
};

/// Receives the next tiles of the thread block from the feeding warp.
class TileReader {
 public:
  __device__ TileReader(const RingBarriers& ring, const BlockTiles* tiles, int tile)
      : ring_(ring), tiles_(tiles), tile_(tile) {}
  /// Returns the next tiles. If it has to wait for them, it calls `before` first.
  template <class Before> [[nodiscard]] __device__ OwnTile next(Before&& before) {
    if (!ended(place_.of(ring_.full), place_.phase)) {
      before();
      wait(place_.of(ring_.full), place_.phase);
    }
    // One lane reads the slot and broadcasts the result. The warp then arrives at the barrier after all reads
    // of the slot.
    OwnTile result{};
    if ((threadIdx.x & 31U) == 0) {
      const BlockTiles& from = tiles_[place_.slot];
      result = {from.slice, from.columns, from.columns_of[tile_]};
      arrive(place_.of(ring_.empty));
    }
    result.slice = __shfl_sync(0xFFFFFFFFU, result.slice, 0);
    result.columns = __shfl_sync(0xFFFFFFFFU, result.columns, 0);
    result.own = __shfl_sync(0xFFFFFFFFU, result.own, 0);
    place_.advance(tile_slots);
    return result;
  }

 private:
  RingBarriers ring_;
  const BlockTiles* tiles_;
  int tile_;
  RingPlace place_;
};

#endif

}  // namespace spira::cuda

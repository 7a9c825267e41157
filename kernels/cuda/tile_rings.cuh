// The rings in shared memory that feed the warpgroups of conv_half_tiles: tiles, rows and weights. A slot has
// a barrier that says "full" and one that says "empty".
//
// Nobody may wait for another in a circle, so: a warpgroup drains its products before it passes by weights
// that it does not need, and who copies rows tells of all that are there before it waits.
#pragma once

#include "kernels/cuda/warpgroup.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int tile_slots = 4;  ///< of the ring of tiles
constexpr int most_weight_slots = 16;
constexpr int most_block_tiles = 4;  ///< a warpgroup each

/// What a block does next: tiles of 64 rows that follow each other.
struct BlockTiles {
  std::int32_t slice;     ///< the first; -1: there are no more
  std::uint32_t columns;  ///< of the section, that any of the tiles has
  std::uint32_t columns_of[most_block_tiles];
};

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// Keeps a value in a register where the compiler would work it out again and again.
__device__ inline unsigned kept(unsigned value) {
  unsigned result = 0;
  asm volatile("mov.u32 %0, %1;" : "=r"(result) : "r"(value));
  return result;
}

/// Shared addresses of a ring's barriers: [slots] full, [slots] empty.
struct RingBarriers {
  unsigned full, empty;
  __device__ explicit RingBarriers(Barrier* barriers, int slots)
      : full(kept(shared_address(barriers))), empty(kept(shared_address(barriers + slots))) {}
};

/// A warp's place in a ring. The first wait of who fills it for an empty slot ends at once: phase 1.
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

/// What a warp needs to know of them.
struct OwnTile {
  std::int32_t slice;     ///< the first of the block's
  std::uint32_t columns;  ///< of all tiles of the block
  std::uint32_t own;      ///< of the tile that the warp works for
};

/// The tiles of a block, from the feeding warp to all others.
class TileReader {
 public:
  __device__ TileReader(const RingBarriers& ring, const BlockTiles* tiles, int tile)
      : ring_(ring), tiles_(tiles), tile_(tile) {}
  /// `before` is called where the answer must be waited for.
  template <class Before> [[nodiscard]] __device__ OwnTile next(Before&& before) {
    if (!ended(place_.of(ring_.full), place_.phase)) {
      before();
      wait(place_.of(ring_.full), place_.phase);
    }
    // One lane reads and the others are told, so that its arrival stands behind all reads of the slot.
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

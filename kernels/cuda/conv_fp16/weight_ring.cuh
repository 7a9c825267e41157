// Provides the weights of a layer to the warps of the output-stationary kernels.
//
// On sm_90, one warp of each thread block copies the weights into shared memory, one stage at a time. If all
// weights fit, it copies them once. Otherwise it copies them repeatedly, through a ring buffer. The other
// warps read the stages in order, each at its own speed. The distance between the fastest and the slowest
// warp is at most the number of stages in the ring. On devices before sm_90, the warps read the weights
// through the caches.
#pragma once

#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/conv_fp16/bulk_copy.cuh"

#include <cstdint>

namespace spira::cuda {

/// Describes how the weights are divided into stages. A stage contains `span` columns. It contains either all
/// their input channels or, if `parts` is larger than 1, one of `parts` equal ranges of the input channels.
struct WeightPlan {
  int span = 1;         ///< Number of columns in a stage.
  int parts = 1;        ///< Number of stages into which the same columns are divided.
  int stages = 0;       ///< Number of stages in one pass over all columns.
  int ring = 0;         ///< Number of stages that shared memory holds at once.
  int piece_bytes = 0;  ///< Size in bytes of one column in a stage.
  int warps = 0;        ///< Number of computing warps in a thread block.

  [[nodiscard]] __host__ __device__ bool resident() const { return ring == stages; }
  [[nodiscard]] __host__ __device__ int stage_bytes() const { return span * piece_bytes; }
  [[nodiscard]] __host__ __device__ int ring_bytes() const { return ring * stage_bytes(); }
};

struct RingMemory {
  unsigned char* weights;  ///< The stages in shared memory. Shape: [ring][stage_bytes()].
  Barrier* full;           ///< Signal that a stage has been filled: one barrier per stage of the ring.
  Barrier* empty;          ///< Signal that a stage may be overwritten: one barrier per stage of the ring.
};

/// Weights in device memory. Shape: [columns][chunks][all_tiles][32 lanes]. A thread block uses some of the
/// tiles.
struct WeightTiles {
  const unsigned char* first;    ///< Weights of column 0 and chunk 0.
  std::int64_t bytes_of_column;  ///< Distance between consecutive columns, in bytes.
  int bytes_of_chunk;            ///< Distance between consecutive chunks, in bytes.
  int bytes_taken;               ///< Number of bytes in each chunk that this thread block uses.
  int chunks_of_piece;

  [[nodiscard]] __device__ const unsigned char* chunk(int column, int chunk) const {
    return first + (column * bytes_of_column) + (static_cast<std::int64_t>(chunk) * bytes_of_chunk);
  }
};

#if __CUDA_ARCH__ >= 900

/// Starts to copy one stage to shared memory. Must be called by one thread.
__device__ inline void copy_stage(const WeightPlan& plan, const WeightTiles& tiles, int columns, int stage,
                                  unsigned char* to, Barrier* full) {
  const int first = stage / plan.parts * plan.span, part = stage % plan.parts;
  const int count = min(plan.span, columns - first);
  arrive_and_expect(full, static_cast<unsigned>(count * plan.piece_bytes));
  for (int at = 0; at < count; ++at) {
    const unsigned char* from = tiles.chunk(first + at, part * tiles.chunks_of_piece);
    if (tiles.bytes_of_chunk == tiles.bytes_taken) {
      copy_bulk(to, from, static_cast<unsigned>(plan.piece_bytes), full);
      to += plan.piece_bytes;
      continue;
    }
    for (int chunk = 0; chunk < tiles.chunks_of_piece; ++chunk, to += tiles.bytes_taken)
      copy_bulk(to, from + (static_cast<std::int64_t>(chunk) * tiles.bytes_of_chunk),
                static_cast<unsigned>(tiles.bytes_taken), full);
  }
}

/// The work of the copying thread: it copies all stages in order, as soon as slots become empty.
__device__ inline void feed_ring(const WeightPlan& plan, const WeightTiles& tiles, int columns,
                                 const RingMemory& memory, int walks) {
  int slot = 0;
  unsigned phase = 1;  // With phase 1, the first wait for an empty slot returns immediately.
  if (plan.resident()) walks = 1;
  for (int walk = 0; walk < walks; ++walk) {
    for (int stage = 0; stage < plan.stages; ++stage) {
      wait(memory.empty + slot, phase);
      copy_stage(plan, tiles, columns, stage, memory.weights + (slot * plan.stage_bytes()),
                 memory.full + slot);
      if (++slot == plan.ring) {
        slot = 0;
        phase ^= 1U;
      }
    }
  }
}

/// The position of a computing warp in the ring. All lanes of the warp must call each function together.
class WeightWalk {
 public:
  __device__ WeightWalk(const WeightPlan& plan, const WeightTiles& tiles, const RingMemory& memory)
      : plan_(plan), memory_(memory) {}

  /// Returns the weights of a chunk, which starts `inside` bytes after the start of a stage. The stages of
  /// successive calls must ascend until end_walk() is called.
  __device__ const unsigned char* chunk(int stage, int inside, int /*column*/, int /*chunk*/) {
    if (plan_.resident()) {
      for (; seen_ <= stage; ++seen_)
        wait(memory_.full + seen_, 0);
      slot_ = stage;
    } else {
      while (stage_ < stage)
        leave_stage();
      enter_stage();
    }
    return memory_.weights + (slot_ * plan_.stage_bytes()) + inside;
  }
  /// Waits until all stages are in shared memory. The plan must be resident.
  __device__ void wait_for_all() {
    for (; seen_ < plan_.stages; ++seen_)
      wait(memory_.full + seen_, 0);
  }
  [[nodiscard]] __device__ static int chunk_bytes(const WeightTiles& tiles) { return tiles.bytes_taken; }
  [[nodiscard]] __device__ static std::int64_t column_bytes(const WeightPlan& plan, const WeightTiles&) {
    return plan.piece_bytes;
  }
  /// Releases all stages of this pass that the warp has not released yet.
  __device__ void end_walk() {
    if (plan_.resident()) return;
    while (stage_ < plan_.stages)
      leave_stage();
    stage_ = 0;
  }

 private:
  __device__ void enter_stage() {
    if (entered_) return;
    wait(memory_.full + slot_, phase_);
    entered_ = true;
  }
  __device__ void leave_stage() {
    // Wait until the stage is filled, even if its weights are not needed. Otherwise the warp could release
    // the stage in an earlier barrier phase.
    enter_stage();
    // Every lane must arrive, because each lane has read the stage itself.
    arrive(memory_.empty + slot_);
    entered_ = false;
    ++stage_;
    if (++slot_ == plan_.ring) {
      slot_ = 0;
      phase_ ^= 1U;
    }
  }

  const WeightPlan& plan_;
  const RingMemory& memory_;
  int stage_ = 0, slot_ = 0, seen_ = 0;
  unsigned phase_ = 0;
  bool entered_ = false;
};

#else

class WeightWalk {
 public:
  __device__ WeightWalk(const WeightPlan&, const WeightTiles& tiles, const RingMemory&) : tiles_(tiles) {}
  __device__ const unsigned char* chunk(int /*stage*/, int /*inside*/, int column, int chunk) {
    return tiles_.chunk(column, chunk);
  }
  [[nodiscard]] __device__ static int chunk_bytes(const WeightTiles& tiles) { return tiles.bytes_of_chunk; }
  [[nodiscard]] __device__ static std::int64_t column_bytes(const WeightPlan&, const WeightTiles& tiles) {
    return tiles.bytes_of_column;
  }
  __device__ void wait_for_all() {}
  __device__ void end_walk() {}

 private:
  const WeightTiles& tiles_;
};

#endif

/// Starts the ring. Must be called by all threads of a thread block, including the copying warp. In computing
/// warps, returns true immediately. In the other warps, does all their work and then returns false.
__device__ inline bool start_ring(const WeightPlan& plan, const WeightTiles& tiles, int columns,
                                  const RingMemory& memory, int walks) {
  const int warp = static_cast<int>(threadIdx.x / 32U);
#if __CUDA_ARCH__ >= 900
  for (int at = static_cast<int>(threadIdx.x); at < plan.ring; at += static_cast<int>(blockDim.x)) {
    init_barrier(memory.full + at, 1);
    init_barrier(memory.empty + at, plan.warps * 32);
  }
  publish_barriers();
  __syncthreads();
  if (warp == plan.warps && threadIdx.x % 32U == 0) feed_ring(plan, tiles, columns, memory, walks);
#endif
  return warp < plan.warps;
}

}  // namespace spira::cuda

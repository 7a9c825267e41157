// The fp32 sums of a block of rows in shared memory, for the output-stationary kernels. Slices are added to
// the sums in the order of the z-groups. After the last slice, the sums are converted to results.
#pragma once

#include "kernels/cuda/conv_fp16/group_reader.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int max_sums =
    128 * 1024;  ///< Maximum size in bytes of the sums of a block of rows in shared memory.

/// Waits until all computing warps of the thread block have called this function.
__device__ inline void wait_for_all(const WeightPlan& plan) {
  asm volatile("bar.sync 1, %0;" ::"r"(plan.warps * 32) : "memory");
}
/// TurnMemory and Turns order the additions of the warps: a slice is added only after all slices of earlier
/// stages. All lanes of a warp must call each function together.
#if __CUDA_ARCH__ >= 900

/// One barrier per stage. In each pass over the stages, each warp arrives once at the barrier of each stage,
/// as soon as it has no more slices to add in this stage. All lanes of the warp arrive, because racecheck
/// (compute-sanitizer) relates the arrival of a lane only to the memory accesses of that lane. Arriving with
/// all lanes takes no longer than arriving with one lane.
struct TurnMemory {
  Barrier added[max_stages];

  /// Initialises the barriers. Must be called by all threads of the thread block. start_ring() makes the
  /// barriers visible to the copy engine.
  __device__ void init(const WeightPlan& plan) {
    for (int at = static_cast<int>(threadIdx.x); at < plan.stages; at += static_cast<int>(blockDim.x))
      init_barrier(added + at, plan.warps * 32);
  }
  __device__ void start_walk() {}
};

class Turns {
 public:
  __device__ Turns(TurnMemory& memory, unsigned walk) : memory_(memory), phase_(walk & 1U) {}

  /// Must be called before the first slice. `stage` is the stage of the first slice that the warp adds, or
  /// the number of stages if the warp adds no slice.
  __device__ void start(int stage) { added(stage); }
  __device__ void wait_for(int stage, int /*first*/) const {
    if (stage > 0) wait(memory_.added + stage - 1, phase_);
  }
  /// Must be called after a slice has been added. `next` is the stage of the next slice that the warp adds,
  /// or the number of stages if the warp has no more slices.
  __device__ void added(int next) {
    for (; left_ < next; ++left_)
      arrive(memory_.added + left_);
  }

 private:
  TurnMemory& memory_;
  unsigned phase_;
  int left_ = 0;  ///< Number of stages in which the warp has already arrived at the barrier.
};

#else

/// Counts the slices that have been added. Used on devices before sm_90.
struct TurnMemory {
  int count;

  __device__ void init(const WeightPlan&) {}
  /// Resets the count for the next pass over the slices. After this call, a barrier of all warps must follow.
  __device__ void start_walk() {
    if (threadIdx.x == 0) count = 0;
  }
  [[nodiscard]] __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&count));
  }
};

class Turns {
 public:
  __device__ Turns(TurnMemory& memory, unsigned /*walk*/) : count_(memory.address()) {}

  __device__ void start(int /*stage*/) const {}
  /// Waits until all slices of earlier stages have been added. `first` is the number of these slices.
  __device__ void wait_for(int /*stage*/, int first) const {
    int value = 0;
    do {
      asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(value) : "r"(count_) : "memory");
    } while (value < first);
    __syncwarp();
  }
  __device__ void added(int /*next*/) const {
    __syncwarp();
    if ((threadIdx.x & 31U) == 0)
      asm volatile("red.release.cta.shared.add.s32 [%0], 1;" ::"r"(count_) : "memory");
  }

 private:
  unsigned count_;
};

#endif

/// The sums of one slice, in registers.
template <int tiles, int group> struct SliceSums {
  static constexpr int channels = tiles * 8;
  float of[tiles][4] = {};

  /// Adds the sums of a slice to the sums of the block of rows, without those of `no_row`. If a lane adds 32
  /// bytes (group == 4), it adds two halves of 16 bytes. Lanes of neighbouring rows start with different
  /// halves, so that eight lanes together access all banks.
  __device__ void add_to(float* sums, const std::uint32_t (&rows)[2]) const {
    const int lane = static_cast<int>(threadIdx.x & 31U);
    const bool upper_first = group == 4 && (lane / 4 & 1) != 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (rows[half] == no_row) continue;
      float* row = sums + (rows[half] * channels) + (lane % 4 * 2 * group);
#pragma unroll
      for (int first = 0; first < tiles; first += group) {
        float columns[2 * group];
        gather_columns<group>(of + first, half, columns);
#pragma unroll
        for (int piece = 0; piece < group / 2; ++piece) {
          const bool upper = (piece == 1) != upper_first;
          auto* to = reinterpret_cast<float4*>(row + (first * 8) + (upper ? 4 : 0));
          float4 sum = *to;
          constexpr int above = group == 4 ? 4 : 0;
          sum.x += upper ? columns[above] : columns[0];
          sum.y += upper ? columns[above + 1] : columns[1];
          sum.z += upper ? columns[above + 2] : columns[2];
          sum.w += upper ? columns[above + 3] : columns[3];
          *to = sum;
        }
      }
    }
  }
  __device__ void clear() {
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
      for (int at = 0; at < 4; ++at)
        of[tile][at] = 0.0F;
    }
  }
};

/// Converts the sums of a block of rows to results, and resets the sums to zero. Each thread processes the
/// same channels in all its rows.
template <int tiles, int group>
__device__ void finish_block(const GroupTask& task, std::int64_t block, std::int64_t outputs, float* sums,
                             int first_tile) {
  constexpr int each = 2 * group, pieces = tiles * 8 / each;
  const int thread = static_cast<int>(threadIdx.x), channel = thread % pieces * each;
  const int step = task.plan.warps * 32 / pieces;
  if (thread >= step * pieces) return;
  const std::int64_t first_row = block * task.slices.block_rows;
  const ColumnBias<group> bias(task.layer, (first_tile * 8) + channel);
  const int rows =
      static_cast<int>(min(static_cast<std::int64_t>(task.slices.block_rows), outputs - first_row));
#pragma unroll 2
  for (int row = thread / pieces; row < rows; row += step) {
    float columns[each];
    auto* from = reinterpret_cast<float4*>(sums + (row * tiles * 8) + channel);
#pragma unroll
    for (int piece = 0; piece < each / 4; ++piece) {
      const float4 sum = from[piece];
      columns[4 * piece] = sum.x;
      columns[(4 * piece) + 1] = sum.y;
      columns[(4 * piece) + 2] = sum.z;
      columns[(4 * piece) + 3] = sum.w;
      from[piece] = {};
    }
    finish_columns<group>(task.layer, first_row + row, (first_tile * 8) + channel, columns, bias);
  }
}

}  // namespace spira::cuda

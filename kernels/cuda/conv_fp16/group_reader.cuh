// Iterates over the slices of a block of rows, for one warp of the output-stationary kernels. While the
// matrix units multiply one offset, the rows of the next offset are read.
#pragma once

#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/weight_ring.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/group_slices.hpp"

#include <cstdint>

namespace spira::cuda {

struct GroupTask {
  LayerOnDevice layer;
  GroupSlices slices;
  WeightPlan plan;
  RowCount outputs;
  int max_shared;  ///< Maximum shared memory of a thread block, in bytes.
  bool ring;       ///< True if weights are read through the ring in shared memory.
  int row_blocks;  ///< Number of blocks of rows for the maximum number of outputs.
  int groups, kernel_size, chunks, all_tiles;
  std::uint32_t wanted[max_groups];
};

/// Maximum number of stages, which is the number of z-groups times the number of parts of the input channels.
/// It must not exceed the number of threads in the smallest thread block, because each thread loads the slice
/// count of one stage.
constexpr int max_stages = 128;

/// Iterates over the slices of a block of rows that a warp processes, in the order of the stages. A stage is
/// one z-group, or one part of the input channels of a z-group.
struct SliceCursor {
  const int* counts;
  int stages;
  int index;  ///< Index of the slice among all slices of the block of rows.
  /// `first` is the index of the first slice of the stage.
  int stage = 0, first = 0;

  /// Sets `stage` and `first` for the slice with the number `index`. Returns false if `index` is beyond the
  /// last slice.
  __device__ bool settle() {
    for (; stage < stages; ++stage) {
      const int here = static_cast<int>((static_cast<unsigned>(counts[stage]) + slice_rows - 1) / slice_rows);
      if (index < first + here) return true;
      first += here;
    }
    return false;
  }
};

constexpr std::uint32_t no_row = 0xFFFFFFFFU;

struct LaneSlice {
  SliceEntry entry[2];
  int stage = 0, group = 0, first = 0;
  bool there = false;
};

__device__ inline LaneSlice load_slice(const GroupTask& task, std::int64_t block, SliceCursor& cursor) {
  LaneSlice slice;
  slice.there = cursor.settle();
  if (!slice.there) return slice;
  slice.stage = cursor.stage;
  slice.group = task.plan.parts == 1 ? cursor.stage : cursor.stage / task.plan.parts;
  slice.first = cursor.first;
  const SliceEntry* list =
      task.slices.entries + (((block * task.groups) + slice.group) * task.slices.block_rows);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int place =
        ((cursor.index - cursor.first) * slice_rows) + static_cast<int>((threadIdx.x & 31U) / 4) + (half * 8);
    slice.entry[half] = {0, no_row};
    if (place < cursor.counts[cursor.stage]) {
      const uint2 read = __ldg(reinterpret_cast<const uint2*>(list + place));
      slice.entry[half] = {read.x, read.y};
    }
  }
  return slice;
}

/// Chunks that are multiplied together. They all belong to the same offset of the same slice.
struct Unit {
  std::uint32_t row[2];
  int stage, group, first, iz;
  int inner;  ///< Index of the unit among the units of its stage and offset.
  int chunk;  ///< Index of the first chunk of the unit.
  bool there, last;
};

/// Prefetches the rows of a warp's units. While the units of one slice are processed, the entries of the next
/// slice are already being read.
template <int chunk, int reads> class UnitReader {
 public:
  using Word = decltype(LaneFp16<chunk>::v);

  __device__ UnitReader(const GroupTask& task, std::int64_t block, const int* counts)
      : task_(task), block_(block), cursor_{counts, task.plan.stages, static_cast<int>(threadIdx.x / 32U)} {
    next_ = load_slice(task_, block_, cursor_);
  }

  __device__ void read(Unit& unit, LaneFp16<chunk> (&rows)[reads][2]) {
    if (left_ == 0) {
      unit.there = next_.there;
      if (!next_.there) return;
      slice_ = next_;
      cursor_.index += task_.plan.warps;
      next_ = load_slice(task_, block_, cursor_);
      left_ = or_of_warp(slice_.entry[0].word | slice_.entry[1].word) & task_.wanted[slice_.group];
    }
    const int iz = __ffs(static_cast<int>(left_)) - 1, chunks = task_.chunks / task_.plan.parts;
    unit.chunk = ((slice_.stage - (slice_.group * task_.plan.parts)) * chunks) + (inner_ * reads);
    const int first = (unit.chunk * chunk) + (static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count);
    const auto* from = static_cast<const __half*>(task_.layer.in) + first;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t word = slice_.entry[half].word, before = word & ((1U << iz) - 1U);
      const bool there = (word >> iz & 1U) != 0;
      const int position = static_cast<int>(word >> task_.kernel_size) + __popc(before);
      const __half* row = from + (static_cast<std::int64_t>(position) * task_.layer.in_stride);
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        rows[at][half] = {};
        if (there && first + (at * chunk) < task_.layer.in_read)
          rows[at][half].v = __ldg(reinterpret_cast<const Word*>(row + (at * chunk)));
      }
      unit.row[half] = slice_.entry[half].row;
    }
    unit.there = true;
    unit.group = slice_.group;
    unit.first = slice_.first;
    unit.iz = iz;
    unit.stage = slice_.stage;
    unit.inner = inner_;
    if (++inner_ * reads >= chunks) {
      inner_ = 0;
      left_ &= left_ - 1;
    }
    unit.last = left_ == 0;
  }

 private:
  const GroupTask& task_;
  std::int64_t block_;
  SliceCursor cursor_;
  LaneSlice slice_, next_;
  std::uint32_t left_ = 0;
  int inner_ = 0;
};

/// A slice for kernels that read and multiply all offsets of a z-group at once.
struct WholeSlice {
  std::uint32_t row[2];
  /// Bit iz is set if at least one row of the slice has an input at offset iz of the z-group.
  std::uint32_t offsets;
  int group, first;
  bool there;
};

/// Prefetches whole slices, for kernel size K and layers with few channels. The rows of a slice fit in
/// registers. Branches are evaluated only once per slice.
template <int chunk, int K> class SliceReader {
 public:
  using Word = decltype(LaneFp16<chunk>::v);

  __device__ SliceReader(const GroupTask& task, std::int64_t block, const int* counts)
      : task_(task), block_(block), cursor_{counts, task.plan.stages, static_cast<int>(threadIdx.x / 32U)} {
    next_ = load_slice(task_, block_, cursor_);
    const int first = static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count;
    from_ = static_cast<const __half*>(task_.layer.in) + first;
    lane_reads_ = first < task_.layer.in_read;
  }

  /// Starts to read the rows of the next slice: two rows per lane and offset. Missing inputs are read as
  /// zeros.
  __device__ void read(WholeSlice& slice, LaneFp16<chunk> (&rows)[K][2]) {
    slice.there = next_.there;
    if (!next_.there) return;
    const LaneSlice now = next_;
    cursor_.index += task_.plan.warps;
    next_ = load_slice(task_, block_, cursor_);
    slice.offsets = or_of_warp(now.entry[0].word | now.entry[1].word) & task_.wanted[now.group];
    slice.group = now.group;
    slice.first = now.first;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t word = now.entry[half].word;
      slice.row[half] = now.entry[half].row;
      const __half* row = from_ + (static_cast<std::int64_t>(word >> K) * task_.layer.in_stride);
#pragma unroll
      for (int iz = 0; iz < K; ++iz) {
        const bool there = (word >> iz & 1U) != 0;
        rows[iz][half] = {};
        if (there && lane_reads_) rows[iz][half].v = __ldg(reinterpret_cast<const Word*>(row));
        if (there) row += task_.layer.in_stride;
      }
    }
  }

 private:
  const GroupTask& task_;
  std::int64_t block_;
  SliceCursor cursor_;
  LaneSlice next_;
  const __half* from_;
  bool lane_reads_;
};

}  // namespace spira::cuda

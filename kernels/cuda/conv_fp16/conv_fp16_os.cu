// Computes output-stationary features in fp16 for any map, including dense maps (section 5.4 of the Spira
// paper, stage "os"). The kernel is an implicit GEMM over slices of 16 consecutive rows of the map, which are
// outputs in their natural order or sorted by mask. A slice skips an offset if none of its rows has an input
// there. Weights are read through shared memory (weight_ring.cuh). The inputs of the rows are read into
// shared memory for 32 offsets at a time, and the rows themselves directly into registers, some offsets
// before the matrix units need them.
#include "kernels/cuda/conv_fp16/conv_fp16.cuh"
#include "kernels/cuda/conv_fp16/weight_ring.cuh"

#include <algorithm>
#include <cstdint>

namespace spira::cuda {
namespace {

/// A section is a range of columns whose inputs a warp holds in shared memory. Each lane reads one column.
constexpr int section_columns = 32;
/// Distance between two lines of a section in shared memory. A line contains the inputs of two rows, since a
/// lane multiplies the rows r and r + 8. The distance is odd, so that 8 lines use different banks.
constexpr int section_step = section_columns + 1;
constexpr int section_lines = slice_rows / 2 * section_step;
constexpr int section_bytes = section_lines * static_cast<int>(sizeof(int2));

struct OsTask {
  MapSource source;
  LayerOnDevice layer;
  WeightPlan plan;
  int rounds;  ///< Number of slices that each warp computes.
  int chunks, all_tiles;
};

/// Number of units whose rows are in flight. A unit is 16 rows, one column and `reads` chunks.
template <int chunk, int reads, int tiles>
constexpr int depth_of = chunk* reads <= 16                ? 6
                         : chunk* reads <= 32 || tiles < 8 ? 4
                         : tiles < 12                      ? 3
                                                           : 2;

/// Number of columns whose rows a warp reads at once if all weights stay in shared memory.
template <int chunk> constexpr int batch_of = chunk == 16 ? 4 : 6;

/// Returns the number of threads in a thread block, including the copying warp. It is limited by the
/// registers that each thread needs for sums, for rows in flight and for other values.
template <int chunk, int reads, int tiles, bool resident> constexpr int threads_of() {
  if (resident) {
    constexpr int registers = (tiles * 4) + (batch_of<chunk> * ((chunk / 4) + 1)) + 36;
    return registers <= 64 ? 1024 : registers <= 80 ? 768 : registers <= 102 ? 640 : 512;
  }
  constexpr int registers = (tiles * 4) + (depth_of<chunk, reads, tiles> * ((reads * chunk / 4) + 1)) + 62;
  return registers <= 80 ? 768 : registers <= 102 ? 640 : registers <= 128 ? 512 : 384;
}

/// Starts to copy 4 bytes to shared memory. On devices before sm_80, waits for the copy.
__device__ inline void copy_ahead(std::int32_t* to, const std::int32_t* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
#else
  *to = __ldg(from);
#endif
}
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Reads the inputs of all slices of a warp, section by section. While the units of one section are computed,
/// the next section is being copied. All lanes must call each function together.
class InputSections {
 public:
  /// The warp computes the slices first_slice, first_slice + slice_step and so on. `memory` is the part of
  /// shared memory that belongs to the warp. Shape: [2][section_lines].
  __device__ InputSections(const MapSource& source, std::int64_t first_slice, std::int64_t slice_step,
                           int2* memory)
      : source_(source),
        slice_(first_slice),
        slice_step_(slice_step),
        column_(source.first_column),
        filled_(memory),
        other_(memory + section_lines) {
    copy();
  }
  /// Goes to the next section. Returns a bit mask of its columns in which a row of the slice has an input.
  __device__ std::uint32_t next() {
    wait_for_copies();
    // Wait until all lanes have copied this section, and have read the inputs of the previous one.
    __syncwarp();
    std::int32_t all = -1;
#pragma unroll
    for (int line = 0; line < slice_rows / 2; ++line) {
      const int2 two = filled_[(line * section_step) + lane()];
      all &= two.x & two.y;
    }
    int2* const now = filled_;
    filled_ = other_;
    other_ = now;
    copy();
    return __ballot_sync(0xFFFFFFFFU, static_cast<int>(all >= 0));
  }
  /// Does the same in a function that is not inlined. With many sums in registers, an inlined next() makes
  /// the compiler move registers of the inner loop to memory: 128 channels then take 0.54 instead of 0.46 ms.
  __device__ __noinline__ std::uint32_t next_apart() {
    return next();
  }
  /// Returns the inputs of the rows lane / 4 and lane / 4 + 8 of the slice, in the section to which next()
  /// went. `at` is the position of the column in the section.
  [[nodiscard]] __device__ int2 inputs(int at) const {
    return other_[(lane() / 4 * section_step) + at];
  }

 private:
  [[nodiscard]] __device__ static int lane() {
    return static_cast<int>(threadIdx.x & 31U);
  }

  /// Starts to copy the next section to `filled_`.
  __device__ void copy() {
    const std::int64_t first_row = slice_ * slice_rows, rows = source_.outputs.get() - first_row;
    if (rows <= 0) return;
    const int column = column_ + lane();
    const bool stored = source_.stores(column), dense = source_.kind == SourceKind::dense;
    int2* const first_line = filled_ + lane();
    if (!stored) {
#pragma unroll
      for (int line = 0; line < slice_rows / 2; ++line)
        first_line[line * section_step] = make_int2(-1, -1);
    } else if (dense && rows >= slice_rows) {
      const std::int32_t* from = source_.entry(first_row, column);
#pragma unroll
      for (int row = 0; row < slice_rows; ++row, from += source_.row_step) {
        int2* const line = first_line + (row % 8 * section_step);
        copy_ahead(row < 8 ? &line->x : &line->y, from);
      }
    } else {
#pragma unroll 1
      for (int row = 0; row < slice_rows; ++row) {
        int2* const line = first_line + (row % 8 * section_step);
        (row < 8 ? line->x : line->y) =
            row >= rows ? -1
                        : source_.input(first_row + row, column / source_.z_cells, column % source_.z_cells);
      }
    }
    column_ += section_columns;
    if (column_ < source_.end_column) return;
    column_ = source_.first_column;
    slice_ += slice_step_;
  }

  const MapSource& source_;
  std::int64_t slice_, slice_step_;  // `slice_` and `column_` are the next section to copy.
  int column_;
  int2 *filled_, *other_;
};

/// Iterates over the units of a slice, one column after another. Columns in which no row of the slice has an
/// input have no units. If `parted` is true, a unit contains only some chunks of the input channels, and the
/// units of one column are consecutive. All lanes must call each function together.
template <int chunk, int reads, int tiles, bool parted> class SliceUnits {
 public:
  static constexpr int none = -1, not_started = -2;

  __device__ SliceUnits(const OsTask& task, InputSections& sections)
      : sections_(sections),
        columns_(task.source.end_column - task.source.first_column),
        parts_(parted ? task.chunks / reads : 1),
        row_bytes_(static_cast<unsigned>(task.layer.in_stride) * 2U) {
    const int first = static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count;
    from_ = static_cast<const char*>(task.layer.in) + (first * 2);
    lane_channels_ = task.layer.in_read - first;
  }

  /// Starts to read the rows of the next unit. Returns the index of that unit, counted from the first column
  /// of the source, or `none` if no unit is left.
  __device__ int start(LaneFp16<chunk> (&rows)[2][reads]) {
    using Word = decltype(LaneFp16<chunk>::v);
    while (left_ == 0) {
      if (next_ >= columns_) return none;
      section_ = next_;
      next_ += section_columns;
      left_ = tiles >= 12 ? sections_.next_apart() : sections_.next();
    }
    const int at_column = __ffs(static_cast<int>(left_)) - 1;
    const int first = parted ? part_ * reads * chunk : 0;
    const int2 inputs = sections_.inputs(at_column);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int32_t input = half == 0 ? inputs.x : inputs.y;
      const char* row = from_ + (first * 2) + (static_cast<std::uint64_t>(input) * row_bytes_);
#pragma unroll
      for (int at = 0; at < reads; ++at) {
        rows[half][at] = {};
        if (input >= 0 && first + (at * chunk) < lane_channels_)
          rows[half][at].v = __ldg(reinterpret_cast<const Word*>(row + (at * chunk * 2)));
      }
    }
    const int unit = ((section_ + at_column) * parts_) + part_;
    if (!parted || ++part_ == parts_) {
      part_ = 0;
      left_ &= left_ - 1;
    }
    return unit;
  }

 private:
  InputSections& sections_;
  const char* from_;  ///< Points to the channels of row 0 that this lane reads.
  int columns_, parts_, lane_channels_;
  unsigned row_bytes_;
  int next_ = 0, section_ = 0, part_ = 0;
  std::uint32_t left_ = 0;
};

/// Adds the products of a slice to `sums`. While one unit is multiplied, the rows of the next units are read.
template <int chunk, int reads, int tiles, bool parted>
__device__ void add_slice(float (&sums)[tiles][4], const OsTask& task, InputSections& sections,
                          WeightWalk& weights) {
  using Word = decltype(LaneFp16<chunk>::v);
  constexpr int depth = depth_of<chunk, reads, tiles>;
  constexpr int chunk_bytes = tiles * 32 * static_cast<int>(sizeof(Word));
  SliceUnits<chunk, reads, tiles, parted> units(task, sections);
  const int parts = parted ? task.chunks / reads : 1;
  LaneFp16<chunk> rows[depth][2][reads];
  int unit[depth];
#pragma unroll
  for (int slot = 0; slot < depth; ++slot)
    unit[slot] = units.not_started;
  for (;;) {
#pragma unroll
    for (int slot = 0; slot < depth; ++slot) {
      if (unit[slot] == units.none) return;
#pragma unroll
      for (int at = 0; at < reads && unit[slot] >= 0; ++at) {
        ChunkFragments<chunk> now = fragments(rows[slot][0][at], rows[slot][1][at]);
        settle(now.of, task.layer.zero);
        const unsigned char* b = weights.chunk(unit[slot], at * chunk_bytes, unit[slot] / parts,
                                               (unit[slot] % parts * reads) + at);
        multiply_chunk(sums, now, reinterpret_cast<const Word*>(b) + (threadIdx.x & 31U));
      }
      unit[slot] = units.start(rows[slot]);
    }
  }
}

/// Adds the products of a slice to `sums` if all weights are in shared memory and a row is one chunk. Reads
/// the rows of some columns at once, and then multiplies them. Other warps hide the latency of the reads. The
/// code is much shorter than that of the other function, which matters when a product takes few instructions.
template <int chunk, int tiles>
__device__ void add_slice_in_batches(float (&sums)[tiles][4], const OsTask& task, InputSections& sections,
                                     const unsigned char* weights) {
  using Word = decltype(LaneFp16<chunk>::v);
  constexpr int batch = batch_of<chunk>, column_bytes = tiles * 32 * static_cast<int>(sizeof(Word));
  const int first = static_cast<int>(threadIdx.x & 3U) * LaneFp16<chunk>::count;
  const bool reads_channels = first < task.layer.in_read;
  const char* const from = static_cast<const char*>(task.layer.in) + (first * 2);
  const unsigned row_bytes = static_cast<unsigned>(task.layer.in_stride) * 2U;
  const int columns = task.source.end_column - task.source.first_column;
  for (int section = 0; section < columns; section += section_columns) {
    std::uint32_t left = sections.next();
    const unsigned char* const of_section = weights + (section * column_bytes);
    while (left != 0) {
      LaneFp16<chunk> rows[batch][2];
      int column[batch];
#pragma unroll
      for (int at = 0; at < batch; ++at) {
        column[at] = __ffs(static_cast<int>(left)) - 1;
        left &= left - 1;
        const int2 inputs = column[at] < 0 ? make_int2(-1, -1) : sections.inputs(column[at]);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::int32_t input = half == 0 ? inputs.x : inputs.y;
          rows[at][half] = {};
          if (input >= 0 && reads_channels)
            rows[at][half].v =
                __ldg(reinterpret_cast<const Word*>(from + (static_cast<std::uint64_t>(input) * row_bytes)));
        }
      }
#pragma unroll
      for (int at = 0; at < batch; ++at) {
        if (column[at] < 0) break;
        const ChunkFragments<chunk> now = fragments(rows[at][0], rows[at][1]);
        multiply_chunk(
            sums, now,
            reinterpret_cast<const Word*>(of_section + (column[at] * column_bytes)) + (threadIdx.x & 31U));
      }
    }
  }
}

/// Adds the earlier sums of 2 * group columns of a row, beginning with the channel `first`.
template <int group>
__device__ void add_earlier(const LayerOnDevice& layer, std::int64_t row, int first, float* columns) {
  if (layer.earlier == nullptr) return;
  const float* from = layer.earlier + (row * layer.out_channels) + first;
#pragma unroll
  for (int c = 0; c < 2 * group; ++c) {
    if (first + c < layer.out_channels) columns[c] = from[c] + columns[c];
  }
}

template <int tiles, int group>
__device__ void finish_slice(const OsTask& task, std::int64_t first_row, int first_tile,
                             const float (&sums)[tiles][4]) {
  const int lane = static_cast<int>(threadIdx.x & 31U);
  std::int64_t output[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t row = first_row + (half * 8) + (lane / 4);
    output[half] = row < task.source.outputs.get() ? task.source.output_of(row) : -1;
  }
#pragma unroll
  for (int first = 0; first < tiles; first += group) {
    const int channel = ((first_tile + first) * 8) + (lane % 4 * 2 * group);
    const ColumnBias<group> bias(task.layer, channel);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (output[half] < 0) continue;
      float columns[2 * group];
      gather_columns<group>(sums + first, half, columns);
      add_earlier<group>(task.layer, output[half], channel, columns);
      finish_columns<group>(task.layer, output[half], channel, columns, bias);
    }
  }
}

template <int chunk, int reads, int tiles, int group, bool resident>
__global__ void __launch_bounds__(threads_of<chunk, reads, tiles, resident>(), 1)
    os_kernel(const __grid_constant__ OsTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr int tile_bytes = 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  const WeightPlan& plan = task.plan;
  const MapSource& source = task.source;
  const int warp = static_cast<int>(threadIdx.x / 32U), columns = source.end_column - source.first_column;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles, all_bytes = task.all_tiles * tile_bytes;
  const std::int64_t column_bytes = static_cast<std::int64_t>(task.chunks) * all_bytes;
  const bool reversed = task.layer.reversed;
  const int first_column = reversed ? task.layer.columns - 1 - source.first_column : source.first_column;
  const WeightTiles tiles_of{static_cast<const unsigned char*>(task.layer.weight) +
                                 (static_cast<std::int64_t>(first_tile) * tile_bytes) +
                                 (first_column * column_bytes),
                             reversed ? -column_bytes : column_bytes, all_bytes, tiles * tile_bytes, reads};
  auto* barriers = reinterpret_cast<Barrier*>(shared + plan.ring_bytes());
  const RingMemory ring{shared, barriers, barriers + plan.ring};
  auto* inputs = reinterpret_cast<int2*>(barriers + (2 * plan.ring));
  if (!start_ring(plan, tiles_of, columns, ring, task.rounds)) return;
  WeightWalk weights(plan, tiles_of, ring);
  const std::int64_t slices = (source.outputs.get() + slice_rows - 1) / slice_rows;
  const std::int64_t slice_step = static_cast<std::int64_t>(gridDim.x) * plan.warps;
  std::int64_t slice = (static_cast<std::int64_t>(blockIdx.x) * plan.warps) + warp;
  InputSections sections(source, slice, slice_step, inputs + (warp * 2 * section_lines));
  if constexpr (resident) weights.wait_for_all();
  for (int round = 0; round < task.rounds; ++round) {
    if (slice < slices) {
      float sums[tiles][4] = {};
      if constexpr (resident) {
        add_slice_in_batches<chunk, tiles>(sums, task, sections, ring.weights);
      } else if (task.chunks == reads) {
        add_slice<chunk, reads, tiles, false>(sums, task, sections, weights);
      } else {
        add_slice<chunk, reads, tiles, true>(sums, task, sections, weights);
      }
      finish_slice<tiles, group>(task, slice * slice_rows, first_tile, sums);
    }
    weights.end_walk();
    slice += slice_step;
  }
}

/// Divides the slices among thread blocks: at most `units` blocks with at most `max_warps` computing warps.
/// Returns the number of blocks.
std::int64_t divide_slices(OsTask& task, std::int64_t units, int max_warps) {
  const std::int64_t slices = (task.source.outputs.max + slice_rows - 1) / slice_rows;
  WeightPlan& plan = task.plan;
  plan.warps = static_cast<int>(std::clamp<std::int64_t>((slices + units - 1) / units, 1, max_warps));
  const std::int64_t blocks = std::min<std::int64_t>(units, (slices + plan.warps - 1) / plan.warps);
  task.rounds = static_cast<int>((slices + (blocks * plan.warps) - 1) / (blocks * plan.warps));
  return blocks;
}

/// Returns false if `resident` is true and the weights do not fit in shared memory.
template <int chunk, int reads, int tiles, bool resident> bool launch(const Device& device, OsTask& task) {
  constexpr int group = tiles == 2 ? 2 : 4,
                max_warps = (threads_of<chunk, reads, tiles, resident>() / 32) - 1;
  WeightPlan& plan = task.plan;
  const int in_y = task.all_tiles / tiles;
  plan.parts = task.chunks / reads;
  plan.piece_bytes = reads * tiles * 32 * static_cast<int>(sizeof(decltype(LaneFp16<chunk>::v)));
  plan.stages = (task.source.end_column - task.source.first_column) * plan.parts;
  const std::int64_t blocks = divide_slices(task, std::max(1, device.sm_count / in_y), max_warps);
  constexpr int barrier_bytes = 2 * static_cast<int>(sizeof(Barrier));
  const int inputs_bytes = plan.warps * 2 * section_bytes;
  if (device.sm >= 90)
    plan.ring = std::min(plan.stages, (device.shared_bytes - kept_shared - inputs_bytes) /
                                          (plan.stage_bytes() + barrier_bytes));
  if (resident && !plan.resident()) return false;
  const int bytes = plan.ring_bytes() + (plan.ring * barrier_bytes) + inputs_bytes;
  auto* kernel = os_kernel<chunk, reads, tiles, group, resident>;
  SPIRA_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(in_y));
  kernel<<<grid, static_cast<unsigned>((plan.warps + 1) * 32), bytes, device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
  return true;
}

/// Launches the kernel for weights that stay in shared memory if they fit, and otherwise the other kernel.
template <int chunk, int reads, int tiles> void launch_suitable(const Device& device, OsTask& task) {
  if constexpr (reads == 1 && tiles <= 4) {
    if (task.chunks == 1 && launch<chunk, reads, tiles, true>(device, task)) return;
  }
  launch<chunk, reads, tiles, false>(device, task);
}

template <int chunk, int reads> void choose(const Device& device, OsTask& task) {
  if (task.all_tiles == 2) return launch_suitable<chunk, reads, 2>(device, task);
  if (task.all_tiles % 16 == 0) return launch_suitable<chunk, reads, 16>(device, task);
  if (task.all_tiles % 12 == 0) return launch_suitable<chunk, reads, 12>(device, task);
  if (task.all_tiles % 8 == 0) return launch_suitable<chunk, reads, 8>(device, task);
  return launch_suitable<chunk, reads, 4>(device, task);
}

}  // namespace

void output_stationary_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer) {
  if (source.outputs.max == 0) return;
  const Shape shape = shape_of(layer);
  OsTask task{source, layer, {}, 0, shape.chunks, shape.all_tiles};
  if (layer.in_channels <= 16) return choose<16, 1>(device, task);
  shape.chunks % 2 == 0 ? choose<32, 2>(device, task) : choose<32, 1>(device, task);
}

}  // namespace spira::cuda

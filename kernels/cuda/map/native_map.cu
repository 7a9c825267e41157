// Builds the maps of native layers. Searches a window of lines of cells around each output. A line has the
// cells along z with the same x and y, and its inputs are adjacent rows. Most lines have few inputs or none,
// so the lanes of a warp first share the candidates of many lines, and then test one candidate each. The
// first pass counts the triplets of each column and of each unit of outputs, and the second pass writes them.
// The counts give the place of each triplet, so the lists are in order without a sort. They are also the
// starts of the units in the lists (column_starts.hpp), which the second pass writes too.
#include "kernels/cuda/device/counter_sets.hpp"
#include "kernels/cuda/map/map_search.cuh"
#include "kernels/cuda/map/native_map.hpp"
#include "kernels/cuda/map/native_test.cuh"
#include "kernels/cuda/order/column_starts.hpp"

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace spira::cuda {
namespace {

/// A unit is the consecutive outputs of one warp.
constexpr int rows_of_unit = 16, units_of_block = 8, rows_of_native_block = rows_of_unit * units_of_block;
constexpr int threads_of_native = 32 * units_of_block;
static_assert(rows_of_unit == rows_of_start_unit, "the starts of the units are also the column starts");
/// Returns how many thread blocks must run at once on a multiprocessor: as many as have all of its threads.
/// Returns 0 for multiprocessors with fewer threads, so that the compiler chooses.
constexpr int blocks_of_native() {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
  return 2048 / threads_of_native;
#else
  return 0;
#endif
}
/// The number of candidates that a warp can collect. A power of two, so that the queue is a ring.
constexpr int queue_length = 64;
constexpr int bytes_of_window = 16'384;
/// For how many triplets of an output, at most, there is room between the passes. A second search would take
/// longer than to read them, but few outputs have more.
constexpr int most_stored_of_row = 48;

template <class Key> struct NativeTask {
  const Key *inputs, *outputs;
  const std::uint64_t *in_words, *out_words;
  std::int64_t input_count, output_count, units;
  NativeTest test;
  std::int64_t step[3];  ///< What a key grows by if a coordinate grows by one cell of the input level.
  /// What a key grows by, at most, from an output to the cell of the input level that contains its position.
  std::int64_t to_last_cell;
  std::int64_t reach;  ///< What a key grows by from the first to the last cell of a line.
  int lines, columns;

  /// Returns the first output of a unit.
  [[nodiscard]] __device__ std::int64_t first_of(std::int64_t unit) const { return unit * rows_of_unit; }
  /// Returns what a key grows by from the cell of an output to the first cell of a line.
  [[nodiscard]] __device__ std::int64_t delta(int x, int y) const {
    return (x * step[0]) + (y * step[1]) - (test.window * step[2]);
  }
};

/// The cell of the input level that contains an output, and the position of the output in this cell.
struct Centre {
  std::int64_t key;
  std::int32_t x, y, z;

  template <class Key> __device__ Centre(const NativeTask<Key>& task, std::int64_t output) {
    const Fields fields(task.out_words[output]);
    const int bits = task.test.edge_bits;
    const std::int32_t mask = (1 << bits) - 1;
    key = static_cast<std::int64_t>(task.outputs[output]) + ((fields.x >> bits) * task.step[0]) +
          ((fields.y >> bits) * task.step[1]) + ((fields.z >> bits) * task.step[2]);
    x = fields.x & mask;
    y = fields.y & mask;
    z = fields.z & mask;
  }
};

/// A line of cells around an output. `begin` and `end` enclose the results of all searches of the thread
/// block in the line, as positions in the window of keys.
struct Line {
  std::int64_t delta;  ///< NativeTask::delta().
  std::int32_t begin, end;
  std::int16_t x, y;
};

/// An input in the window of an output. `row` is the row of the output within its unit.
struct Candidate {
  std::int32_t input;
  std::int16_t row, line;
};

/// The shared memory of a thread block.
struct NativeBlock {
  Centre* centres;        ///< Shape: [rows_of_native_block].
  std::uint32_t* places;  ///< The counts or the next places of each unit. Shape: [units_of_block][columns].
  Candidate* candidates;  ///< Shape: [units_of_block][queue_length].
  std::int64_t* begins;   ///< The place of the first triplet of each column. Shape: [columns].
  Line* lines;
  void* window;

  template <class Key> __device__ NativeBlock(unsigned char* shared, const NativeTask<Key>& task) {
    window = shared;
    centres = reinterpret_cast<Centre*>(shared + bytes_of_window);
    places = reinterpret_cast<std::uint32_t*>(centres + rows_of_native_block);
    candidates = reinterpret_cast<Candidate*>(places + (units_of_block * task.columns));
    begins = reinterpret_cast<std::int64_t*>(candidates + (units_of_block * queue_length));
    lines = reinterpret_cast<Line*>(begins + task.columns);
  }
  [[nodiscard]] static std::size_t bytes(int lines, int columns) {
    return bytes_of_window + (rows_of_native_block * sizeof(Centre)) +
           (static_cast<std::size_t>(units_of_block * columns) * sizeof(std::uint32_t)) +
           (units_of_block * queue_length * sizeof(Candidate)) +
           (static_cast<std::size_t>(columns) * sizeof(std::int64_t)) +
           (static_cast<std::size_t>(lines) * sizeof(Line));
  }
  /// Computes the centres and the coordinates of the lines. A barrier must follow. The last warps read the
  /// outputs, because the first warps search for the window at the same time.
  template <class Key> __device__ void fill(const NativeTask<Key>& task) const {
    const int thread = static_cast<int>(threadIdx.x), side = task.test.side(),
              row = thread - (threads_of_native - rows_of_native_block);
    const std::int64_t output = (static_cast<std::int64_t>(blockIdx.x) * rows_of_native_block) + row;
    if (row >= 0 && output < task.output_count) centres[row] = Centre(task, output);
    for (int at = thread; at < task.lines; at += threads_of_native) {
      const int x = (at / side) - task.test.window, y = (at % side) - task.test.window;
      lines[at] = {task.delta(x, y), 0, 0, static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)};
    }
  }
};

/// The inputs in a line of cells, which are adjacent rows.
struct Run {
  std::int32_t first = 0, count = 0;
};

/// Returns the column of a candidate, or -1 if it is not in the neighbourhood.
template <class Key, class Search>
__device__ int column_of(const NativeTask<Key>& task, const NativeBlock& block, const Search& search,
                         const Candidate& candidate) {
  const Fields fields(__ldg(task.in_words + candidate.input));
  const Centre& centre = block.centres[((threadIdx.x / 32U) * rows_of_unit) + candidate.row];
  const Line line = block.lines[candidate.line];
  const auto from_first = static_cast<std::int32_t>(
      static_cast<std::int64_t>(search.key(task, candidate.input)) - (centre.key + line.delta));
  const int bits = task.test.edge_bits;
  return task.test.column(
      (line.x * (1 << bits)) + fields.x - centre.x, (line.y * (1 << bits)) + fields.y - centre.y,
      (from_first << position_bits) - (task.test.window * (1 << bits)) + fields.z - centre.z);
}

/// The sorted keys in which the thread block searches. They start at row `base`.
template <class Key> struct KeyWindow {
  const Key* keys;
  std::int32_t base;
  int count;

  /// Returns the inputs of a line around an output.
  __device__ Run operator()(const NativeTask<Key>& task, const Centre& centre, const Line& line) const {
    const std::int64_t first = centre.key + line.delta;
    const int begin = search_window(keys, line.begin, line.end, as_key<Key>(first));
    // A negative number has no key, and as_key() returns a key that can exist.
    const Key last = as_key<Key>(first + task.reach);
    const int stop = first + task.reach < 0 ? begin : count;
    int end = begin;
    while (end < stop && keys[end] <= last)
      ++end;
    return {base + begin, end - begin};
  }
  [[nodiscard]] __device__ Key key(const NativeTask<Key>& /*task*/, std::int32_t input) const {
    return keys[input - base];
  }
};

/// Finds the inputs of a line with a search of the sorted keys. The queries of a thread block are in a short
/// window of the keys, which is copied to shared memory if it fits.
template <class Key> class SortedSearch {
 public:
  /// Must be called by all threads, after NativeBlock::fill(). A barrier must follow.
  __device__ void prepare(const NativeTask<Key>& task, const NativeBlock& block) {
    __shared__ std::int64_t ends[2];
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_native_block,
                       last = min(first + rows_of_native_block, task.output_count) - 1;
    const std::int64_t lowest = static_cast<std::int64_t>(task.outputs[first]),
                       highest = static_cast<std::int64_t>(task.outputs[last]) + task.to_last_cell;
    if (warp < 2) {
      const int side = task.test.window;
      const std::int64_t wanted =
          warp == 0 ? lowest + task.delta(-side, -side) : highest + task.delta(side, side) + task.reach;
      const Range around = warp_range(
          task.inputs, task.input_count, [&] { return wanted; }, keys_to_spare);
      if (thread % 32 == 0) ends[warp] = warp == 0 ? around.begin : min(task.input_count, around.end + 1);
    }
    __syncthreads();
    base_ = static_cast<std::int32_t>(ends[0]);
    count_ = static_cast<int>(ends[1] - ends[0]);
    if (in_shared()) {
      copy_window(task, static_cast<Key*>(block.window));
      __syncthreads();
    }
    with(task, block, [&](const KeyWindow<Key>& window) {
      for (int at = thread; at < 2 * task.lines; at += threads_of_native) {
        Line& line = block.lines[at / 2];
        const bool begins = at % 2 == 0;
        (begins ? line.begin : line.end) =
            search_window(window.keys, 0, count_, as_key<Key>((begins ? lowest : highest) + line.delta));
      }
    });
  }
  /// Calls body() with the window. The calls are separate so that each kind of memory has its own
  /// instructions.
  template <class Body>
  __device__ void with(const NativeTask<Key>& task, const NativeBlock& block, const Body& body) const {
    if (in_shared()) {
      body(KeyWindow<Key>{static_cast<const Key*>(block.window), base_, count_});
    } else {
      body(KeyWindow<Key>{task.inputs + base_, base_, count_});
    }
  }

 private:
  [[nodiscard]] __device__ bool in_shared() const {
    return count_ <= bytes_of_window / static_cast<int>(sizeof(Key));
  }
  /// Each thread reads several keys before it writes the first one.
  __device__ void copy_window(const NativeTask<Key>& task, Key* to) const {
    constexpr int loads = 4;
    for (int first = static_cast<int>(threadIdx.x); first < count_; first += loads * threads_of_native) {
      Key keys[loads];
#pragma unroll
      for (int load = 0; load < loads; ++load)
        keys[load] = __ldg(task.inputs + base_ + min(first + (load * threads_of_native), count_ - 1));
#pragma unroll
      for (int load = 0; load < loads; ++load) {
        if (const int at = first + (load * threads_of_native); at < count_) to[at] = keys[load];
      }
    }
  }

  std::int32_t base_ = 0;
  int count_ = 0;
};

/// Finds the inputs of a line by looking up every cell in a hash table.
template <class Key> struct HashSearch {
  HashSlots<Key> slots;

  __device__ void prepare(const NativeTask<Key>& /*task*/, const NativeBlock& /*block*/) const {}
  template <class Body>
  __device__ void with(const NativeTask<Key>& /*task*/, const NativeBlock& /*block*/,
                       const Body& body) const {
    body(*this);
  }
  __device__ Run operator()(const NativeTask<Key>& task, const Centre& centre, const Line& line) const {
    const std::int64_t first = centre.key + line.delta;
    const int window = task.test.window;
    Run run;
    for (int z = -window; z <= window; ++z) {
      if (task.test.too_far({line.x, line.y, z}, {centre.x, centre.y, centre.z})) continue;
      const std::int64_t wanted = first + ((z + window) * task.step[2]);
      if (wanted < 0 || static_cast<std::uint64_t>(wanted) > static_cast<Key>(~Key{0})) continue;
      const std::int32_t input = slots.find(static_cast<Key>(wanted));
      if (input < 0) continue;
      if (run.count == 0) run.first = input;
      ++run.count;
    }
    return run;
  }
  [[nodiscard]] __device__ Key key(const NativeTask<Key>& task, std::int32_t input) const {
    return __ldg(task.inputs + input);
  }
};

/// Returns the unit of this warp.
__device__ std::int64_t unit_of_warp() {
  return (static_cast<std::int64_t>(blockIdx.x) * units_of_block) + (threadIdx.x / 32U);
}

/// The items of a warp: the lines of all outputs of its unit, 32 at a time. Outputs come first, so the
/// triplets of consecutive items are in the order of the outputs and of the inputs.
class Items {
 public:
  template <class Key>
  __device__ explicit Items(const NativeTask<Key>& task)
      : lane_(static_cast<int>(threadIdx.x & 31U)),
        left_(static_cast<int>(max(std::int64_t{0}, min(std::int64_t{rows_of_unit},
                                                        task.output_count - task.first_of(unit_of_warp())))) *
              task.lines),
        line_(lane_ % task.lines),
        row_(lane_ / task.lines) {}
  /// Returns true if a lane of the warp has an item. Is equal for all lanes.
  [[nodiscard]] __device__ bool any() const { return left_ > 0; }
  [[nodiscard]] __device__ bool there() const { return lane_ < left_; }
  template <class Key> __device__ void next(const NativeTask<Key>& task) {
    left_ -= 32;
    line_ += 32;
    for (; line_ >= task.lines; line_ -= task.lines)
      ++row_;
  }
  [[nodiscard]] __device__ int line() const { return line_; }
  /// Returns the row of the item within the unit.
  [[nodiscard]] __device__ int row() const { return row_; }

 private:
  int lane_, left_, line_, row_;
};

/// Returns the sum of the values of all lanes up to this one. All lanes of a warp must call it together.
__device__ int sum_up_to_lane(int value) {
  typename cub::WarpScan<int>::TempStorage unused;
  cub::WarpScan<int>(unused).InclusiveSum(value, value);
  return value;
}

/// Calls visit(column, row, input) for the candidates of a unit, 32 at a time, in the order of the outputs
/// and of the inputs. All lanes of a warp call it together. The column is -1 if a lane has no triplet.
template <class Key, class Search, class Visit>
__device__ void visit_candidates(const NativeTask<Key>& task, const NativeBlock& block, const Search& search,
                                 const Visit& visit) {
  const int lane = static_cast<int>(threadIdx.x & 31U), warp = static_cast<int>(threadIdx.x / 32U);
  Candidate* const queue = block.candidates + (warp * queue_length);
  int begin = 0, end = 0;  // The waiting candidates. The place in the queue is the number modulo its length.
  const auto test = [&] {
    __syncwarp();
    const bool there = begin + lane < end;
    const Candidate candidate = there ? queue[(begin + lane) & (queue_length - 1)] : Candidate{0, 0, 0};
    visit(there ? column_of(task, block, search, candidate) : -1, candidate.row, candidate.input);
    __syncwarp();
    begin += 32;
  };
  for (Items items(task); items.any(); items.next(task)) {
    Run run;
    if (items.there())
      run = search(task, block.centres[(warp * rows_of_unit) + items.row()], block.lines[items.line()]);
    __syncwarp();
    const int up_to = end + sum_up_to_lane(run.count), before = up_to - run.count,
              all = __shfl_sync(0xFFFFFFFFU, up_to, 31);
    while (end < all) {
      const int last = min(all, begin + queue_length);
#pragma unroll 1  // Most lines have few inputs.
      for (int at = max(end, before); at < min(last, up_to); ++at)
        queue[at & (queue_length - 1)] = {run.first + at - before, static_cast<std::int16_t>(items.row()),
                                          static_cast<std::int16_t>(items.line())};
      end = last;
      while (end - begin >= 32)
        test();
    }
  }
  if (begin < end) test();
}

/// The triplets that the first pass has found, one word each, in the order of the unit. If the number of
/// triplets of a unit exceeds `most`, the second pass searches again.
struct Found {
  /// The input, the row within the unit, and the column, from the highest bits to the lowest. Shape:
  /// [units][most].
  std::uint32_t* words;
  std::uint32_t* counts;  ///< The number of triplets of each unit, also if it exceeds `most`.
  int most, column_bits;

  static constexpr int row_bits = std::bit_width(static_cast<unsigned>(rows_of_unit - 1));

  __device__ void put(std::int64_t unit, int at, int column, int row, std::int32_t input) const {
    if (at < most)
      words[(unit * most) + at] = (static_cast<std::uint32_t>(input) << (row_bits + column_bits)) |
                                  static_cast<std::uint32_t>((row << column_bits) | column);
  }
};

/// The numbers of triplets of each column. They are numbers within a column, so 32 bits are enough.
struct TripletCounts {
  /// The number of triplets of the earlier units of the same thread block. Shape:
  /// [blocks][columns][units_of_block].
  std::uint32_t* before_units;
  /// The number of triplets of each thread block, and after scan_kernel() of the earlier thread blocks.
  /// Shape: [columns][blocks].
  std::uint32_t* of_blocks;

  [[nodiscard]] __device__ std::uint32_t* of_block(int columns) const {
    return before_units + (static_cast<std::int64_t>(blockIdx.x) * columns * units_of_block);
  }
  [[nodiscard]] __device__ std::uint32_t& of_column(int column) const {
    return of_blocks[(static_cast<std::int64_t>(column) * gridDim.x) + blockIdx.x];
  }
  /// Stores the counts of a thread block. `counted` has the shape [units_of_block][columns].
  __device__ void put(const std::uint32_t* counted, int columns) const {
    for (int column = static_cast<int>(threadIdx.x); column < columns; column += threads_of_native) {
      std::uint32_t sum = 0;
#pragma unroll 1  // Unrolled, the loop needs so many registers that the search spills.
      for (int unit = 0; unit < units_of_block; ++unit) {
        of_block(columns)[(column * units_of_block) + unit] = sum;
        sum += counted[(unit * columns) + column];
      }
      of_column(column) = sum;
    }
  }
};

/// Counts the triplets of each column and unit, and stores them if they fit.
template <class Key, class Search>
__global__ void __launch_bounds__(threads_of_native, blocks_of_native())
    count_kernel(const __grid_constant__ NativeTask<Key> task, Search search, const TripletCounts counts,
                 const Found found) {
  extern __shared__ __align__(16) unsigned char shared[];
  const NativeBlock block(shared, task);
  block.fill(task);
  for (int at = static_cast<int>(threadIdx.x); at < units_of_block * task.columns; at += threads_of_native)
    block.places[at] = 0;
  search.prepare(task, block);
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x & 31U), warp = static_cast<int>(threadIdx.x / 32U);
  const std::int64_t unit = unit_of_warp();
  int sum = 0;
  search.with(task, block, [&](const auto& lines) {
    visit_candidates(task, block, lines, [&](int column, int row, std::int32_t input) {
      const unsigned hits = __ballot_sync(0xFFFFFFFFU, column >= 0);
      if (column >= 0) {
        atomicAdd(block.places + (warp * task.columns) + column, 1U);
        found.put(unit, sum + __popc(hits & ((1U << lane) - 1U)), column, row, input);
      }
      sum += __popc(hits);
    });
  });
  if (lane == 0 && unit < task.units) found.counts[unit] = static_cast<std::uint32_t>(sum);
  __syncthreads();
  counts.put(block.places, task.columns);
}

constexpr int threads_of_scan = 512, items_of_scan = 4;

/// Computes, in place, how many triplets of a column the earlier thread blocks have. blockIdx.x is the
/// column.
__global__ void __launch_bounds__(threads_of_scan)
    scan_kernel(std::uint32_t* of_blocks, int blocks, std::int32_t* column_counts) {
  using Scan = cub::BlockScan<std::uint32_t, threads_of_scan>;
  __shared__ typename Scan::TempStorage scratch;
  std::uint32_t* const of_column = of_blocks + (static_cast<std::int64_t>(blockIdx.x) * blocks);
  std::uint32_t before = 0;
  for (int first = 0; first < blocks; first += threads_of_scan * items_of_scan) {
    const int begin = first + (static_cast<int>(threadIdx.x) * items_of_scan);
    std::uint32_t counts[items_of_scan], sum;
#pragma unroll
    for (int item = 0; item < items_of_scan; ++item)
      counts[item] = begin + item < blocks ? of_column[begin + item] : 0;
    Scan(scratch).ExclusiveSum(counts, counts, sum);
#pragma unroll
    for (int item = 0; item < items_of_scan; ++item) {
      if (begin + item < blocks) of_column[begin + item] = before + counts[item];
    }
    before += sum;
    __syncthreads();  // The next call uses `scratch` again.
  }
  if (threadIdx.x == 0) column_counts[blockIdx.x] = static_cast<std::int32_t>(before);
}

/// Writes triplets to their places.
struct TripletWriter {
  int2* triplets;
  /// Written if there are less than 2^31 triplets, otherwise `nullptr`. See ColumnStarts::starts.
  std::uint32_t* starts;
  /// The place of the first triplet of each column, and the number of all triplets.
  std::int64_t begins[max_columns + 1];

  /// Sets `block.places` to the place of the first triplet of each unit within each column, and writes the
  /// starts. A barrier must follow.
  template <class Key>
  __device__ void start(const NativeTask<Key>& task, const TripletCounts& counts,
                        const NativeBlock& block) const {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * units_of_block;
    for (int at = static_cast<int>(threadIdx.x); at < units_of_block * task.columns;
         at += threads_of_native) {
      const int unit = at % units_of_block, column = at / units_of_block;
      const std::uint32_t place = counts.of_column(column) + counts.of_block(task.columns)[at];
      block.places[(unit * task.columns) + column] = place;
      if (starts != nullptr && first + unit < task.units)
        starts[((first + unit) * task.columns) + column] = static_cast<std::uint32_t>(begins[column]) + place;
    }
    for (int column = static_cast<int>(threadIdx.x); column < task.columns; column += threads_of_native) {
      block.begins[column] = begins[column];
      if (starts != nullptr && blockIdx.x == 0)
        starts[(task.units * task.columns) + column] = static_cast<std::uint32_t>(begins[column + 1]);
    }
  }
  /// Writes one triplet of each lane that has one, in the order of the lanes. The column is -1 if a lane has
  /// none. `next` contains the next place of the unit within each column. All lanes of a warp must call it
  /// together.
  template <class Key>
  __device__ void write(const NativeTask<Key>& task, const NativeBlock& block, std::int64_t unit,
                        std::uint32_t* next, int column, int row, std::int32_t input) const {
    const unsigned there = __ballot_sync(0xFFFFFFFFU, column >= 0);
    if (column >= 0) {
      const unsigned peers = __match_any_sync(there, column);
      const int rank = __popc(peers & ((1U << (threadIdx.x & 31U)) - 1U));
      const std::uint32_t place = next[column];
      __syncwarp(there);
      if (rank == 0) next[column] = place + static_cast<std::uint32_t>(__popc(peers));
      triplets[block.begins[column] + place + rank] =
          make_int2(static_cast<std::int32_t>(task.first_of(unit)) + row, input);
    }
    __syncwarp();
  }
};

/// Writes the triplets that count_kernel() has counted.
template <class Key, class Search>
__global__ void __launch_bounds__(threads_of_native, blocks_of_native())
    write_kernel(const __grid_constant__ NativeTask<Key> task, Search search, const TripletCounts counts,
                 const Found found, const __grid_constant__ TripletWriter to) {
  extern __shared__ __align__(16) unsigned char shared[];
  const NativeBlock block(shared, task);
  to.start(task, counts, block);
  const int lane = static_cast<int>(threadIdx.x & 31U), warp = static_cast<int>(threadIdx.x / 32U);
  const std::int64_t unit = unit_of_warp();
  const int sum = unit < task.units ? static_cast<int>(found.counts[unit]) : 0;
  if (__syncthreads_or(sum > found.most ? 1 : 0) != 0) {
    block.fill(task);
    search.prepare(task, block);
    __syncthreads();
  }
  std::uint32_t* const next = block.places + (warp * task.columns);
  if (sum > found.most) {
    search.with(task, block, [&](const auto& lines) {
      visit_candidates(task, block, lines, [&](int column, int row, std::int32_t input) {
        to.write(task, block, unit, next, column, row, input);
      });
    });
    return;
  }
  for (int first = 0; first < sum; first += 32) {
    const bool there = first + lane < sum;
    const std::uint32_t word = there ? __ldg(found.words + (unit * found.most) + first + lane) : 0;
    const auto column = static_cast<int>(word & ((1U << found.column_bits) - 1U));
    const auto row = static_cast<int>((word >> found.column_bits) & (rows_of_unit - 1U));
    to.write(task, block, unit, next, there ? column : -1, row,
             static_cast<std::int32_t>(word >> (Found::row_bits + found.column_bits)));
  }
}

/// Waits for the counts of the columns. Allocates the lists and the starts, and returns the places to write
/// them.
TripletWriter writer_of(const Device& device, int columns, std::int64_t outputs, KernelMap::Part& part) {
  TripletWriter to{};
  const auto counts = host_copy<std::int32_t>(device, part.counts);
  for (std::size_t column = 0; column < counts.size(); ++column)
    to.begins[column + 1] = to.begins[column] + counts[column];
  const std::int64_t triplets = to.begins[columns];
  part.entries = Buffer(device.pool, static_cast<std::size_t>(triplets) * sizeof(int2));
  to.triplets = values<int2>(part.entries);
  if (triplets > std::numeric_limits<std::int32_t>::max()) return to;
  auto& order = part.orders->get<ColumnStarts>();
  order.starts = Buffer(device.pool, ColumnStarts::bytes_for(outputs, columns));
  to.starts = values<std::uint32_t>(order.starts);
  return to;
}

template <class Key>
NativeTask<Key> task_of(const CoordSet& in, const CoordSet& out, const MapRequest& request) {
  const KernelShape& kernel = request.offsets->kernel();
  const int stride = in.rule.stride()[0];
  const bool on_grid =
      request.in_positions->kind == PositionKind::grid && request.out_positions->kind == PositionKind::grid;
  const NativeTest test(NeighbourTest(kernel.neighbourhood, kernel.size[0], stride), stride, on_grid);
  const std::int64_t outputs = out.size.value();
  NativeTask<Key> task{values<Key>(in.keys),
                       values<Key>(out.keys),
                       values<std::uint64_t>(request.in_positions->words),
                       values<std::uint64_t>(request.out_positions->words),
                       in.size.value(),
                       outputs,
                       (outputs + rows_of_unit - 1) / rows_of_unit,
                       test,
                       {std::int64_t{stride} << (in.pack.y_bits + in.pack.z_bits),
                        std::int64_t{stride} << in.pack.z_bits, stride},
                       0,
                       std::int64_t{2} * test.window * stride,
                       test.side() * test.side(),
                       request.offsets->columns()};
  const std::int64_t more_cells = (out.rule.stride()[0] / stride) - 1;
  for (const std::int64_t step : task.step)
    task.to_last_cell += more_cells * step;
  return task;
}

/// Allows a kernel to use more shared memory than each kernel may use without permission. Only wide windows
/// need it.
template <class Kernel> void allow_shared(Kernel* kernel, std::size_t bytes) {
  if (bytes > 48 * 1024)
    SPIRA_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

template <class Key, class Search>
void find_triplets(const Device& device, const NativeTask<Key>& task, const Search& search,
                   KernelMap::Part& part, Job& job) {
  const std::size_t shared = NativeBlock::bytes(task.lines, task.columns);
  const unsigned blocks = blocks_for(task.output_count, rows_of_native_block);
  const auto of_blocks = static_cast<std::size_t>(task.columns) * blocks;
  Buffer before_units(device.pool, of_blocks * units_of_block * sizeof(std::uint32_t)),
      block_counts(device.pool, of_blocks * sizeof(std::uint32_t));
  const TripletCounts counts{values<std::uint32_t>(before_units), values<std::uint32_t>(block_counts)};
  const int column_bits = std::bit_width(static_cast<unsigned>(task.columns - 1)),
            input_bits = std::bit_width(static_cast<std::uint64_t>(task.input_count - 1));
  const bool stores = input_bits + Found::row_bits + column_bits <= 32;
  const int most = stores ? rows_of_unit * std::min(task.lines, most_stored_of_row) : 0;
  const auto units = static_cast<std::size_t>(task.units);
  Buffer words(device.pool, units * static_cast<std::size_t>(most) * sizeof(std::uint32_t));
  Buffer of_units(device.pool, units * sizeof(std::uint32_t));
  const Found found{values<std::uint32_t>(words), values<std::uint32_t>(of_units), most, column_bits};
  allow_shared(count_kernel<Key, Search>, shared);
  allow_shared(write_kernel<Key, Search>, shared);
  {
    const auto stage = job.stage("search");
    count_kernel<<<blocks, threads_of_native, shared, device.stream>>>(task, search, counts, found);
    SPIRA_CUDA(cudaGetLastError());
    scan_kernel<<<static_cast<unsigned>(task.columns), threads_of_scan, 0, device.stream>>>(
        counts.of_blocks, static_cast<int>(blocks), values<std::int32_t>(part.counts));
    SPIRA_CUDA(cudaGetLastError());
  }
  const auto stage = job.stage("filter");
  const TripletWriter to = writer_of(device, task.columns, task.output_count, part);
  write_kernel<<<blocks, threads_of_native, shared, device.stream>>>(task, search, counts, found, to);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

KernelMap::Part native_part(const Device& device, const CoordSet& in, const CoordSet& out,
                            const MapRequest& request, Job& job) {
  KernelMap::Part part;
  part.layout = MapLayout::pair_lists;
  part.columns.resize(static_cast<std::size_t>(request.offsets->columns()));
  std::iota(part.columns.begin(), part.columns.end(), 0);
  part.counts = Buffer(device.pool, part.columns.size() * sizeof(std::int32_t));
  part.orders = std::make_shared<RowOrders>();
  if (in.size.value() == 0 || out.size.value() == 0) {
    SPIRA_CUDA(cudaMemsetAsync(part.counts.data(), 0, part.counts.bytes(), device.stream));
    return part;
  }
  visit_key(in.pack, [&]<class Key>(Key) {
    const NativeTask<Key> task = task_of<Key>(in, out, request);
    if (request.algorithm != MapAlgorithm::hash)
      return find_triplets(device, task, SortedSearch<Key>{}, part, job);
    const HashTable<Key> table = [&] {
      const auto stage = job.stage("preprocess");
      return hash_table(device, task.inputs, task.input_count);
    }();
    find_triplets(device, task, HashSearch<Key>{table.slots}, part, job);
  });
  return part;
}

}  // namespace spira::cuda

// Builds the maps of native layers. Searches a window of lines of cells around each output. A line has the
// cells along z with the same x and y, and its inputs are adjacent rows. The first pass counts the triplets
// of each column and of each unit of outputs, and the second pass writes them. The counts give the place of
// each triplet, so the lists are in order without a sort.
#include "kernels/cuda/map/map_search.cuh"
#include "kernels/cuda/map/native_map.hpp"
#include "kernels/cuda/map/native_test.cuh"

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

#include <memory>
#include <numeric>
#include <optional>

namespace spira::cuda {
namespace {

/// A unit is the consecutive outputs of one warp.
constexpr int rows_of_unit = 16, units_of_block = 8, rows_of_native_block = rows_of_unit * units_of_block;
constexpr int threads_of_native = 32 * units_of_block;
constexpr int bytes_of_window = 16'384;

template <class Key> struct NativeTask {
  const Key *inputs, *outputs;
  const std::uint64_t *in_words, *out_words;
  std::int64_t input_count, output_count, units;
  NativeTest test;
  std::int64_t step[3];  ///< What a key grows by if a coordinate grows by one cell of the input level.
  /// What a key grows by, at most, from an output to the cell of the input level that contains its position.
  std::int64_t to_last_cell;
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
  std::int32_t begin, end;
  std::int16_t x, y;
};

/// The shared memory of a thread block.
struct NativeBlock {
  Centre* centres;        ///< Shape: [rows_of_native_block].
  std::uint32_t* places;  ///< The counts or the next places of each unit. Shape: [units_of_block][columns].
  Line* lines;
  void* window;

  template <class Key> __device__ NativeBlock(unsigned char* shared, const NativeTask<Key>& task) {
    window = shared;
    centres = reinterpret_cast<Centre*>(shared + bytes_of_window);
    places = reinterpret_cast<std::uint32_t*>(centres + rows_of_native_block);
    lines = reinterpret_cast<Line*>(places + (units_of_block * task.columns));
  }
  [[nodiscard]] static std::size_t bytes(int lines, int columns) {
    return bytes_of_window + (rows_of_native_block * sizeof(Centre)) +
           (static_cast<std::size_t>(units_of_block * columns) * sizeof(std::uint32_t)) +
           (static_cast<std::size_t>(lines) * sizeof(Line));
  }
  /// Computes the centres and the coordinates of the lines. A barrier must follow.
  template <class Key> __device__ void fill(const NativeTask<Key>& task) const {
    const int thread = static_cast<int>(threadIdx.x), side = task.test.side();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_native_block;
    if (thread < rows_of_native_block && first + thread < task.output_count)
      centres[thread] = Centre(task, first + thread);
    for (int at = thread; at < task.lines; at += threads_of_native)
      lines[at] = {0, 0, static_cast<std::int16_t>((at / side) - task.test.window),
                   static_cast<std::int16_t>((at % side) - task.test.window)};
  }
};

/// The inputs of an output in one line. Bit b is set if input first + b is in the neighbourhood. A line has
/// at most 33 inputs.
struct Hits {
  std::int64_t first = 0;
  std::uint64_t mask = 0;

  __device__ void add(std::int64_t input) {
    if (mask == 0) first = input;
    mask |= std::uint64_t{1} << static_cast<unsigned>(input - first);
  }
};

/// Returns the column of an input, or -1. `from_first` is the distance of its cell from the first cell of the
/// line, in coordinates.
template <class Key>
__device__ int column_of(const NativeTask<Key>& task, const Centre& centre, const Line& line,
                         std::int32_t from_first, std::int64_t input) {
  const Fields fields(__ldg(task.in_words + input));
  const int bits = task.test.edge_bits;
  return task.test.column(
      (line.x * (1 << bits)) + fields.x - centre.x, (line.y * (1 << bits)) + fields.y - centre.y,
      (from_first << position_bits) - (task.test.window * (1 << bits)) + fields.z - centre.z);
}

/// Finds the inputs of a line with a search of the sorted keys. The queries of a thread block are in a short
/// window of the keys, which is copied to shared memory if it fits.
template <class Key> class SortedSearch {
 public:
  /// Must be called by all threads, after NativeBlock::fill() and a barrier. A barrier must follow.
  __device__ void prepare(const NativeTask<Key>& task, const NativeBlock& block) {
    __shared__ std::int64_t ends[2];
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_native_block,
                       last = min(first + rows_of_native_block, task.output_count) - 1;
    const std::int64_t lowest = static_cast<std::int64_t>(task.outputs[first]),
                       highest = static_cast<std::int64_t>(task.outputs[last]) + task.to_last_cell;
    reach_ = 2 * task.test.window * task.step[2];
    if (warp < 2) {
      const int side = task.test.window;
      const std::int64_t wanted =
          warp == 0 ? lowest + task.delta(-side, -side) : highest + task.delta(side, side) + reach_;
      const Range around = warp_range(
          task.inputs, task.input_count, [&] { return wanted; }, keys_to_spare);
      if (thread % 32 == 0) ends[warp] = warp == 0 ? around.begin : min(task.input_count, around.end + 1);
    }
    __syncthreads();
    base_ = ends[0];
    count_ = static_cast<int>(ends[1] - base_);
    window_ = task.inputs + base_;
    if (count_ <= bytes_of_window / static_cast<int>(sizeof(Key))) {
      auto* staged = static_cast<Key*>(block.window);
      for (int at = thread; at < count_; at += threads_of_native)
        staged[at] = window_[at];
      window_ = staged;
      __syncthreads();
    }
    for (int at = thread; at < task.lines; at += threads_of_native) {
      Line& line = block.lines[at];
      const std::int64_t delta = task.delta(line.x, line.y);
      line.begin = search_window(window_, 0, count_, as_key<Key>(lowest + delta));
      line.end = search_window(window_, line.begin, count_, as_key<Key>(highest + delta));
    }
  }
  /// Calls visit(input, distance of its cell from the first cell) for the inputs of a line, in ascending
  /// order.
  template <class Visit>
  __device__ void operator()(const NativeTask<Key>& /*task*/, const Line& line, std::int64_t first,
                             const Visit& visit) const {
    for (int at = search_window(window_, line.begin, line.end, as_key<Key>(first)); at < count_; ++at) {
      const std::int64_t from_first = static_cast<std::int64_t>(window_[at]) - first;
      if (from_first > reach_) break;
      visit(base_ + at, static_cast<std::int32_t>(from_first));
    }
  }

 private:
  const Key* window_ = nullptr;
  std::int64_t base_ = 0, reach_ = 0;
  int count_ = 0;
};

/// Finds the inputs of a line by looking up every cell in a hash table.
template <class Key> struct HashSearch {
  HashSlots<Key> slots;

  __device__ void prepare(const NativeTask<Key>& /*task*/, const NativeBlock& /*block*/) const {}
  template <class Visit>
  __device__ void operator()(const NativeTask<Key>& task, const Line& /*line*/, std::int64_t first,
                             const Visit& visit) const {
    const auto stride = static_cast<std::int32_t>(task.step[2]);
    for (int cell = 0; cell < task.test.side(); ++cell) {
      const std::int64_t wanted = first + (cell * stride);
      if (wanted < 0 || static_cast<std::uint64_t>(wanted) > static_cast<Key>(~Key{0})) continue;
      if (const std::int32_t input = slots.find(static_cast<Key>(wanted)); input >= 0)
        visit(std::int64_t{input}, cell * stride);
    }
  }
};

/// The results of the first pass, one word for each output and line: the first input and the mask of Hits. If
/// they fit in 32 bits, they are stored, and the second pass does not have to search.
constexpr int bits_of_stored_mask = 5, max_stored_window = 2;
constexpr std::int64_t max_stored_inputs = std::int64_t{1} << (32 - bits_of_stored_mask);

/// The items of a warp: the lines of all outputs of its unit, 32 at a time. Outputs come first, so the
/// triplets of consecutive items are in the order of the outputs and of the inputs.
class Items {
 public:
  template <class Key>
  __device__ explicit Items(const NativeTask<Key>& task)
      : unit((static_cast<std::int64_t>(blockIdx.x) * units_of_block) + (threadIdx.x / 32U)),
        lines_(task.lines),
        count_(static_cast<int>(max(std::int64_t{0}, min(std::int64_t{rows_of_unit},
                                                         task.output_count - task.first_of(unit)))) *
               lines_),
        at_(static_cast<int>(threadIdx.x & 31U)),
        line_(at_ % lines_),
        row_(at_ / lines_) {}
  /// Returns true if a lane of the warp has an item. Is equal for all lanes.
  [[nodiscard]] __device__ bool any() const { return at_ - static_cast<int>(threadIdx.x & 31U) < count_; }
  [[nodiscard]] __device__ bool there() const { return at_ < count_; }
  __device__ void next() {
    at_ += 32;
    line_ += 32;
    for (; line_ >= lines_; line_ -= lines_)
      ++row_;
  }
  [[nodiscard]] __device__ int at() const { return at_; }
  [[nodiscard]] __device__ int line() const { return line_; }
  /// Returns the row of the item within the unit.
  [[nodiscard]] __device__ int row() const { return row_; }

  const std::int64_t unit;

 private:
  int lines_, count_, at_, line_, row_;
};

/// Counts the triplets of each column and unit. `stored` can be `nullptr`.
template <class Key, class Search>
__global__ void __launch_bounds__(threads_of_native)
    count_kernel(const __grid_constant__ NativeTask<Key> task, Search search, std::uint32_t* counts,
                 std::uint32_t* stored) {
  extern __shared__ __align__(16) unsigned char shared[];
  const NativeBlock block(shared, task);
  block.fill(task);
  for (int at = static_cast<int>(threadIdx.x); at < units_of_block * task.columns; at += threads_of_native)
    block.places[at] = 0;
  __syncthreads();
  search.prepare(task, block);
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32U);
  std::uint32_t* const of_unit = block.places + (warp * task.columns);
  Items items(task);
  for (; items.any(); items.next()) {
    if (!items.there()) continue;
    const Centre& centre = block.centres[(warp * rows_of_unit) + items.row()];
    const Line line = block.lines[items.line()];
    Hits hits;
    search(task, line, centre.key + task.delta(line.x, line.y),
           [&](std::int64_t input, std::int32_t from_first) {
             const int column = column_of(task, centre, line, from_first, input);
             if (column < 0) return;
             atomicAdd(of_unit + column, 1U);
             hits.add(input);
           });
    if (stored != nullptr)
      stored[(task.first_of(items.unit) * task.lines) + items.at()] =
          (static_cast<std::uint32_t>(hits.first) << bits_of_stored_mask) |
          static_cast<std::uint32_t>(hits.mask);
  }
  __syncwarp();
  if (items.unit >= task.units) return;
  for (int column = static_cast<int>(threadIdx.x & 31U); column < task.columns; column += 32)
    counts[(column * task.units) + items.unit] = of_unit[column];
}

/// Writes triplets to their places.
struct TripletWriter {
  int2* triplets;
  /// The place of the first triplet of each column and unit, and the number of all triplets. Shape:
  /// [columns * units + 1].
  const std::int64_t* starts;
  std::int32_t* column_counts;
};

/// Writes the triplets of the items of a warp, in the order of the lanes. All lanes must call it together.
template <class Key>
__device__ void write_hits(const NativeTask<Key>& task, const NativeBlock& block, const Items& items,
                           const Hits& hits, const TripletWriter& to) {
  const int lane = static_cast<int>(threadIdx.x & 31U), warp = static_cast<int>(threadIdx.x / 32U);
  const int own = __popcll(hits.mask);
  int up_to = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int more = __shfl_up_sync(0xFFFFFFFFU, up_to, step);
    if (lane >= step) up_to += more;
  }
  const int all = __shfl_sync(0xFFFFFFFFU, up_to, 31);
  std::uint32_t* const places = block.places + (warp * task.columns);
  for (int first = 0; first < all; first += 32) {
    // Each lane writes one triplet. `from` is the lane that has found it.
    const int number = first + lane;
    int from = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      if (__shfl_sync(0xFFFFFFFFU, up_to, from + step - 1) <= number) from += step;
    }
    const int before = __shfl_sync(0xFFFFFFFFU, up_to - own, from);
    auto mask = __shfl_sync(0xFFFFFFFFU, static_cast<unsigned long long>(hits.mask), from);
    const auto first_input = __shfl_sync(0xFFFFFFFFU, static_cast<long long>(hits.first), from);
    const int row = __shfl_sync(0xFFFFFFFFU, items.row(), from);
    const int line_at = __shfl_sync(0xFFFFFFFFU, items.line(), from);
    const unsigned there = __ballot_sync(0xFFFFFFFFU, number < all);
    if (number < all) {
      for (int skip = number - before; skip > 0; --skip)
        mask &= mask - 1;
      const std::int64_t input = first_input + __ffsll(static_cast<long long>(mask)) - 1;
      const Centre& centre = block.centres[(warp * rows_of_unit) + row];
      const Line line = block.lines[line_at];
      const std::int64_t first_cell = centre.key + task.delta(line.x, line.y);
      const auto from_first =
          static_cast<std::int32_t>(static_cast<std::int64_t>(__ldg(task.inputs + input)) - first_cell);
      const int column = column_of(task, centre, line, from_first, input);
      const unsigned peers = __match_any_sync(there, column);
      const int rank = __popc(peers & ((1U << lane) - 1U));
      const std::uint32_t place = places[column];
      __syncwarp(there);
      if (rank == 0) places[column] = place + static_cast<std::uint32_t>(__popc(peers));
      to.triplets[to.starts[(column * task.units) + items.unit] + place + rank] = make_int2(
          static_cast<std::int32_t>(task.first_of(items.unit)) + row, static_cast<std::int32_t>(input));
    }
    __syncwarp();
  }
}

/// Writes the triplets that count_kernel() has counted. Reads its results, or searches again if `stored` is
/// `nullptr`.
template <class Key, class Search>
__global__ void __launch_bounds__(threads_of_native)
    write_kernel(const __grid_constant__ NativeTask<Key> task, Search search, const std::uint32_t* stored,
                 TripletWriter to) {
  extern __shared__ __align__(16) unsigned char shared[];
  const NativeBlock block(shared, task);
  block.fill(task);
  for (int at = static_cast<int>(threadIdx.x); at < units_of_block * task.columns; at += threads_of_native)
    block.places[at] = 0;
  __syncthreads();
  if (stored == nullptr) search.prepare(task, block);
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32U);
  for (Items items(task); items.any(); items.next()) {
    Hits hits;
    if (items.there() && stored != nullptr) {
      const std::uint32_t word = __ldg(stored + (task.first_of(items.unit) * task.lines) + items.at());
      hits = {word >> bits_of_stored_mask, word & ((1U << bits_of_stored_mask) - 1U)};
    } else if (items.there()) {
      const Centre& centre = block.centres[(warp * rows_of_unit) + items.row()];
      const Line line = block.lines[items.line()];
      search(task, line, centre.key + task.delta(line.x, line.y),
             [&](std::int64_t input, std::int32_t from_first) {
               if (column_of(task, centre, line, from_first, input) >= 0) hits.add(input);
             });
    }
    __syncwarp();
    write_hits(task, block, items, hits, to);
  }
  if (blockIdx.x != 0) return;
  for (int column = static_cast<int>(threadIdx.x); column < task.columns; column += threads_of_native)
    to.column_counts[column] =
        static_cast<std::int32_t>(to.starts[(column + 1) * task.units] - to.starts[column * task.units]);
}

struct Widened {
  __host__ __device__ std::int64_t operator()(std::uint32_t count) const { return count; }
};

/// Returns the places of the first triplets of all columns and units, and the number of all triplets.
Buffer starts_of(const Device& device, const Buffer& counts) {
  const std::size_t number = counts.bytes() / sizeof(std::uint32_t);
  Buffer starts(device.pool, number * sizeof(std::int64_t));
  const auto wide = thrust::make_transform_iterator(values<std::uint32_t>(counts), Widened{});
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, wide, values<std::int64_t>(starts),
                                         static_cast<int>(number), device.stream);
  });
  return starts;
}

template <class Key>
NativeTask<Key> task_of(const CoordSet& in, const CoordSet& out, const MapRequest& request) {
  const KernelShape& kernel = request.offsets->kernel();
  const int stride = in.rule.stride()[0];
  const NativeTest test(NeighbourTest(kernel.neighbourhood, kernel.size[0], stride), stride);
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
                       test.side() * test.side(),
                       request.offsets->columns()};
  const std::int64_t more_cells = (out.rule.stride()[0] / stride) - 1;
  for (const std::int64_t step : task.step)
    task.to_last_cell += more_cells * step;
  return task;
}

template <class Key, class Search>
void find_triplets(const Device& device, const NativeTask<Key>& task, const Search& search,
                   KernelMap::Part& part, Job& job) {
  const std::size_t shared = NativeBlock::bytes(task.lines, task.columns);
  const unsigned blocks = blocks_for(task.output_count, rows_of_native_block);
  const auto places = (static_cast<std::size_t>(task.columns) * static_cast<std::size_t>(task.units));
  Buffer counts(device.pool, (places + 1) * sizeof(std::uint32_t));
  const bool stores = task.test.window <= max_stored_window && task.input_count <= max_stored_inputs;
  Buffer stored(device.pool, stores ? static_cast<std::size_t>(task.output_count) *
                                          static_cast<std::size_t>(task.lines) * sizeof(std::uint32_t)
                                    : 0);
  Buffer starts;
  {
    const auto stage = job.stage("search");
    SPIRA_CUDA(
        cudaMemsetAsync(values<std::uint32_t>(counts) + places, 0, sizeof(std::uint32_t), device.stream));
    count_kernel<<<blocks, threads_of_native, shared, device.stream>>>(
        task, search, values<std::uint32_t>(counts), stores ? values<std::uint32_t>(stored) : nullptr);
    SPIRA_CUDA(cudaGetLastError());
    starts = starts_of(device, counts);
  }
  const auto stage = job.stage("filter");
  const std::int64_t triplets = read_value(device, values<std::int64_t>(std::as_const(starts)) + places);
  part.entries = Buffer(device.pool, static_cast<std::size_t>(triplets) * sizeof(int2));
  const TripletWriter to{values<int2>(part.entries), values<std::int64_t>(starts),
                         values<std::int32_t>(part.counts)};
  write_kernel<<<blocks, threads_of_native, shared, device.stream>>>(
      task, search, stores ? values<std::uint32_t>(stored) : nullptr, to);
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

// The kernel of a layer of a bird's-eye view. A thread block computes tiles of output cells, one after
// another. For each tile, it computes where the input cells are, copies them to shared memory in chunks of
// channels, and multiplies each chunk with the weights of all columns. The copies of the next steps are in
// flight while a step is multiplied.
#pragma once

#include "kernels/cuda/birds_eye/unit_products.cuh"

namespace spira::cuda {

/// Steps whose copies can be in flight or in use at the same time.
constexpr int ring_steps = 4;

/// The work of a thread block.
template <class Products> class LayerBlock {
 public:
  __device__ LayerBlock(const LayerTask& task, unsigned char* memory)
      : task_(task), memory_(memory), blocks_(static_cast<int>(task.blocks.get())) {}

  __device__ void compute_all() {
    Products products(task_);
    // An image has at most 2^31 cells, so the numbers of tiles have fewer than 31 bits.
    const int tiles = static_cast<int>(task_.tiles.count(blocks_));
    int tile = static_cast<int>(blockIdx.x);
    // If the ring holds the weights of all steps, they are loaded only for the first tile.
    bool load_weights = true;
    if (tile < tiles) start_tile(tile, 0, load_weights);
    for (int side = 0; tile < tiles; side ^= 1) {
      multiply_all(products, side, load_weights);
      products.store(task_, first_channel(), results(side));
      // All threads have finished the products of the tile, so their memory can be filled again.
      __syncthreads();
      load_weights = task_.memory.steps() > ring_steps;
      tile += static_cast<int>(gridDim.x);
      if (tile < tiles) start_tile(tile, side ^ 1, load_weights);
      write_results(side);
    }
  }

 private:
  using Value = typename Products::Value;

  [[nodiscard]] __device__ static int first_channel() {
    return static_cast<int>(blockIdx.y) * Products::channels;
  }
  /// Starts the copies of the first steps of a tile. They are in flight while the results of the previous
  /// tile are written. Tiles alternate between the two sides of the memory for positions and results.
  __device__ void start_tile(int tile, int side, bool with_weights) {
    find_cells(tile, side);
    __syncthreads();
    start_residual(side);
    for (int step = 0; step < ring_steps - 1; ++step)
      start(step, side, with_weights);
  }
  /// Computes the positions of the input cells and of the output cells of a tile. -1 means no cell.
  __device__ void find_cells(int tile, int side) {
    // With K = 1, the input cells are at the coordinates of the output cells.
    const bool same = task_.tiles.kernel_size == 1 && task_.tiles.step == 1;
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); !same && at < task_.tiles.patch_cells();
         at += Products::threads)
      input_cells(side)[at] = task_.tiles.input(task_.in.store, task_.blocks, blocks_, tile, at);
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); at < Products::rows; at += Products::threads) {
      const auto cell = task_.tiles.output(task_.blocks, blocks_, tile, at);
      const auto position_in = [&](const CellStore& store) {
        return cell.block.slot >= 0 ? store.cell(cell.block, cell.x, cell.y) : -1;
      };
      output_cells(side)[at] = position_in(task_.out.store);
      if (task_.residual.data != nullptr) residual_cells(side)[at] = position_in(task_.residual.store);
      if (same) input_cells(side)[at] = position_in(task_.in.store);
    }
  }
  /// Copies 16 bytes of the features of a cell to shared memory. Writes 0 for a cell that does not exist and
  /// for channels from `channels` on. The copy is asynchronous if `aligned` is true.
  __device__ static void copy_features(unsigned char* to, const void* data, std::int64_t cell, int channel,
                                       int channels, bool aligned) {
    const bool there = cell >= 0 && channel < channels;
    const Value* const from = static_cast<const Value*>(data) + (there ? (cell * channels) + channel : 0);
    if (aligned) return copy_piece(to, from, there);
    auto* const values = reinterpret_cast<Value*>(to);
#pragma unroll
    for (int at = 0; at < Products::piece; ++at)
      values[at] = there && channel + at < channels ? from[at] : static_cast<Value>(0.0F);
  }
  /// Starts to copy the residuals to the memory of the results.
  __device__ void start_residual(int side) {
    if (task_.residual.data == nullptr) return;
    constexpr int pieces = Products::channels / Products::piece;
    for (int at = static_cast<int>(threadIdx.x); at < Products::rows * pieces; at += Products::threads) {
      const int row = at / pieces, channel = at % pieces * Products::piece;
      copy_features(result(side, row, channel), task_.residual.data, residual_cells(side)[row],
                    first_channel() + channel, task_.out_channels, aligned_out());
    }
  }
  /// Starts the copies of a step, and closes their group. The group is empty if the step does not exist.
  __device__ void start(int step, int side, bool with_weights) {
    if (step < task_.memory.steps()) {
      const int of_chunk = task_.memory.steps_of_chunk, chunk = step / of_chunk,
                part = step - (chunk * of_chunk);
      if (part == 0) start_patch(chunk, side);
      if (with_weights) start_weights(step, chunk, part * task_.memory.step_columns);
    }
    commit_copies();
  }
  __device__ void start_patch(int chunk, int side) {
    // Each thread copies the same piece of several rows. If the number of pieces does not divide the number
    // of threads, the last threads copy nothing.
    const int pieces = task_.memory.chunk / Products::piece, rows_of_pass = Products::threads / pieces;
    const int first_row = static_cast<int>(threadIdx.x) / pieces,
              piece = static_cast<int>(threadIdx.x) - (first_row * pieces);
    if (first_row >= rows_of_pass) return;
    const int channel = (chunk * task_.memory.chunk) + (piece * Products::piece);
    const bool aligned = task_.in_channels % Products::piece == 0;
    unsigned char* const to = patch(chunk) + (piece * 16);
#pragma unroll 1
    for (int row = first_row; row < task_.tiles.patch_cells(); row += rows_of_pass)
      copy_features(to + (row * task_.memory.patch_stride), task_.in.data, input_cells(side)[row], channel,
                    task_.in_channels, aligned);
  }
  __device__ void start_weights(int step, int chunk, int first_column) {
    constexpr int pieces = Products::channels / Products::piece;
    const int padded_in = padded_in_channels(task_.in_channels);
    const int padded_out = padded_out_channels(task_.out_channels);
    const int rows = task_.memory.step_columns * task_.memory.chunk;
    unsigned char* const to = weights(step);
    // The sums are in registers, so an unrolled loop would not have enough of them.
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); at < rows * pieces; at += Products::threads) {
      const int row = at / pieces, piece = at % pieces, column = row / task_.memory.chunk;
      const int in = (chunk * task_.memory.chunk) + (row - (column * task_.memory.chunk)),
                out = first_channel() + (piece * Products::piece);
      const bool there = out < padded_out;
      const std::int64_t from =
          there ? ((static_cast<std::int64_t>(first_column + column) * padded_in + in) * padded_out) + out
                : 0;
      copy_piece(to + (row * task_.memory.weight_stride) + (piece * 16),
                 static_cast<const Value*>(task_.weight) + from, there);
    }
  }
  __device__ void multiply_all(Products& products, int side, bool load_weights) {
    products.clear();
    const int K = task_.tiles.kernel_size, line = task_.tiles.patch_columns() * task_.memory.patch_stride;
    const int column_bytes = task_.memory.chunk * task_.memory.weight_stride;
    const unsigned char* of_chunk = patch(0);
    int x = 0, y = 0;
    for (int step = 0, chunk = 0; step < task_.memory.steps(); ++step) {
      wait_for_copies<ring_steps - 2>();
      // All threads have finished the previous step, so its memory can be filled again.
      __syncthreads();
      start(step + ring_steps - 1, side, load_weights);
      const unsigned char* of_column = weights(step);
      for (int column = 0; column < task_.memory.step_columns; ++column, of_column += column_bytes) {
        products.multiply(of_chunk + (x * line) + (y * task_.memory.patch_stride), of_column, task_.memory);
        if (++y < K) continue;
        y = 0;
        if (++x < K) continue;
        x = 0;
        of_chunk = patch(++chunk);
      }
    }
  }
  __device__ void write_results(int side) {
    constexpr int pieces = Products::channels / Products::piece;
    for (int at = static_cast<int>(threadIdx.x); at < Products::rows * pieces; at += Products::threads) {
      const int row = at / pieces, of_tile = at % pieces * Products::piece,
                channel = first_channel() + of_tile;
      const std::int64_t cell = output_cells(side)[row];
      if (cell < 0 || channel >= task_.out_channels) continue;
      Value* const to = static_cast<Value*>(task_.out.data) + (cell * task_.out_channels) + channel;
      const unsigned char* const from = result(side, row, of_tile);
      if (aligned_out()) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
        continue;
      }
      for (int value = 0; value < Products::piece && channel + value < task_.out_channels; ++value)
        to[value] = reinterpret_cast<const Value*>(from)[value];
    }
  }

  // The positions of cells are at the start of the memory.
  [[nodiscard]] __device__ std::int64_t* output_cells(int side) const {
    return reinterpret_cast<std::int64_t*>(memory_ + (side * task_.memory.positions));
  }
  [[nodiscard]] __device__ std::int64_t* residual_cells(int side) const {
    return output_cells(side) + Products::rows;
  }
  [[nodiscard]] __device__ std::int64_t* input_cells(int side) const {
    return residual_cells(side) + Products::rows;
  }
  [[nodiscard]] __device__ bool aligned_out() const {
    return task_.out_channels % Products::piece == 0;
  }
  [[nodiscard]] __device__ unsigned char* patch(int chunk) const {
    return memory_ + task_.memory.patches +
           (chunk % task_.memory.patch_slots * task_.tiles.patch_cells() * task_.memory.patch_stride);
  }
  [[nodiscard]] __device__ unsigned char* weights(int step) const {
    return memory_ + task_.memory.weights +
           (step % task_.memory.weight_slots * task_.memory.step_columns * task_.memory.chunk *
            task_.memory.weight_stride);
  }
  /// Without a residual, both sides are the same memory.
  [[nodiscard]] __device__ unsigned char* results(int side) const {
    return memory_ + task_.memory.results + (side * task_.memory.results_step);
  }
  [[nodiscard]] __device__ unsigned char* result(int side, int row, int channel) const {
    return results(side) + (row * task_.memory.result_stride) + (channel * static_cast<int>(sizeof(Value)));
  }

  const LayerTask& task_;
  unsigned char* memory_;
  int blocks_;  // Block numbers have 31 bits.
};

/// Returns the number of input channels of a step. It depends only on the shape of the layer and on the
/// device, because it determines the order of the sums.
inline int chunk_of(const LayerTask& task, int value_bytes, int shared_bytes) {
  constexpr int little_memory = 96 * 1024;
  const int K = task.tiles.kernel_size;
  const bool small_patch = K == 1 || (K == 3 && task.tiles.step == 1);
  const int limit = (K > 3         ? 16
                     : small_patch ? 64
                                   : 32) *
                    2 / value_bytes / (shared_bytes < little_memory ? 2 : 1);
  const int padded = padded_in_channels(task.in_channels);
  const int least = 32 / value_bytes;  // Two pieces of 16 bytes.
  int chunk = least;
  for (int one = least; one <= limit; one += least) {
    if (padded % one == 0) chunk = one;
  }
  return chunk;
}

/// Returns the stride of rows of `bytes` bytes in shared memory. It is an odd number of 16-byte pieces, so
/// that the same piece of 8 consecutive rows is in different banks.
inline int stride_of(int bytes) {
  return bytes / 16 % 2 == 1 ? bytes : bytes + 16;
}

/// Plans the shared memory of a thread block. All sizes of task.tiles must be set. `shared_bytes` is the
/// shared memory that a thread block of the device can have.
template <class Products> LayerMemoryPlan memory_plan(LayerTask task, int shared_bytes) {
  constexpr int value_bytes = static_cast<int>(sizeof(typename Products::Value));
  constexpr int max_step_bytes = 16'896;
  LayerMemoryPlan& plan = task.memory;
  const int K = task.tiles.kernel_size;
  plan.chunk = chunk_of(task, value_bytes, shared_bytes);
  plan.chunks = (task.in_channels + plan.chunk - 1) / plan.chunk;
  plan.patch_stride = stride_of(plan.chunk * value_bytes);
  plan.weight_stride = plan.result_stride = stride_of(Products::channels * value_bytes);
  // With several chunks, a chunk has several steps, so that only two patches are needed.
  plan.step_columns = 1;
  for (const int columns : {K, K * K}) {
    if ((columns == K || plan.chunks == 1) && columns * plan.chunk * plan.weight_stride <= max_step_bytes)
      plan.step_columns = columns;
  }
  plan.steps_of_chunk = K * K / plan.step_columns;
  plan.weight_slots = plan.steps() < ring_steps ? plan.steps() : ring_steps;
  // If a chunk has fewer steps than the ring has in flight, the patches of several chunks are in flight too.
  const int patch_slots = plan.steps_of_chunk >= ring_steps - 1 ? 2 : ring_steps;
  plan.patch_slots = plan.chunks < patch_slots ? plan.chunks : patch_slots;
  const int tables =
      (task.tiles.patch_cells() + (2 * Products::rows)) * static_cast<int>(sizeof(std::int64_t));
  plan.positions = (tables + 15) / 16 * 16;
  plan.patches = 2 * plan.positions;
  plan.weights = plan.patches + (plan.patch_slots * task.tiles.patch_cells() * plan.patch_stride);
  plan.results = plan.weights + (plan.weight_slots * plan.step_columns * plan.chunk * plan.weight_stride);
  const int of_results = Products::rows * plan.result_stride;
  plan.results_step = task.residual.data == nullptr ? 0 : of_results;
  plan.bytes = plan.results + of_results + plan.results_step;
  return plan;
}

template <class Products>
__global__ void __launch_bounds__(Products::threads, Products::resident)
    layer_kernel(const __grid_constant__ LayerTask task) {
  extern __shared__ __align__(16) unsigned char layer_memory[];
  LayerBlock<Products>(task, layer_memory).compute_all();
}

}  // namespace spira::cuda

// Divides the outputs of a z-run map into blocks of a few rows, and stores one list of pairs per offset for
// each block. In the output-stationary kernel for few channels (conv_fp16_lists.cu), one warp processes one
// block.
//
// A slice is 16 pairs, and each list begins with a new slice. Padding pairs fill the last slice of a list;
// their sums are never read. For K = 5 and 125,565 voxels of a street (17.5 pairs per row), the share of real
// pairs is 0.51 with 64 rows per block and 0.70 with 128 rows. If all offsets used the same order of rows,
// the share would only be 0.26 to 0.30.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/map/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

/// A pair stores its input row in the upper 24 bits and its row within the block in the lower 8 bits. A
/// padding pair has input row 0. Its row within the block is beyond the last row and is different for each
/// position in a slice. As long as a list has pairs of even rows and pairs of odd rows, they alternate. The
/// sums of two consecutive pairs are then in different banks of shared memory.
constexpr int list_row_bits = 8;
constexpr std::int64_t max_list_inputs = std::int64_t{1} << (32 - list_row_bits);
/// Minimum and maximum number of rows in a block. Both are multiples of 32.
constexpr int min_list_rows = 64, max_list_rows = 128;
constexpr int max_list_columns = 125;
/// Number of padding slices after the last slice of a block. Kernels that read ahead read these slices.
constexpr int spare_slices = 16;

/// Computes which rows belong to a block. Groups of 16 rows are assigned to the blocks round-robin, so that
/// each block gets a share of the rows with many inputs.
struct BlockRows {
  std::int64_t block, blocks, outputs;

  __device__ BlockRows(std::int64_t of_block, int block_rows, std::int64_t all)
      : block(of_block), blocks((all + block_rows - 1) / block_rows), outputs(all) {}
  [[nodiscard]] __device__ bool there() const { return block < blocks; }
  /// Returns the output row. The result may be beyond the last output.
  [[nodiscard]] __device__ std::int64_t row(int in_block) const {
    return (((in_block / slice_rows * blocks) + block) * slice_rows) + (in_block % slice_rows);
  }
};

struct OffsetLists {
  int block_rows = 0, columns = 0;
  const std::uint32_t* pairs = nullptr;  ///< Shape: [blocks][pairs_of_block()], in slices of 16.
  /// Shape: [blocks][columns + 2]. For each block, the first word is the number of slices. Then there is one
  /// word for each column that has pairs; it contains the column and its number of slices, with 16 bits each.
  /// The other words are zero.
  const std::uint32_t* runs = nullptr;

  [[nodiscard]] __host__ __device__ std::int64_t pairs_of_block() const {
    return (block_rows * columns) + (spare_slices * slice_rows);
  }
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size, int block_rows);
  /// Returns pointers to the arrays in a buffer that offset_lists() has filled.
  [[nodiscard]] static OffsetLists in(const Buffer& buffer, std::int64_t outputs, int kernel_size,
                                      int block_rows);
};

/// Fills `lists`, whose size must be OffsetLists::bytes() for the largest number of outputs. `source` must
/// have 32-bit words and at most max_list_inputs inputs.
void offset_lists(const Device& device, const MapSource& source, int block_rows, Buffer& lists);
/// Fills `lists` for a map whose words are computed from an occupancy grid and are not stored in memory.
void offset_lists(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& lists);

}  // namespace spira::cuda

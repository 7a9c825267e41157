// A z-run map as lists of pairs, one for each offset, of blocks of few rows: what a single warp of the
// output-stationary kernel for few channels takes (conv_half_lists.cu).
//
// Lists start at slices of 16 pairs and are filled up with spare pairs, whose sums nobody reads. With 17.5
// pairs a row (K = 5, 125,565 voxels of a street) and 64 rows a block, 0.51 of the slots are real pairs, with
// 128 rows 0.70; one order of rows for all offsets has 0.26 to 0.30.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/map_source.cuh"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

struct OccupancyMap;

/// A pair is its input row, 24 bits, and its row in the block, 8 bits below. Spare ones have input row 0 and
/// rows behind the block's last, another one for each place of a slice. In a list, even and odd rows take
/// turns for as long as there are both: rows side by side then meet other banks of shared memory.
constexpr int list_row_bits = 8;
constexpr std::int64_t most_list_inputs = std::int64_t{1} << (32 - list_row_bits);
constexpr int least_list_rows = 64, most_list_rows = 128;  ///< of a block, multiples of 32
constexpr int most_list_columns = 125;
constexpr int spare_slices = 16;  ///< behind the last of a block, for whoever reads ahead

/// The rows of a block: pieces of 16, dealt out to the blocks in turn, so that each has its share of the
/// dense ones.
struct BlockRows {
  std::int64_t block, blocks, outputs;

  __device__ BlockRows(std::int64_t of_block, int block_rows, std::int64_t all)
      : block(of_block), blocks((all + block_rows - 1) / block_rows), outputs(all) {}
  [[nodiscard]] __device__ bool there() const { return block < blocks; }
  /// May be one behind the last.
  [[nodiscard]] __device__ std::int64_t row(int in_block) const {
    return (((in_block / slice_rows * blocks) + block) * slice_rows) + (in_block % slice_rows);
  }
};

struct OffsetLists {
  int block_rows = 0, columns = 0;
  const std::uint32_t* pairs = nullptr;  ///< [blocks][pairs_of_block()], in slices of 16
  /// [blocks][columns + 2]: how many slices there are, then each column that has pairs with how many slices
  /// of them (16 bits each), then zeros.
  const std::uint32_t* runs = nullptr;

  [[nodiscard]] __host__ __device__ std::int64_t pairs_of_block() const {
    return (block_rows * columns) + (spare_slices * slice_rows);
  }
  [[nodiscard]] static std::size_t bytes(std::int64_t outputs, int kernel_size, int block_rows);
  /// As offset_lists() laid them out.
  [[nodiscard]] static OffsetLists in(const Buffer& buffer, std::int64_t outputs, int kernel_size,
                                      int block_rows);
};

/// `source`: 32-bit words of at most most_list_inputs inputs. `lists`: OffsetLists::bytes() of the most
/// outputs.
void offset_lists(const Device& device, const MapSource& source, int block_rows, Buffer& lists);
/// The same of a map that is found in an occupancy grid, without its words in memory.
void offset_lists(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                  Buffer& lists);

}  // namespace spira::cuda

// Runs one layer of a unit of a bird's-eye view on the device.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "kernels/cuda/birds_eye/cell_tiles.hpp"
#include "kernels/cuda/device/device.hpp"

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

/// Features of cells in device memory. The features of a cell are adjacent.
struct CellFeatures {
  CellStore store;
  void* data = nullptr;
};

/// How a layer uses shared memory. Offsets and sizes are in bytes, unless stated otherwise.
struct LayerMemoryPlan {
  int chunk = 0;         ///< Input channels of a step. A multiple of 16 in fp16, and of 8 in fp32.
  int step_columns = 0;  ///< Columns of the kernel (cells of the K x K square) of a step. Divides K^2.
  int steps_of_chunk = 0, chunks = 0;  ///< Steps that multiply all columns of a chunk, and number of chunks.
  int patch_slots = 0, weight_slots = 0;
  int patch_stride = 0, weight_stride = 0, result_stride = 0;  ///< From one row to the next.
  int positions = 0;     ///< Size of the positions of the cells of a tile.
  int results_step = 0;  ///< From the results of a tile to those of the next tile. 0 without a residual.
  int patches = 0, weights = 0, results = 0, bytes = 0;  ///< Offsets of the parts, and the total.

  [[nodiscard]] __host__ __device__ int steps() const { return chunks * steps_of_chunk; }
};

/// The arguments of the kernel of a layer. All members are plain values, because kernels receive the struct
/// by value.
struct LayerTask {
  BlocksOnDevice blocks;
  CellTiles tiles;
  CellFeatures in, out, residual;  ///< `residual.data` is `nullptr` if the layer has no residual.
  const void* weight = nullptr;    ///< The order of packed_unit_weights().
  const float* bias = nullptr;
  int in_channels = 0, out_channels = 0;
  bool relu = false;
  LayerMemoryPlan memory;
};

/// Weights are stored as [K^2][padded C_in][padded C_out], with zeros as padding.
[[nodiscard]] __host__ __device__ constexpr int padded_in_channels(int channels) {
  return (channels + 15) / 16 * 16;
}
[[nodiscard]] __host__ __device__ constexpr int padded_out_channels(int channels) {
  return (channels + 7) / 8 * 8;
}

/// Computes the output cells of a layer. Chooses the tiles and the kernel; `task.tiles` must have all sizes
/// except those of the rectangles, and `task.memory` is ignored. `likely_blocks` is the expected number of
/// blocks. The sums of a cell have the same order for any tiles and any blocks.
void run_unit_layer(const Device& device, LayerTask task, std::int64_t likely_blocks, Precision precision);

/// Copies the cells of a region of each block between two stores. Cells that `from` does not contain are
/// 0. Cells that `to` does not contain are not written. `bytes` is the size of the features of a cell.
void copy_cells(const Device& device, const BlocksOnDevice& blocks, const CellRegion& region,
                const CellFeatures& from, const CellFeatures& to, std::size_t bytes);

}  // namespace spira::cuda

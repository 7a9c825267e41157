// The kernels that compute the gradients of weights from pair lists, for fp16 and fp32.
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/gradients/wgrad_lists.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace spira::cuda {

/// The rows of features that a kernel gathers.
struct RowsToGather {
  const void* data = nullptr;
  int channels = 0;
  int stride = 0;  ///< Values from one row to the next. Values from `channels` to `stride` are 0.
};

/// The pairs of a list are divided into chunks, so that all pairs of a chunk belong to one column. A slot is
/// a column of the lists. The lists of a half map have a second slot for each column: the slot of its partner
/// column, in which inputs and outputs are exchanged.
struct PairChunk {
  std::int64_t first_pair;  ///< Position in the lists.
  int count;
  std::uint16_t slot;
  bool ends;     ///< True for the last chunk of a slot.
  bool swapped;  ///< True if x is the output of a pair, and g is its input.
};

/// The chunks of all slots form one sequence, which is divided into equal sections, one per thread block. A
/// thread block adds the products of its section, and writes one partial sum per slot.
struct WgradWork {
  const int2* pairs = nullptr;          ///< (output, input)
  const PairChunk* chunks = nullptr;    ///< Sorted by slot.
  const std::int32_t* count = nullptr;  ///< Number of all chunks.
  int slots = 0;
  RowsToGather in, gradient;
  int blocks = 0;  ///< Number of thread blocks.
  /// Partial sums. Shape: [blocks + slots][C_in][C_out]. The part of a block and a slot is at block + slot.
  float* parts = nullptr;
};

/// How the kernels divide a layer.
struct WgradShape {
  int tile_in = 0, tile_out = 0;  ///< Channels of the matrix that a thread block computes.
  int tiles = 0;                  ///< Number of such matrices.
  int chunk_pairs = 0;
  int blocks = 0;  ///< Number of thread blocks per matrix.
};
[[nodiscard]] WgradShape wgrad_shape_fp16(const Device& device, int in_channels, int out_channels);
[[nodiscard]] WgradShape wgrad_shape_fp32(const Device& device, int in_channels, int out_channels);

void wgrad_fp16(const Device& device, const WgradShape& shape, const WgradWork& work);
void wgrad_fp32(const Device& device, const WgradShape& shape, const WgradWork& work);

}  // namespace spira::cuda

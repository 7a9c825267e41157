// The division of the chunks of wgrad into sections, one per thread block.
#pragma once

#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/gradients/wgrad_kernels.hpp"

namespace spira::cuda {

/// If there are more thread blocks than chunks, the last thread blocks have no section.
struct Sections {
  std::int64_t blocks, chunks;

  __device__ Sections(int all_blocks, int all_chunks)
      : blocks(min(all_blocks, all_chunks)), chunks(all_chunks) {}
  /// Returns the first chunk of a thread block, which is also the end of the section of the previous thread
  /// block.
  [[nodiscard]] __device__ int begin(int block) const {
    return block >= blocks ? static_cast<int>(chunks) : static_cast<int>(chunks * block / blocks);
  }
  /// Returns the thread block whose section contains a chunk.
  [[nodiscard]] __device__ int block_of(int chunk) const {
    return static_cast<int>((((chunk + std::int64_t{1}) * blocks) - 1) / chunks);
  }
};

/// Returns the address of the partial sum of this thread block for a slot.
[[nodiscard]] __device__ inline float* part_of(const WgradWork& work, int slot) {
  return work.parts + (static_cast<std::int64_t>(static_cast<int>(blockIdx.y) + slot) * work.in.channels *
                       work.gradient.channels);
}

}  // namespace spira::cuda

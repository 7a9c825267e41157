// Dense layouts, made of the z-run words of a map.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device.hpp"

#include <cstdint>

namespace spira::cuda {

/// `words`: [map.outputs][groups], 32 or 64 bits each; all K^2 z-groups, or the first ones.
struct RunWordsOnDevice {
  const Buffer* words;
  int word_bits;
  int groups;
};
void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part);

}  // namespace spira::cuda

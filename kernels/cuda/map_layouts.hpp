// Dense layouts and pair lists, made of the z-run words of a map.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device.hpp"

#include <cstdint>

namespace spira::cuda {

/// `words`: [map.outputs][K^2], 32 or 64 bits each.
struct RunWordsOnDevice {
  const Buffer* words;
  int word_bits;
};
void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part);
void fill_pair_lists(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                     KernelMap::Part& part);

}  // namespace spira::cuda

// Fills the dense layouts of a kernel map from its z-run words.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/device.hpp"

#include <cstdint>

namespace spira::cuda {

/// Z-run words on the device: [map.outputs][groups], 32 or 64 bits each. `groups` is K^2, or less if only the
/// first z-groups were searched.
struct RunWordsOnDevice {
  const Buffer* words;
  int word_bits;
  int groups;
};
void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part);

}  // namespace spira::cuda

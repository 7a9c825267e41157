// The pair lists that the kernels of wgrad read, for a kernel map in any layout.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/device.hpp"

#include <vector>

namespace spira::cuda {

/// The pair lists of one part of a map, which can contain only a part of its columns.
struct WgradList {
  const KernelMap::Part* lists = nullptr;  ///< A pair_lists part.
  bool half = false;                       ///< True if the lists also stand for the partner columns.
};

/// Returns lists that together contain all pairs of the map. The lists of the map itself are used if it has
/// lists. All other lists are built and stored with the map, so that the layers that share the map share them
/// (stage "order"). If the map cannot store lists, they are stored in `built`.
[[nodiscard]] std::vector<WgradList> wgrad_lists(const Device& device, const KernelMap& map,
                                                 std::vector<KernelMap::Part>& built, Job& job);

}  // namespace spira::cuda

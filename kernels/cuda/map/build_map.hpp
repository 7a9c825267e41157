// Builds kernel maps on the device. One of four mapping algorithms fills the z-run words. The other layouts
// are built from these words.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

[[nodiscard]] KernelMap build_map(const Device& device, const CoordSet& in, const CoordSet& out,
                                  const MapRequest& request, Job& job);
/// Returns the size in bytes of the map's pair lists if a single launch finds and writes the pairs. In this
/// case, the number of pairs is not known before the launch, so the lists have space for every possible pair.
/// Returns 0 if the pairs are counted first.
[[nodiscard]] std::size_t room_for_all_pairs(const Device& device, const PairListShape& lists);

}  // namespace spira::cuda

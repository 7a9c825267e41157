// Kernel maps on the device: four mapping algorithms fill z-run words, the other layouts are made of them.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device.hpp"

namespace spira::cuda {

[[nodiscard]] KernelMap build_map(const Device& device, const CoordSet& in, const CoordSet& out,
                                  const MapRequest& request, Job& job);
/// Bytes that the map's lists take before anybody knows how many pairs there are, because one launch finds
/// and writes them; 0: lists that are counted first.
[[nodiscard]] std::size_t room_for_all_pairs(const Device& device, const PairListShape& lists);

}  // namespace spira::cuda

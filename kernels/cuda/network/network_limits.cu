// Checks whether a plan can become one CUDA graph, and whether a scene exceeded the capacity of its run.
#include "engine/base/text.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/network/network_layout.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <algorithm>

namespace spira::cuda {

std::string why_not_one_graph(const NetworkRunRequest& request) {
  for (std::size_t at = 0; at < request.plan.layers.size(); ++at) {
    const Layer& layer = request.network->layers[at];
    const LayerLevels& levels = request.levels.layers[at];
    const LayerPlan& plan = request.plan.layers[at];
    const KernelOffsets offsets(levels.map.kernel_size, levels.map.stride_in);
    if (!levels.transposed && plan.threshold < offsets.max_threshold())
      return layer.name + ": t = " + std::to_string(plan.threshold) +
             " needs weight-stationary columns, which only run layer by layer";
    if (plan.dense_layout != MapLayout::z_runs) return layer.name + ": the plan requests a dense map";
    const int coarse = levels.transposed ? levels.map.stride_out : levels.map.stride_in;
    const auto& strides = request.levels.strides;
    const auto level =
        static_cast<std::size_t>(std::find(strides.begin(), strides.end(), coarse) - strides.begin());
    if (request.capacity.voxels[level] > std::int64_t{1} << (32 - levels.map.kernel_size))
      return layer.name + ": too many voxels for 32-bit words of its map";
  }
  for (const std::int64_t cells : request.capacity.extent) {
    if (cells > 1 << 30) return "the bounding box of the scene is too long for an occupancy grid";
  }
  std::size_t free_bytes = 0, all_bytes = 0;
  SPIRA_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  const std::size_t needed = occupancy_bytes(request.capacity.extent, request.levels.strides);
  if (needed > static_cast<std::size_t>(max_words) * sizeof(uint2))
    return "the occupancy grid of the scene needs more than 2^31 words";
  if (needed > all_bytes / 8) {
    return "the occupancy grid of the scene needs " + bytes_text(needed) + "; the limit is one eighth of " +
           bytes_text(all_bytes);
  }
  return {};
}

std::string why_not_fit(const RunStatus& status, const NetworkRunRequest& request) {
  if (status.outside != 0) return "a point is outside the bounding box for which the network was compiled";
  for (std::size_t at = 0; at < request.levels.strides.size(); ++at) {
    if (status.overfull[at] == 0) continue;
    return count_text(status.overfull[at]) + " voxels of stride " +
           std::to_string(request.levels.strides[at]) + "; the network was compiled for at most " +
           count_text(request.capacity.voxels[at]);
  }
  return {};
}

}  // namespace spira::cuda

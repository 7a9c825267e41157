// Checks whether a plan can become one CUDA graph, and whether a scene exceeded the capacity of its run.
#include "engine/base/text.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/network/network_layout.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <algorithm>

namespace spira::cuda {

std::string why_not_one_graph(const NetworkRunRequest& request) {
  for (const Layer& layer : request.network->layers) {
    if (layer.changes_set())
      return layer.name + ": the operation " + std::string(text_of(layer.op)) + " only runs layer by layer";
  }
  if (request.levels.sets.size() > max_levels)
    return "the network has " + std::to_string(request.levels.sets.size()) +
           " levels; one graph has at most " + std::to_string(max_levels);
  if (request.levels.has_points()) return "the network reads points, so it only runs layer by layer";
  const bool reached = std::any_of(request.levels.sets.begin(), request.levels.sets.end(),
                                   [](const SceneLevel& set) { return !set.rule.floor(); });
  constexpr std::int64_t max_table = 1 << 20;
  if (reached &&
      *std::max_element(request.capacity.extent.begin(), request.capacity.extent.end()) > max_table)
    return "the bounding box of the scene is too long for levels with the reached rule in one graph";
  for (std::size_t at = 0; at < request.plan.layers.size(); ++at) {
    const Layer& layer = request.network->layers[at];
    const LayerLevels& levels = request.levels.layers[at];
    const LayerPlan& plan = request.plan.layers[at];
    const KernelShape& kernel = levels.map.kernel;
    if (kernel.native()) return layer.name + ": native neighbourhoods run layer by layer";
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (kernel.padding[axis] > margin || kernel.size[axis] - 1 - kernel.padding[axis] > margin)
        return layer.name + ": a kernel of size " + text_of(kernel) + " reaches too far for one graph";
    }
    const KernelOffsets offsets(kernel, 1);
    if (!levels.transposed && plan.threshold < offsets.max_threshold())
      return layer.name + ": t = " + std::to_string(plan.threshold) +
             " needs weight-stationary columns, which only run layer by layer";
    if (plan.method != FeatureMethod::by_layout)
      return layer.name + ": gather-GEMM-scatter only runs layer by layer";
    if (plan.dense_layout != MapLayout::z_runs)
      return layer.name + ": the plan requests a dense map, which only runs layer by layer";
    const int coarse = levels.transposed ? levels.map.stride_out : levels.map.stride_in;
    if (request.capacity.voxels[request.levels.index_of(coarse)] > std::int64_t{1} << (32 - kernel.size[2]))
      return layer.name + ": too many voxels for the 32-bit words of its map";
  }
  for (const std::int64_t cells : request.capacity.extent) {
    if (cells > 1 << 30) return "the bounding box of the scene is too long for an occupancy grid";
  }
  std::size_t free_bytes = 0, all_bytes = 0;
  SPIRA_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  const std::size_t needed = occupancy_bytes(request.capacity.extent, request.levels.sets);
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
  if (status.outside_grid != 0) return "a voxel is outside the cells of a dense output";
  for (std::size_t at = 0; at < request.levels.sets.size(); ++at) {
    if (status.overfull[at] == 0) continue;
    return count_text(status.overfull[at]) + " voxels of stride " + text_of(request.levels.sets[at].rule) +
           "; the network was compiled for at most " + count_text(request.capacity.voxels[at]);
  }
  return {};
}

}  // namespace spira::cuda

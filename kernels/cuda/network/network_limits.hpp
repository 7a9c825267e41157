// Limits of compiled networks: plans that cannot become one graph, and scenes that exceed the capacity.
#pragma once

#include "engine/backend/network_run.hpp"
#include "kernels/cuda/voxels/occupancy.cuh"

#include <string>

namespace spira::cuda {

/// Returns the reason why a plan cannot run as one graph, or an empty string if it can.
[[nodiscard]] std::string why_not_one_graph(const NetworkRunRequest& request);
/// Returns which capacity the scene of a run exceeded, or an empty string if the scene fitted.
[[nodiscard]] std::string why_not_fit(const RunStatus& status, const NetworkRunRequest& request);

}  // namespace spira::cuda

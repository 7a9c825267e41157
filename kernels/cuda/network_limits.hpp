// What a compiled network cannot do: plans that no graph is made of, and scenes beyond its capacity.
#pragma once

#include "engine/backend/network_run.hpp"
#include "kernels/cuda/occupancy.cuh"

#include <string>

namespace spira::cuda {

/// Why a plan cannot be one graph; empty: it can.
[[nodiscard]] std::string why_not_one_graph(const NetworkRunRequest& request);
/// What the scene of a run had too much of; empty: it fitted.
[[nodiscard]] std::string why_not_fit(const RunStatus& status, const NetworkRunRequest& request);

}  // namespace spira::cuda

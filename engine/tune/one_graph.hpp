// Chooses t = max for a network that is faster as one graph. On a GPU, one graph can be faster than layer by
// layer, but it requires t = max (docs/cuda.md).
#pragma once

#include "engine/tune/tuning_profile.hpp"

namespace spira {

/// Sets t = max for all layers if the choices of single layers prevent one graph, and the graph of t = max is
/// significantly faster on every checked scene. The times of the single choices remain in
/// PlanCheck::layer_picks. Returns false if nothing was changed.
bool prefer_one_graph(TuningProfile& profile);

}  // namespace spira

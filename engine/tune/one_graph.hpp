// On a GPU a network is faster as one graph than layer by layer, and a graph takes t = max (docs/cuda.md).
#pragma once

#include "engine/tune/tuning_profile.hpp"

namespace spira {

/// Where the picks of single layers keep the network from being one graph, and the graph of t = max is faster
/// than they are beyond noise on every scene that was checked: all layers take t = max. What was measured of
/// the picks stays in PlanCheck::layer_picks. False: nothing was changed.
bool prefer_one_graph(TuningProfile& profile);

}  // namespace spira

// Measures a network on a scene and prints it: what `run` and `layer` share.
#pragma once

#include "app/spira/options.hpp"

namespace spira::app {

/// `sweeps`: after the run, also every t and every packing, into the same report.
void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, bool sweeps = false);

}  // namespace spira::app

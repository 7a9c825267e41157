// Measures a network on a scene and prints it: what `run` and `layer` share.
#pragma once

#include "app/spira/options.hpp"

namespace spira::app {

void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network);

}  // namespace spira::app

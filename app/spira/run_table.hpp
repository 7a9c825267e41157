// Measures a network on a scene and prints it: what `run` and `layer` share.
#pragma once

#include "app/spira/options.hpp"

namespace spira::app {

struct RunView {
  bool sweeps = false;  ///< after the run, also every t and every packing, into the same report
  std::string layer;    ///< the text is of this one alone; empty: of all
};

void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view = {});

}  // namespace spira::app

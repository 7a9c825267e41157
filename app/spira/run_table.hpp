// Measures a network on a scene and prints it: what `run` and `layer` share.
#pragma once

#include "app/spira/options.hpp"
#include "app/spira/run_outputs.hpp"

namespace spira::app {

struct RunView {
  bool sweeps = false;    ///< after the run, also every t and every packing, into the same report
  std::string layer;      ///< the text is of this one alone; empty: of all
  bool check = false;     ///< then the output of each layer against t = max, into the same report
  bool counters = false;  ///< then the searches of its kernel maps replayed, into the same report
  RunOutputs outputs;
  void add(CLI::App& command);
};

/// Throws Error(failed_check) at the end where an output is not the same with t = max.
void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view = {});

}  // namespace spira::app

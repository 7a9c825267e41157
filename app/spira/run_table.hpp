// Measures a network on a scene and prints the results, for `run` and `layer`.
#pragma once

#include "app/spira/options.hpp"
#include "app/spira/run_outputs.hpp"

namespace spira::app {

struct RunView {
  /// After the run, also measures every t and every packing, and adds them to the report.
  bool sweeps = false;
  std::string layer;   ///< Prints only this layer. If empty, prints all layers.
  bool check = false;  ///< Also compares the output of each layer with t = max, and adds this to the report.
  bool counters = false;  ///< Also replays and counts the searches of the kernel maps, for the report.
  RunOutputs outputs;
  void add(CLI::App& command);
};

/// Throws Error(failed_check) at the end if an output differs from the output with t = max.
void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view = {});

}  // namespace spira::app

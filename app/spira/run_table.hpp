// Measures a network on a scene and prints the results, for `run` and `layer`.
#pragma once

#include "app/spira/options.hpp"

#include <string>
#include <vector>

namespace spira::app {

struct RunOutputs {
  std::string file;
  std::vector<std::string> layers;

  void add(CLI::App& command);
  /// Returns the layers to write, in the order of the network. Returns the last layer if the user named none.
  /// Returns an empty list without --outputs. Throws Error(usage) for an unknown layer or extension, or if
  /// the file is one of `inputs`. Throws Error(input) if the file cannot be written.
  [[nodiscard]] std::vector<int> chosen(const Network& network, const std::vector<std::string>& inputs) const;
  /// Runs the `chosen` layers, and their inputs if needed, and writes the file.
  void write(const Context& context, const Loaded& loaded, const std::vector<int>& chosen, Job& job) const;
};

struct RunView {
  /// If true, measures every t and every packing after the run, and adds the sweeps to the report.
  bool sweeps = false;
  std::string layer;  ///< Name of the only layer to print. If empty, all layers are printed.
  bool check =
      false;  ///< If true, compares the output of each layer with the output for t = max, for the report.
  bool counters = false;  ///< If true, replays and counts the searches of the kernel maps, for the report.
  RunOutputs outputs;
  void add(CLI::App& command);
};

/// Measures the network and prints the results. At the end, throws Error(failed_check) if an output differs
/// from the output with t = max.
void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view = {});

}  // namespace spira::app

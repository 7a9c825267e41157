// The options --outputs and --output-layers, which write layer outputs to a file.
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

}  // namespace spira::app

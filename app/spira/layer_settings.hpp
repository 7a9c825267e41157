// Options that say how a single layer runs, over what is said for all of them.
#pragma once

#include "engine/backend/plan.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct LayerSettings {
  std::vector<std::string> thresholds, maps, layouts;  ///< "NAME=VALUE"
  void add(CLI::App& command);
  /// Throws Error(usage) naming the layer that there is not, or what it does not take.
  void set_in(Plan& plan, const Network& network) const;
};

}  // namespace spira::app

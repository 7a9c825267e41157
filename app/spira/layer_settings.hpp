// Options for single layers, which override the options for all layers.
#pragma once

#include "engine/backend/plan.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct LayerSettings {
  std::vector<std::string> thresholds, maps, layouts;  ///< Values of the form "NAME=VALUE".
  void add(CLI::App& command);
  /// Applies the options to `plan`. Throws Error(usage) if a layer does not exist or does not support the
  /// value.
  void set_in(Plan& plan, const Network& network) const;
};

}  // namespace spira::app

// Where the features of a whole network lie in one arena. Inputs that a layer joins are written side by side
// by the layers that make them, so that joining costs nothing.
#pragma once

#include "engine/backend/network_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spira::cuda {

/// Features of a layer: some channels of rows that are `stride` values long.
struct FeaturePlace {
  std::size_t offset = 0;  ///< bytes in the arena, of row 0
  int level = 0;           ///< index in levels.strides
  int channels = 0, stride = 0;
};

struct NetworkLayout {
  FeaturePlace input;
  std::vector<FeaturePlace> outputs;  ///< one a layer
  std::vector<FeaturePlace> inputs;   ///< one a layer, joined where it has several
  std::size_t bytes = 0;              ///< of the arena
  std::string why_not;                ///< the network cannot be laid out so; empty: it is
};
[[nodiscard]] NetworkLayout lay_out(const NetworkRunRequest& request);

}  // namespace spira::cuda

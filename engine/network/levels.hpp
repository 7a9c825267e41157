// Which coordinate sets and kernel maps a network needs, and which layers share them (section 5.5).
#pragma once

#include "engine/network/network.hpp"

#include <vector>

namespace spira {

/// One kernel map: inputs at stride_in, outputs at stride_out.
struct MapKey {
  int kernel_size = 3, stride_in = 1, stride_out = 1;
  [[nodiscard]] bool submanifold() const noexcept { return stride_in == stride_out; }
  auto operator<=>(const MapKey&) const = default;
};

struct LayerLevels {
  int stride_in = 1, stride_out = 1;  ///< of the layer's own input and output
  MapKey map;  ///< of a transposed layer: the down-sampling map (map.stride_in == stride_out)
  bool transposed = false;
};

struct Levels {
  std::vector<LayerLevels> layers;          ///< one a layer
  std::vector<int> strides;                 ///< ascending, all that occur
  std::vector<MapKey> maps;                 ///< all that occur, in the order of first use
  int max_stride = 1, max_kernel_size = 1;  ///< what fit() needs
};
/// Throws Error(input) when faults(network) is not empty or a stride exceeds 16.
[[nodiscard]] Levels levels_of(const Network& network);

}  // namespace spira

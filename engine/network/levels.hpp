// Determines which coordinate sets and kernel maps a network needs, and which layers share them (section
// 5.5).
#pragma once

#include "engine/network/network.hpp"

#include <vector>

namespace spira {

/// Identifies a kernel map. Its inputs have stride_in, and its outputs have stride_out.
struct MapKey {
  int kernel_size = 3, stride_in = 1, stride_out = 1;
  [[nodiscard]] bool submanifold() const noexcept { return stride_in == stride_out; }
  auto operator<=>(const MapKey&) const = default;
};

struct LayerLevels {
  int stride_in = 1, stride_out = 1;  ///< Strides of the input and the output of the layer.
  /// For a transposed layer, this is the map of the down-sampling layer: map.stride_in == stride_out.
  MapKey map;
  bool transposed = false;
};

struct Levels {
  std::vector<LayerLevels> layers;
  std::vector<int> strides;                 ///< All strides that occur, in ascending order.
  std::vector<MapKey> maps;                 ///< All maps that occur, in the order of first use.
  int max_stride = 1, max_kernel_size = 1;  ///< Largest values of all layers, for fit().
};
/// Returns the levels and maps that a network needs. Throws Error(input) if faults(network) is not empty or
/// if a stride exceeds 16.
[[nodiscard]] Levels levels_of(const Network& network);

}  // namespace spira

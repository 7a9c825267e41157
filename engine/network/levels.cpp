#include "engine/network/levels.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace spira {

Levels levels_of(const Network& network) {
  if (const auto found = faults(network); !found.empty()) {
    throw Error(ErrorKind::input, "network " + network.name + ": " + found.front());
  }
  Levels levels;
  std::set<int> strides{1};
  std::unordered_map<std::string_view, int> stride_of{{"input", 1}};
  for (const Layer& layer : network.layers) {
    LayerLevels here;
    here.stride_in = stride_of.at(layer.inputs.front());
    here.stride_out = layer.transposed ? here.stride_in / layer.stride : here.stride_in * layer.stride;
    here.transposed = layer.transposed;
    here.map = {layer.kernel_size, std::min(here.stride_in, here.stride_out),
                std::max(here.stride_in, here.stride_out)};
    stride_of[layer.name] = here.stride_out;
    strides.insert(here.stride_out);
    if (std::find(levels.maps.begin(), levels.maps.end(), here.map) == levels.maps.end())
      levels.maps.push_back(here.map);
    levels.max_kernel_size = std::max(levels.max_kernel_size, layer.kernel_size);
    levels.layers.push_back(here);
  }
  levels.strides.assign(strides.begin(), strides.end());
  levels.max_stride = levels.strides.back();
  return levels;
}

}  // namespace spira

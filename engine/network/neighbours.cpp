#include "engine/network/neighbours.hpp"

#include "engine/network/network.hpp"

namespace spira {

std::optional<Neighbourhood> common_neighbourhood(const Network& network) {
  std::optional<Neighbourhood> common;
  for (const Layer& layer : network.layers) {
    if (!layer.convolution() || !why_not({NeighbourShape::cube}, layer.kernel_size).empty()) continue;
    if (common && *common != layer.neighbourhood) return std::nullopt;
    common = layer.neighbourhood;
  }
  return common;
}

}  // namespace spira

#include "engine/network/last_readers.hpp"

namespace spira {

std::vector<int> last_readers(const Network& network) {
  std::vector<int> last(network.layers.size(), -1);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    auto names = network.layers[at].inputs;
    names.push_back(network.layers[at].residual);
    for (const auto& name : names) {
      if (const int input = network.index_of(name); input >= 0)
        last[static_cast<std::size_t>(input)] = static_cast<int>(at);
    }
  }
  return last;
}

}  // namespace spira

// Fuzz target for the network parser. For any input, the parser must return a network or throw Error(input).
// A network that was parsed has levels, and is unchanged after it is written and parsed again.
#include "engine/base/error.hpp"
#include "engine/network/network.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const spira::Network network = spira::parse_network({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (spira::levels_of(network).layers.size() != network.layers.size()) std::abort();
    const std::string written = spira::network_json(network);
    if (spira::network_json(spira::parse_network(written, "again")) != written) std::abort();
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::input) std::abort();
  }
  return 0;
}

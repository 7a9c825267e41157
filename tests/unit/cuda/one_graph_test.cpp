// Tests which plans cannot become one CUDA graph. The tests require no GPU.
#include "engine/network/network.hpp"
#include "kernels/cuda/network/network_layout.hpp"

#include <gtest/gtest.h>

namespace spira::cuda {
namespace {

TEST(OneGraph, RefusesNativeLayers) {
  Network network = parse_network(R"({"name": "two", "schema": "spira.network 2", "layers": [
      {"name": "mix", "out_channels": 8, "kernel_size": 1},
      {"name": "wide", "out_channels": 8, "kernel_size": 3}]})",
                                  "two.json");
  for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball}) {
    set_neighbourhood(network, {shape});
    const NetworkRunRequest request{.network = std::make_shared<const Network>(network),
                                    .levels = levels_of(network),
                                    .plan = default_plan(network),
                                    .grid = {},
                                    .pack = PackSpec::bits32(),
                                    .capacity = {1000, {1000}, {64, 64, 64}}};
    EXPECT_EQ(why_not_one_graph(request), "wide: native neighbourhoods run layer by layer");
  }
}

}  // namespace
}  // namespace spira::cuda

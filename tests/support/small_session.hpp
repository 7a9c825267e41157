// Creates a session on a small generated scene, for tests.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/generate/generate.hpp"

#include <memory>
#include <string>
#include <utility>

namespace spira::test {

/// Returns a small U-Net. It has a down-sampling layer, an up-sampling layer, a concatenated skip connection,
/// and a shortcut with kernel size 1.
[[nodiscard]] inline Network little_unet() {
  return parse_network(R"({"name": "little", "layers": [
    {"name": "stem", "out_channels": 8},
    {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2},
    {"name": "deep", "out_channels": 16},
    {"name": "up", "inputs": ["deep"], "out_channels": 8, "kernel_size": 2, "stride": 2, "transposed": true},
    {"name": "join.shortcut", "inputs": ["up", "stem"], "out_channels": 8, "kernel_size": 1, "relu": false},
    {"name": "join.conv", "inputs": ["up", "stem"], "out_channels": 8},
    {"name": "last", "inputs": ["join.conv"], "residual": "join.shortcut", "out_channels": 8}]})",
                       "little.json");
}

/// Returns a network with two layers that use stride 2 and the reached rule. If `padding` and `other_padding`
/// are equal, both layers produce the same level. Otherwise they produce two levels.
[[nodiscard]] inline Network reached_network(int padding = 1, int other_padding = 0) {
  const auto down = [](const std::string& name, int below) {
    return R"({"name": ")" + name +
           R"(", "inputs": ["stem"], "out_channels": 8, "stride": 2, "rule": "reached",
      "padding": )" +
           std::to_string(below) + "}, ";
  };
  return parse_network(R"({"schema": "spira.network 2", "name": "reaching", "layers": [
    {"name": "stem", "out_channels": 8}, )" +
                           down("one", padding) + R"({"name": "one.deep", "out_channels": 8}, )" +
                           down("two", other_padding) +
                           R"({"name": "two.deep", "out_channels": 8},
    {"name": "up", "out_channels": 8, "transposed": true, "map_of": "two"}]})",
                       "reaching.json");
}

[[nodiscard]] inline std::shared_ptr<const PointCloud> small_room(std::int64_t points = 3000,
                                                                  std::uint64_t seed = 1) {
  Job job;
  return generate_scene("room", points, seed, job);
}

inline const Grid small_grid{{0.1, 0.1, 0.1}, {}};

class SmallSession {
 public:
  explicit SmallSession(Network wanted = little_unet(), std::shared_ptr<Backend> on = nullptr)
      : backend(on != nullptr ? std::move(on) : app::make_registry().make("cpu")),
        network(std::make_shared<const Network>(std::move(wanted))),
        weights(std::make_shared<const NetworkWeights>(seeded_weights(*network, 1))),
        plan(default_plan(*network)),
        session(backend, network, weights) {}

  void load(const std::shared_ptr<const PointCloud>& cloud = small_room(),
            PackSpec pack = PackSpec::bits32()) {
    Job job;
    static_cast<void>(session.load(cloud, small_grid, pack, plan.precision, job));
  }
  [[nodiscard]] int index(const std::string& layer) const { return network->index_of(layer); }

  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  Plan plan;
  Session session;
};

[[nodiscard]] inline std::vector<float> values_of(const Features& features) {
  const auto span = features.data.host_span<float>();
  return {span.begin(), span.end()};
}

}  // namespace spira::test

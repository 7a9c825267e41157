#include "engine/network/weights.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash64.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

/// Share of the K^3 offsets that have an input in a typical scene (measured on the real scenes: 4..6 of
/// 27, 9..15 of 125). He's rule counts the terms of a sum; most of ours are absent.
double typical_matches(int kernel_size) {
  switch (kernel_size) {
    case 1:
      return 1.0;
    case 2:
      return 2.0;
    case 3:
      return 5.0;
    case 5:
      return 12.0;
    default:
      return 20.0;
  }
}

/// As the running statistics of a trained network would be: near the identity.
BatchNorm drawn_norm(std::size_t channels, Random& random) {
  BatchNorm norm;
  for (std::size_t c = 0; c < channels; ++c) {
    norm.gamma.push_back(static_cast<float>(random.uniform(0.7, 1.0)));
    norm.beta.push_back(static_cast<float>(random.uniform(-0.05, 0.05)));
    norm.mean.push_back(static_cast<float>(random.uniform(-0.05, 0.05)));
    norm.variance.push_back(static_cast<float>(random.uniform(0.9, 1.3)));
  }
  return norm;
}

}  // namespace

NetworkWeights seeded_weights(const Network& network, std::uint64_t seed, const std::stop_token& stop) {
  NetworkWeights all;
  all.source = "seeded He, seed " + std::to_string(seed);
  for (const Layer& layer : network.layers) {
    if (stop.stop_requested()) throw Error(ErrorKind::cancelled, "cancelled while drawing weights");
    // Each layer has a stream of its own: adding a layer leaves the others as they are.
    Random random(hash64(std::as_bytes(std::span(layer.name)), seed));
    LayerWeights weights;
    weights.columns = layer.kernel_size * layer.kernel_size * layer.kernel_size;
    weights.in_channels = layer.in_channels;
    weights.out_channels = layer.out_channels;
    // A residual adds its own variance: such a layer gives half, so that 42 layers stay within fp16.
    const double gain = layer.residual.empty() ? 2.0 : 0.5;
    const double deviation = std::sqrt(gain / (layer.in_channels * typical_matches(layer.kernel_size)));
    const auto count = static_cast<std::size_t>(weights.columns) *
                       static_cast<std::size_t>(layer.in_channels) *
                       static_cast<std::size_t>(layer.out_channels);
    weights.weight.reserve(count);
    for (std::size_t at = 0; at < count; ++at)
      weights.weight.push_back(static_cast<float>(deviation * random.normal()));
    weights.bias.assign(static_cast<std::size_t>(layer.out_channels), 0.0F);
    if (layer.bias) {
      for (float& value : weights.bias)
        value = static_cast<float>(random.uniform(-0.05, 0.05));
    }
    if (layer.batch_norm) fold(drawn_norm(static_cast<std::size_t>(layer.out_channels), random), weights);
    all.layers.push_back(std::move(weights));
  }
  return all;
}

}  // namespace spira

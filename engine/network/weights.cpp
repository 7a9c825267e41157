#include "engine/network/weights.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/host_facts.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace spira {
namespace {

constexpr std::string_view seeded = "seeded He, seed ";

/// Returns how many of the K^3 offsets typically have an input. In real scenes, there are 4 to 6 of 27, and 9
/// to 15 of 125. He initialisation depends on the number of terms in a sum, and most terms of a sparse
/// convolution are missing.
double typical_matches(PerAxis kernel_size) {
  switch (kernel_size.largest()) {
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

/// Returns random batch-norm parameters near the identity, similar to the parameters of a trained network.
BatchNorm drawn_norm(const Layer& layer, Random& random) {
  const auto channels = static_cast<std::size_t>(layer.out_channels);
  BatchNorm norm;
  norm.epsilon = layer.norm_epsilon;
  for (std::size_t c = 0; c < channels; ++c) {
    norm.gamma.push_back(static_cast<float>(random.uniform(0.7, 1.0)));
    norm.beta.push_back(static_cast<float>(random.uniform(-0.05, 0.05)));
    norm.mean.push_back(static_cast<float>(random.uniform(-0.05, 0.05)));
    norm.variance.push_back(static_cast<float>(random.uniform(0.9, 1.3)));
  }
  return norm;
}

std::size_t weight_count(const Layer& layer) {
  if (!layer.convolution()) return 0;
  return static_cast<std::size_t>(layer.kernel_size.product()) * static_cast<std::size_t>(layer.in_channels) *
         static_cast<std::size_t>(layer.out_channels);
}

/// Throws `Error(does_not_fit)` before weights are drawn if they do not fit in memory. Otherwise, memory
/// could run out after minutes of drawing. The copy of the weights in the back end is not counted, because
/// the back end reports its own lack of memory.
void require_room(const std::string& whose, std::uint64_t bytes) {
  if (const auto free = free_memory_bytes(); free && bytes > *free)
    throw Error(ErrorKind::does_not_fit, "weights of " + whose + " need " + bytes_text(bytes) +
                                             ", but only " + bytes_text(*free) + " is free");
}

void require_room(const Network& network) {
  std::uint64_t all = 0;
  for (const Layer& layer : network.layers) {
    const std::uint64_t bytes = weight_count(layer) * sizeof(float);
    require_room("layer " + layer.name, bytes);
    all += bytes;
  }
  require_room("network " + network.name, all);
}

float drawn_bias(Random& random) {
  return static_cast<float>(random.uniform(-0.05, 0.05));
}

class Drawing {
 public:
  Drawing(std::uint64_t seed, const std::stop_token& stop) : random_(seed), stop_(stop) {}

  [[nodiscard]] std::vector<float> normal(std::size_t count, double deviation) {
    // Drawing this number of values takes about a millisecond.
    constexpr std::size_t values_per_checkpoint = 65'536;
    std::vector<float> values;
    values.reserve(count);
    for (std::size_t at = 0; at < count; ++at) {
      if (at % values_per_checkpoint == 0) checkpoint();
      values.push_back(static_cast<float>(deviation * random_.normal()));
    }
    return values;
  }
  void checkpoint() const {
    if (stop_.stop_requested()) throw Error(ErrorKind::cancelled, "cancelled while generating weights");
  }
  [[nodiscard]] Random& random() noexcept { return random_; }

 private:
  Random random_;
  const std::stop_token& stop_;
};

}  // namespace

std::optional<std::uint64_t> seed_of(std::string_view source) {
  std::uint64_t seed = 0;
  if (!source.starts_with(seeded)) return std::nullopt;
  const char* const end = source.data() + source.size();
  const auto [at, fault] = std::from_chars(source.data() + seeded.size(), end, seed);
  return fault == std::errc() && at == end ? std::optional(seed) : std::nullopt;
}

std::string seeded_source(std::uint64_t seed) {
  return std::string(seeded) + std::to_string(seed);
}

LayerWeights seeded_layer(const std::string& name, int columns, int in_channels, int out_channels,
                          double terms, std::uint64_t seed, const std::stop_token& stop) {
  LayerWeights weights{columns, in_channels, out_channels, {}, {}};
  const std::size_t count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(in_channels) *
                            static_cast<std::size_t>(out_channels);
  require_room("layer " + name, count * sizeof(float));
  Drawing drawing(hash64(std::as_bytes(std::span(name)), seed), stop);
  constexpr double he_gain = 2.0;
  weights.weight = drawing.normal(count, std::sqrt(he_gain / (in_channels * terms)));
  for (int channel = 0; channel < out_channels; ++channel)
    weights.bias.push_back(drawn_bias(drawing.random()));
  return weights;
}

NetworkWeights seeded_weights(const Network& network, std::uint64_t seed, const std::stop_token& stop) {
  NetworkWeights all;
  all.source = seeded_source(seed);
  require_room(network);
  for (const Layer& layer : network.layers) {
    // Each layer has a separate random stream, so that an additional layer does not change the weights of the
    // other layers.
    Drawing drawing(hash64(std::as_bytes(std::span(layer.name)), seed), stop);
    Random& random = drawing.random();
    LayerWeights weights;
    weights.in_channels = layer.in_channels;
    weights.out_channels = layer.out_channels;
    if (layer.has_scale()) set_scale(drawn_norm(layer, random), weights);
    if (!layer.convolution()) {
      all.layers.push_back(std::move(weights));
      continue;
    }
    weights.columns = layer.kernel_size.product();
    // A residual increases the variance of the output. Therefore the standard deviation of the weights is
    // halved in layers with a residual, so that 42 layers stay within the range of fp16.
    const double gain = layer.residual.empty() ? 2.0 : 0.5;
    const double terms =
        network.space == NetworkSpace::bev ? layer.kernel_size.product() : typical_matches(layer.kernel_size);
    const double deviation = std::sqrt(gain / (layer.in_channels * terms));
    weights.weight = drawing.normal(weight_count(layer), deviation);
    weights.bias.assign(static_cast<std::size_t>(layer.out_channels), 0.0F);
    if (layer.bias) {
      for (float& value : weights.bias)
        value = drawn_bias(random);
    }
    if (layer.batch_norm && layer.folds_norm()) fold(drawn_norm(layer, random), weights);
    all.layers.push_back(std::move(weights));
  }
  return all;
}

LayerWeights in_form(const LayerWeights& weights, WeightForm form) {
  if (form == WeightForm::forward)
    return {weights.columns, weights.in_channels, weights.out_channels, weights.weight, weights.bias};
  const auto in = static_cast<std::size_t>(weights.in_channels),
             out = static_cast<std::size_t>(weights.out_channels);
  LayerWeights result{weights.columns, weights.out_channels, weights.in_channels, {}, {}};
  result.weight.resize(weights.weight.size());
  result.bias.assign(in, 0.0F);
  const auto columns = static_cast<std::size_t>(weights.columns);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t from = form == WeightForm::reversed ? columns - 1 - column : column;
    for (std::size_t a = 0; a < in; ++a) {
      for (std::size_t b = 0; b < out; ++b)
        result.weight[(((column * out) + b) * in) + a] = weights.weight[(((from * in) + a) * out) + b];
    }
  }
  return result;
}

void set_scale(const BatchNorm& norm, LayerWeights& weights) {
  weights.scale.clear();
  weights.shift.clear();
  for (std::size_t c = 0; c < norm.gamma.size(); ++c) {
    const double scale = static_cast<double>(norm.gamma[c]) /
                         std::sqrt(static_cast<double>(norm.variance[c]) + static_cast<double>(norm.epsilon));
    weights.scale.push_back(static_cast<float>(scale));
    weights.shift.push_back(
        static_cast<float>(static_cast<double>(norm.beta[c]) - static_cast<double>(norm.mean[c]) * scale));
  }
}

void fold(const BatchNorm& norm, LayerWeights& weights) {
  const auto channels = static_cast<std::size_t>(weights.out_channels);
  SPIRA_ASSERT(norm.gamma.size() == channels && norm.beta.size() == channels &&
                   norm.mean.size() == channels && norm.variance.size() == channels,
               "batch norm and layer have different channels");
  std::vector<double> scales(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double scale = static_cast<double>(norm.gamma[c]) /
                         std::sqrt(static_cast<double>(norm.variance[c]) + static_cast<double>(norm.epsilon));
    scales[c] = scale;
    weights.bias[c] = static_cast<float>(
        (static_cast<double>(weights.bias[c]) - static_cast<double>(norm.mean[c])) * scale +
        static_cast<double>(norm.beta[c]));
  }
  for (std::size_t row = 0; row + channels <= weights.weight.size(); row += channels) {
    for (std::size_t c = 0; c < channels; ++c)
      weights.weight[row + c] = static_cast<float>(static_cast<double>(weights.weight[row + c]) * scales[c]);
  }
}

}  // namespace spira

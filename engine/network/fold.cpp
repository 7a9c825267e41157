#include "engine/base/error.hpp"
#include "engine/network/weights.hpp"

#include <cmath>

namespace spira {

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

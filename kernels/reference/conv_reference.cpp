#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/map/map_view.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <vector>

namespace spira::reference {
namespace {

std::vector<double> values_of(const Buffer& buffer, Precision precision) {
  std::vector<double> values;
  if (precision == Precision::fp32) {
    for (const float value : buffer.host_span<float>())
      values.push_back(value);
  } else {
    for (const Fp16 value : buffer.host_span<Fp16>())
      values.push_back(fp16_to_float(value));
  }
  return values;
}

}  // namespace

Features convolve(const std::shared_ptr<MemoryPool>& pool, const KernelMap& map, const Features& in,
                  const UploadedWeights& weights, const ConvRequest& request, Job& job) {
  const auto x = values_of(in.data, in.precision);
  const auto w = values_of(weights.weight, weights.precision);
  const auto c_in = static_cast<std::size_t>(weights.in_channels),
             c_out = static_cast<std::size_t>(weights.out_channels);
  Features result;
  result.rows = request.transposed ? map.inputs : map.outputs;
  result.channels = weights.out_channels;
  result.precision = in.precision;
  std::vector<double> y(static_cast<std::size_t>(result.rows) * c_out, 0.0);

  constexpr std::int64_t pairs_between_checks = 256;
  std::int64_t pairs = 0;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    if (pairs++ % pairs_between_checks == 0) job.checkpoint({"reference features", pairs, 0});
    const auto q = static_cast<std::size_t>(request.transposed ? input : output);
    const auto p = static_cast<std::size_t>(request.transposed ? output : input);
    const auto k = static_cast<std::size_t>(column);
    for (std::size_t a = 0; a < c_in; ++a) {
      for (std::size_t b = 0; b < c_out; ++b)
        y[(q * c_out) + b] += x[(p * c_in) + a] * w[(((k * c_in) + a) * c_out) + b];
    }
  });

  result.data = Buffer(pool, y.size() * bytes_of(result.precision));
  const auto bias = weights.bias.host_span<float>();
  const auto residual = request.residual == nullptr
                            ? std::vector<double>{}
                            : values_of(request.residual->data, request.residual->precision);
  for (std::size_t at = 0; at < y.size(); ++at) {
    double value = y[at] + bias[at % c_out] + (residual.empty() ? 0.0 : residual[at]);
    if (request.relu && value < 0.0) value = 0.0;
    const auto rounded = static_cast<float>(value);
    if (result.precision == Precision::fp32) {
      result.data.host_span<float>()[at] = rounded;
    } else {
      result.data.host_span<Fp16>()[at] = float_to_fp16(rounded);
    }
  }
  return result;
}

}  // namespace spira::reference

#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/map/map_view.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <algorithm>
#include <vector>

namespace spira::reference {
namespace {

Buffer filled(const std::shared_ptr<MemoryPool>& pool, const std::vector<double>& values, double factor) {
  Buffer buffer(pool, values.size() * sizeof(float));
  std::transform(values.begin(), values.end(), buffer.host_span<float>().begin(),
                 [factor](double value) { return static_cast<float>(value * factor); });
  return buffer;
}

Features empty_features(const std::shared_ptr<MemoryPool>& pool, const Features& like, int channels) {
  const auto values = static_cast<std::size_t>(like.rows) * static_cast<std::size_t>(channels);
  return {like.rows, channels, like.precision, Buffer(pool, values * bytes_of(like.precision))};
}

void set_value(Features& features, std::int64_t row, int channel, double value) {
  const auto at = static_cast<std::size_t>((row * features.channels) + channel);
  if (features.precision == Precision::fp32) {
    features.data.host_span<float>()[at] = static_cast<float>(value);
  } else {
    features.data.host_span<Fp16>()[at] = float_to_fp16(static_cast<float>(value));
  }
}

}  // namespace

MasterWeights ReferenceGradients::wgrad(const KernelMap& map, const Features& in,
                                        const Features& out_gradient, const WgradRequest& request, Job& job) {
  require_sound(map, in, out_gradient, request);
  const auto c_in = static_cast<std::size_t>(in.channels),
             c_out = static_cast<std::size_t>(out_gradient.channels);
  std::vector<double> weight(static_cast<std::size_t>(map.offsets->columns()) * c_in * c_out, 0.0);
  std::vector<double> bias(c_out, 0.0);
  constexpr std::int64_t pairs_between_checks = 256;
  std::int64_t pairs = 0;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    if (pairs++ % pairs_between_checks == 0) job.checkpoint({"reference gradients", pairs, 0});
    const std::int32_t x_row = request.transposed ? output : input,
                       g_row = request.transposed ? input : output;
    for (std::size_t a = 0; a < c_in; ++a) {
      const auto x = static_cast<double>(feature_at(in, x_row, static_cast<int>(a)));
      double* const row = weight.data() + (((static_cast<std::size_t>(column) * c_in) + a) * c_out);
      for (std::size_t b = 0; b < c_out; ++b)
        row[b] += x * static_cast<double>(feature_at(out_gradient, g_row, static_cast<int>(b)));
    }
  });
  for (std::int64_t row = 0; row < out_gradient.rows; ++row) {
    for (std::size_t b = 0; b < c_out; ++b)
      bias[b] += static_cast<double>(feature_at(out_gradient, row, static_cast<int>(b)));
  }
  const auto factor = static_cast<double>(request.factor);
  return {map.offsets->columns(), in.channels, out_gradient.channels, filled(pool_, weight, factor),
          filled(pool_, bias, factor)};
}

Features ReferenceGradients::accumulate(const std::vector<ChannelSlice>& parts, const Features* gate,
                                        Job& /*job*/) {
  require_sound(parts, gate);
  Features sum = empty_features(pool_, *parts.front().of, parts.front().channels);
  for (std::int64_t row = 0; row < sum.rows; ++row) {
    for (int c = 0; c < sum.channels; ++c) {
      double value = 0;
      for (const ChannelSlice& part : parts)
        value += static_cast<double>(feature_at(*part.of, row, part.first + c));
      const bool open = gate == nullptr || feature_at(*gate, row, c) > 0;
      set_value(sum, row, c, open ? value : 0);
    }
  }
  return sum;
}

UploadedWeights ReferenceGradients::repack(const MasterWeights& weights, WeightForm form, Precision precision,
                                           Job& /*job*/) {
  const auto values_of = [](const Buffer& buffer) {
    const auto values = buffer.host_span<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  return upload_weights(pool_,
                        in_form({weights.columns, weights.in_channels, weights.out_channels,
                                 values_of(weights.weight), values_of(weights.bias)},
                                form),
                        precision);
}

}  // namespace spira::reference

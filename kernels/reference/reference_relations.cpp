#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <algorithm>
#include <vector>

namespace spira::reference {
namespace {

/// The weights in double precision.
class Matrices {
 public:
  explicit Matrices(const UploadedWeights& weights)
      : in_(static_cast<std::size_t>(weights.in_channels)),
        out_(static_cast<std::size_t>(weights.out_channels)) {
    if (weights.precision == Precision::fp32) {
      const auto stored = weights.weight.host_span<float>();
      values_.assign(stored.begin(), stored.end());
    } else {
      for (const Fp16 value : weights.weight.host_span<Fp16>())
        values_.push_back(static_cast<double>(fp16_to_float(value)));
    }
  }
  /// Computes sum += factor * x_row W_column.
  void add_product(const Features& x, std::int64_t row, std::size_t column, double factor,
                   double* sum) const {
    for (std::size_t a = 0; a < in_; ++a) {
      const double value = factor * static_cast<double>(feature_at(x, row, static_cast<int>(a)));
      for (std::size_t b = 0; b < out_; ++b)
        sum[b] += value * values_[(((column * in_) + a) * out_) + b];
    }
  }

 private:
  std::size_t in_, out_;
  std::vector<double> values_;
};

}  // namespace

Features ReferenceRelations::convolve(const RelationMap& map, const Features& in,
                                      const UploadedWeights& weights, const RelationRequest& request,
                                      Job& job) {
  require_sound(map, in, weights);
  const Matrices matrices(weights);
  const auto c_out = static_cast<std::size_t>(weights.out_channels);
  std::vector<double> sums(static_cast<std::size_t>(map.nodes) * c_out, 0.0);
  const auto sum_of = [&](std::int64_t node) {
    return sums.data() + (static_cast<std::size_t>(node) * c_out);
  };
  constexpr std::int64_t rows_between_checks = 256;
  for (std::int64_t node = 0; node < map.nodes; ++node) {
    if (node % rows_between_checks == 0) job.checkpoint({"reference relations", 0, 0});
    matrices.add_product(in, node, 0, 1.0, sum_of(node));
  }
  const auto outputs = map.outputs.host_span<std::int32_t>(), first = map.first.host_span<std::int32_t>(),
             sources = map.sources.host_span<std::int32_t>();
  for (int relation = 0; relation < map.relations(); ++relation) {
    const auto r = static_cast<std::size_t>(relation);
    for (auto row = static_cast<std::size_t>(map.begins[r]);
         row < static_cast<std::size_t>(map.begins[r + 1]); ++row) {
      if (row % rows_between_checks == 0) job.checkpoint({"reference relations", 0, 0});
      const double factor = map.normalise == Normalise::mean ? 1.0 / (first[row + 1] - first[row]) : 1.0;
      for (std::int32_t at = first[row]; at < first[row + 1]; ++at)
        matrices.add_product(in, sources[static_cast<std::size_t>(at)], r + 1, factor, sum_of(outputs[row]));
    }
  }
  Features result{map.nodes, weights.out_channels, in.precision,
                  Buffer(pool_, sums.size() * bytes_of(in.precision))};
  const auto bias = weights.bias.host_span<float>();
  for (std::size_t at = 0; at < sums.size(); ++at) {
    double value = sums[at] + static_cast<double>(bias[at % c_out]);
    if (request.relu && value < 0.0) value = 0.0;
    const auto rounded = static_cast<float>(value);
    if (in.precision == Precision::fp32) {
      result.data.host_span<float>()[at] = rounded;
    } else {
      result.data.host_span<Fp16>()[at] = float_to_fp16(rounded);
    }
  }
  return result;
}

}  // namespace spira::reference

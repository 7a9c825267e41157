#include "engine/run/verify/verify_row.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/backend/point_links.hpp"
#include "engine/base/fp16.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace spira {
namespace {

std::vector<float> absolute(const Buffer& buffer, Precision precision) {
  std::vector<float> values;
  if (precision == Precision::fp32) {
    for (const float value : buffer.host_span<float>())
      values.push_back(std::abs(value));
  } else {
    for (const Fp16 value : buffer.host_span<Fp16>())
      values.push_back(std::abs(fp16_to_float(value)));
  }
  return values;
}

}  // namespace

namespace {

/// Returns the sum of the magnitudes of all values that an operation combines. If the operation multiplies
/// the values, returns the product of the magnitudes.
double magnitude_of(const RowRequest& request, std::int64_t row, int channel) {
  const auto value = [&](const Features& from, int at) {
    return std::abs(static_cast<double>(feature_at(from, row, at)));
  };
  double sum = request.op == LayerOp::multiply ? 1 : 0;
  if (request.op == LayerOp::add || request.op == LayerOp::multiply) {
    for (const Features* input : request.inputs)
      sum = request.op == LayerOp::add ? sum + value(*input, channel) : sum * value(*input, channel);
    return sum;
  }
  if (request.op == LayerOp::group_sum) {
    const int group = request.inputs.front()->channels / request.out_channels;
    for (int at = channel * group; at < (channel + 1) * group; ++at)
      sum += value(*request.inputs.front(), at);
    return sum;
  }
  for (const Features* input : request.inputs) {
    if (channel < input->channels) return value(*input, channel);
    channel -= input->channels;
  }
  return sum;
}

/// Returns the magnitudes of the values that a layer norm or an instance norm multiplies by its scale: those
/// of (x - mean) / sqrt(variance + epsilon), because the back ends compute this in double precision. A small
/// part of the mean is added for the rounding of the mean. Shape: `[rows][channels]`.
std::vector<double> norm_magnitudes(const RowRequest& request) {
  const Features& in = *request.inputs.front();
  const bool by_row = request.op == LayerOp::layer_norm;
  std::vector<double> magnitudes(static_cast<std::size_t>(in.rows) * static_cast<std::size_t>(in.channels));
  const std::int64_t groups = by_row ? in.rows : in.channels, size = by_row ? in.channels : in.rows;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto value = [&](std::int64_t at) {
      return static_cast<double>(by_row ? feature_at(in, group, static_cast<int>(at))
                                        : feature_at(in, at, static_cast<int>(group)));
    };
    double mean = 0, variance = 0;
    constexpr double rounding_of_mean = 0x1p-28;  // Relative to the bound of single precision.
    for (std::int64_t at = 0; at < size; ++at)
      mean += value(at) / static_cast<double>(size);
    for (std::int64_t at = 0; at < size; ++at)
      variance += (value(at) - mean) * (value(at) - mean) / static_cast<double>(size);
    for (std::int64_t at = 0; at < size; ++at) {
      const std::int64_t to = by_row ? (group * size) + at : (at * groups) + group;
      magnitudes[static_cast<std::size_t>(to)] =
          (std::abs(value(at) - mean) + (std::abs(mean) * rounding_of_mean)) /
          std::sqrt(variance + static_cast<double>(request.epsilon));
    }
  }
  return magnitudes;
}

}  // namespace

ErrorScale error_scale(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                       const ConvRequest& request, Job& job) {
  const auto x = absolute(in.data, in.precision), w = absolute(weights.weight, weights.precision);
  const auto c_in = static_cast<std::size_t>(weights.in_channels),
             c_out = static_cast<std::size_t>(weights.out_channels);
  const auto rows = static_cast<std::size_t>(request.transposed ? map.inputs : map.outputs);
  ErrorScale scale{std::vector<std::int64_t>(rows, 0), std::vector<double>(rows * c_out, 0.0)};
  constexpr std::int64_t pairs_between_checks = 256;
  std::int64_t pairs = 0;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t input) {
    if (pairs++ % pairs_between_checks == 0) job.checkpoint({"verifying features", pairs, 0});
    const auto q = static_cast<std::size_t>(request.transposed ? input : output);
    const auto p = static_cast<std::size_t>(request.transposed ? output : input);
    scale.products[q] += weights.in_channels;
    const float* matrix = w.data() + (static_cast<std::size_t>(column) * c_in * c_out);
    double* sums = scale.magnitude.data() + (q * c_out);
    for (std::size_t a = 0; a < c_in; ++a) {
      const auto factor = static_cast<double>(x[(p * c_in) + a]);
      for (std::size_t b = 0; b < c_out; ++b)
        sums[b] += factor * static_cast<double>(matrix[(a * c_out) + b]);
    }
  });
  const auto bias = weights.bias.host_span<float>();
  for (std::size_t at = 0; at < scale.magnitude.size(); ++at) {
    scale.magnitude[at] += std::abs(static_cast<double>(bias[at % c_out]));
    if (request.residual == nullptr) continue;
    const auto row = static_cast<std::int64_t>(at / c_out);
    scale.magnitude[at] +=
        std::abs(static_cast<double>(feature_at(*request.residual, row, static_cast<int>(at % c_out))));
  }
  return scale;
}

namespace {

/// Changes the magnitude of a value as the steps of `request` change the value.
double magnitude_after_steps(const RowRequest& request, std::size_t at, double magnitude) {
  const auto channels = static_cast<std::size_t>(request.out_channels);
  for (const RowStep& step : request.steps) {
    if (step.step == LayerStep::norm)
      magnitude =
          (magnitude * std::abs(static_cast<double>(step.scale->scale.host_span<float>()[at % channels]))) +
          std::abs(static_cast<double>(step.scale->shift.host_span<float>()[at % channels]));
    if (step.step == LayerStep::add)
      magnitude += std::abs(static_cast<double>(feature_at(
          *step.residual, static_cast<std::int64_t>(at / channels), static_cast<int>(at % channels))));
    // The results of the other activations have magnitudes near 1.
    if (step.activation > Activation::leaky_relu) magnitude += 1;
  }
  return magnitude;
}

}  // namespace

ErrorScale error_scale(const RowRequest& request) {
  const auto rows = static_cast<std::size_t>(request.inputs.front()->rows);
  const auto channels = static_cast<std::size_t>(request.out_channels);
  // Each step and each input adds a few roundings, and functions such as exp() have errors of several units.
  const std::int64_t terms = 16 + std::ssize(request.inputs) + request.inputs.front()->channels;
  ErrorScale scale{std::vector<std::int64_t>(rows, terms), std::vector<double>(rows * channels, 0.0)};
  const bool norm = request.op == LayerOp::layer_norm || request.op == LayerOp::instance_norm;
  if (norm) scale.magnitude = norm_magnitudes(request);
  for (std::size_t at = 0; at < scale.magnitude.size(); ++at) {
    const double magnitude = norm ? scale.magnitude[at]
                                  : magnitude_of(request, static_cast<std::int64_t>(at / channels),
                                                 static_cast<int>(at % channels));
    scale.magnitude[at] = magnitude_after_steps(request, at, magnitude);
  }
  return scale;
}

ErrorScale error_scale(const RowRequest& steps, ErrorScale product) {
  for (std::size_t at = 0; at < product.magnitude.size(); ++at)
    product.magnitude[at] = magnitude_after_steps(steps, at, product.magnitude[at]);
  for (std::int64_t& terms : product.products)
    terms += 16 + steps.out_channels;  // The roundings of the steps.
  return product;
}

ErrorScale error_scale(const SetSumRequest& request) {
  const auto rows = static_cast<std::size_t>(size_of(*request.out));
  const auto channels = static_cast<std::size_t>(request.inputs.front()->channels);
  ErrorScale scale{std::vector<std::int64_t>(rows, 0), std::vector<double>(rows * channels, 0.0)};
  std::map<BatchVoxel, std::size_t> row_of;
  const auto place = [&](BatchVoxel voxel) {
    if (request.flat) voxel[3] = 0;
    return voxel;
  };
  for (const BatchVoxel& voxel : all_batch_voxels(*request.out))
    row_of.emplace(place(voxel), row_of.size());
  for (std::size_t input = 0; input < request.inputs.size(); ++input) {
    std::int64_t at = 0;
    for (const BatchVoxel& voxel : all_batch_voxels(*request.levels[input])) {
      const std::size_t row = row_of.at(place(voxel));
      ++scale.products[row];
      for (std::size_t c = 0; c < channels; ++c)
        scale.magnitude[(row * channels) + c] +=
            std::abs(static_cast<double>(feature_at(*request.inputs[input], at, static_cast<int>(c))));
      ++at;
    }
  }
  return scale;
}

ErrorScale error_scale(const PointRequest& request) {
  const PointLocator locator(*request.level, *request.points, request.shift);
  const bool to_voxels = request.mode == PointMode::mean;
  const auto rows = static_cast<std::size_t>(to_voxels ? size_of(*request.level) : request.points->size());
  const auto channels = static_cast<std::size_t>(request.in->channels);
  ErrorScale scale{std::vector<std::int64_t>(rows, 0), std::vector<double>(rows * channels, 0.0)};
  const auto add = [&](std::int64_t from, std::size_t to, double weight) {
    // The weight of each row is rounded too.
    scale.products[to] += 2;
    for (std::size_t c = 0; c < channels; ++c)
      scale.magnitude[(to * channels) + c] +=
          weight * std::abs(static_cast<double>(feature_at(*request.in, from, static_cast<int>(c))));
  };
  for (std::int64_t point = 0; point < request.points->size(); ++point) {
    if (to_voxels) {
      if (const auto row = locator.row_of(point); row >= 0) add(point, static_cast<std::size_t>(row), 1);
      continue;
    }
    std::array<PointLink, 8> links{};
    const int count = locator.links_of(point, request.mode, links);
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at)
      add(links.at(at).row, static_cast<std::size_t>(point), static_cast<double>(links.at(at).weight));
  }
  for (std::size_t at = 0; to_voxels && at < scale.magnitude.size(); ++at) {
    const std::int64_t points = scale.products[at / channels] / 2;
    scale.magnitude[at] /= static_cast<double>(std::max<std::int64_t>(1, points));
  }
  return scale;
}

ErrorScale error_scale(const KernelMap& map, const Features& in, PoolReduction reduction) {
  const auto rows = static_cast<std::size_t>(map.outputs), channels = static_cast<std::size_t>(in.channels);
  ErrorScale scale{std::vector<std::int64_t>(rows, 0), std::vector<double>(rows * channels, 0.0)};
  for_each_pair(map, [&](std::int32_t output, int, std::int32_t input) {
    const auto row = static_cast<std::size_t>(output);
    ++scale.products[row];
    for (std::size_t c = 0; c < channels; ++c)
      scale.magnitude[(row * channels) + c] +=
          std::abs(static_cast<double>(feature_at(in, input, static_cast<int>(c))));
  });
  for (std::size_t at = 0; at < scale.magnitude.size(); ++at) {
    const auto inputs = static_cast<double>(scale.products[at / channels]);
    if (reduction == PoolReduction::max) scale.magnitude[at] = 0;  // A maximum is not rounded.
    if (reduction == PoolReduction::mean && inputs > 0) scale.magnitude[at] /= inputs;
    if (reduction == PoolReduction::mean_of_cells) scale.magnitude[at] /= map.offsets->columns();
  }
  return scale;
}

WorstError compare(const Features& result, const Features& reference, const ErrorScale& scale) {
  constexpr double u = 0x1p-24;
  const double u_storage = result.precision == Precision::fp16 ? 0x1p-11 : 0x1p-24;
  // `tiny` is the absolute term in the bound of compare().
  const double tiny = result.precision == Precision::fp16 ? 0x1p-24 : 0x1p-126;
  WorstError worst;
  worst.fp16 = result.precision == Precision::fp16;
  if (result.rows != reference.rows || result.channels != reference.channels) {
    worst.special_values_agree = false;
    return worst;
  }
  for (std::int64_t row = 0; row < result.rows; ++row) {
    for (int channel = 0; channel < result.channels; ++channel) {
      const auto y = static_cast<double>(feature_at(result, row, channel));
      const auto y_ref = static_cast<double>(feature_at(reference, row, channel));
      if (!std::isfinite(y) || !std::isfinite(y_ref)) {
        ++worst.non_finite;
        worst.infinite += y == y_ref ? 1 : 0;
        worst.special_values_agree &= (std::isnan(y) && std::isnan(y_ref)) || y == y_ref;
        continue;
      }
      const auto at = static_cast<std::size_t>((row * result.channels) + channel);
      const auto n = static_cast<double>(scale.products[static_cast<std::size_t>(row)]);
      const double bound = ((n + 2.0) * u * scale.magnitude[at]) + (2.0 * u_storage * std::abs(y_ref)) + tiny;
      const double error = std::abs(y - y_ref);
      ++worst.finite;
      worst.ratio = std::max(worst.ratio, error / bound);
      worst.absolute = std::max(worst.absolute, error);
      if (std::abs(y_ref) > 1e-3) worst.relative = std::max(worst.relative, error / std::abs(y_ref));
    }
  }
  return worst;
}

}  // namespace spira

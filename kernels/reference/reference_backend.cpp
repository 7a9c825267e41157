#include "kernels/reference/reference_backend.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/map/map_view.hpp"
#include "engine/scene/batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace spira {
namespace {

CoordSet packed(const std::shared_ptr<MemoryPool>& pool, const PackSpec& pack, const SceneLevel& level,
                const std::set<BatchVoxel>& voxels) {
  std::vector<std::uint64_t> keys;
  for (const auto& [frame, x, y, z] : voxels)
    keys.push_back(pack.pack({x, y, z}, frame));
  CoordSet coords;
  coords.pack = pack;
  coords.stride = level.number;
  coords.rule = level.rule;
  coords.capacity = static_cast<std::int64_t>(keys.size());
  coords.size = coords.capacity;
  const bool narrow = pack.word_bits() == 32;
  coords.keys = Buffer(pool, keys.size() * (narrow ? 4 : 8));
  for (std::size_t at = 0; at < keys.size(); ++at) {
    if (narrow) {
      coords.keys.host_span<std::uint32_t>()[at] = static_cast<std::uint32_t>(keys[at]);
    } else {
      coords.keys.host_span<std::uint64_t>()[at] = keys[at];
    }
  }
  coords.count = Buffer(pool, sizeof(std::int64_t));
  coords.count.host_span<std::int64_t>()[0] = coords.capacity;
  return coords;
}

Buffer copy_of(const std::shared_ptr<MemoryPool>& pool, const Buffer& from) {
  Buffer copy(pool, from.bytes());
  if (from.bytes() != 0) std::memcpy(copy.data(), from.data(), from.bytes());
  return copy;
}

DeviceFacts reference_facts() {
  DeviceFacts facts;
  facts.kind = BackendKind::reference;
  facts.name = "naive reference in double precision";
  facts.instructions = "baseline";
  facts.threads = 1;
  return facts;
}

/// Returns the outputs of one step from the cells `from`, on all axes. An output o exists if it is inside the
/// limits, and if o * stride - padding + k = v for an input v and a cell k of the kernel.
std::set<Voxel> outputs_of(const std::set<Voxel>& from, const std::array<AxisStep, 3>& steps, Job& job) {
  std::set<Voxel> outputs;
  std::size_t tried = 0;
  for (const Voxel& v : from) {
    constexpr std::size_t voxels_between_checks = 256;
    if (tried++ % voxels_between_checks == 0) job.checkpoint({"reference level", 0, 0});
    std::array<std::vector<std::int32_t>, 3> cells;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const AxisStep& step = steps[axis];
      if (step.flat) {
        cells[axis].push_back(0);
        continue;
      }
      for (int k = 0; k < step.kernel; ++k) {
        const int place = v[axis] + step.padding - k;
        if (place % step.stride != 0) continue;
        const int output = place / step.stride;
        if (step.cells == 0 || (output >= 0 && output < step.cells)) cells[axis].push_back(output);
      }
    }
    for (const std::int32_t x : cells[0]) {
      for (const std::int32_t y : cells[1]) {
        for (const std::int32_t z : cells[2])
          outputs.insert({x, y, z});
      }
    }
  }
  return outputs;
}

/// Returns the coordinates of a level with any rule, step by step. The axes are independent, so the steps of
/// different axes can be paired in any way.
std::set<Voxel> reached_voxels(const std::vector<Voxel>& level0, const LevelRule& rule,
                               const std::array<std::int64_t, 3>& shift, Job& job) {
  std::set<Voxel> voxels;
  const PerAxis of_base = rule.base().stride();
  for (const Voxel& v : level0) {
    Voxel of_scene{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      of_scene[axis] = static_cast<std::int32_t>((v[axis] + shift.at(axis)) / of_base[axis]);
    voxels.insert(of_scene);
  }
  const std::size_t most = std::max({rule.steps(0).size(), rule.steps(1).size(), rule.steps(2).size()});
  for (std::size_t at = 0; at < most; ++at) {
    std::array<AxisStep, 3> steps;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at < rule.steps(axis).size()) steps[axis] = rule.steps(axis)[at];
    }
    voxels = outputs_of(voxels, steps, job);
  }
  std::set<Voxel> placed;
  const PerAxis stride = rule.stride();
  for (const Voxel& v : voxels) {
    Voxel key{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      key[axis] = static_cast<std::int32_t>((std::int64_t{v[axis]} * stride[axis]) - shift.at(axis));
    placed.insert(key);
  }
  return placed;
}

class ReferenceBackend final : public Backend {
 public:
  ReferenceBackend() = default;

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return facts_; }
  [[nodiscard]] StageSource& stages() noexcept override { return *stages_; }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *pool_; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return true; }

  Voxelized voxelize(const UploadedPoints& points_of_scene, const Grid& grid, const VoxelizeRequest& request,
                     Job&) override {
    require_sound(points_of_scene, request);
    const PointCloud& cloud = *points_of_scene.cloud;
    Voxelized result;
    result.shift = request.range->shift(request.levels);
    std::map<BatchVoxel, std::vector<std::size_t>> points_of;
    const std::vector<std::uint8_t> frames = frames_of_points(cloud);
    for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
      const Point& p = cloud.positions[at];
      if (!grid.keeps(p)) continue;
      BatchVoxel voxel{frames.empty() ? 0 : frames[at], 0, 0, 0};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        voxel.at(axis + 1) = static_cast<std::int32_t>(
            static_cast<std::int64_t>(std::floor(p[axis] / grid.voxel_m[axis])) - result.shift[axis]);
      }
      points_of[voxel].push_back(at);
    }
    std::set<BatchVoxel> voxels;
    result.voxel_of_point.assign(cloud.positions.size(), -1);
    std::vector<float> means;
    const Point& origin = request.origin;
    const auto channels = static_cast<std::size_t>(cloud.input_channels());
    for (const auto& [voxel, points] : points_of) {
      std::vector<double> sums(channels, 0.0);
      for (const std::size_t at : points) {
        result.voxel_of_point[at] = static_cast<std::int32_t>(voxels.size());
        if (cloud.feature_channels > 0) {
          for (std::size_t channel = 0; channel < channels; ++channel)
            sums[channel] += static_cast<double>(cloud.features[(at * channels) + channel]);
          continue;
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
          sums[axis] += cloud.positions[at][axis] - origin[axis];
        sums[3] += cloud.intensity.empty() ? 1.0 : static_cast<double>(cloud.intensity[at]);
      }
      for (const double sum : sums)
        means.push_back(static_cast<float>(sum / static_cast<double>(points.size())));
      result.points_per_voxel.push_back(static_cast<std::int32_t>(points.size()));
      voxels.insert(voxel);
    }
    result.coords = packed(pool_, request.pack, 1, voxels);
    result.coords.extent = request.pack.batch_extent(request.range->extent(request.levels), cloud.batch());
    result.features = {static_cast<std::int64_t>(voxels.size()), cloud.input_channels(), request.precision,
                       Buffer(pool_, means.size() * bytes_of(request.precision))};
    for (std::size_t at = 0; at < means.size(); ++at) {
      if (request.precision == Precision::fp32) {
        result.features.data.host_span<float>()[at] = means[at];
      } else {
        result.features.data.host_span<Fp16>()[at] = float_to_fp16(means[at]);
      }
    }
    if (request.positions) {
      std::vector<std::vector<std::size_t>> lists;
      for (const auto& [voxel, points] : points_of)
        lists.push_back(points);
      result.positions = reference::nearest_points(pool_, cloud, grid, lists);
    }
    if (!request.point_lists) result.points_per_voxel = result.voxel_of_point = {};
    return result;
  }

  Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                       Job& /*job*/) override {
    return reference::coarser_positions(pool_, fine, of_fine, coarse);
  }
  using Backend::downsample;
  /// Computes the level directly from the definition of its rule. For each step from one level to the next,
  /// tries all cells of the kernel around all coordinates that could be an output.
  CoordSet downsample(const CoordSet& level0, const SceneLevel& level,
                      const std::array<std::int64_t, 3>& shift, Job& job) override {
    std::set<BatchVoxel> voxels;
    if (level.rule.floor()) {
      const PerAxis s = level.rule.stride();
      for (const auto& [frame, x, y, z] : all_batch_voxels(level0))
        voxels.insert({frame, x / s[0] * s[0], y / s[1] * s[1], z / s[2] * s[2]});
    } else {
      std::map<int, std::vector<Voxel>> frames;
      for (const auto& [frame, x, y, z] : all_batch_voxels(level0))
        frames[frame].push_back({x, y, z});
      for (const auto& [frame, fine] : frames) {
        for (const Voxel& v : reached_voxels(fine, level.rule, shift, job))
          voxels.insert({frame, v[0], v[1], v[2]});
      }
    }
    CoordSet coarse = packed(pool_, level0.pack, level, voxels);
    coarse.extent = level0.extent;
    return coarse;
  }
  CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& /*job*/) override {
    std::set<BatchVoxel> voxels;
    for (const CoordSet* part : parts) {
      for (const BatchVoxel& voxel : all_batch_voxels(*part))
        voxels.insert(voxel);
    }
    CoordSet all = packed(pool_, parts.front()->pack, level, voxels);
    all.extent = parts.front()->extent;
    return all;
  }
  Features add_sets(const SetSumRequest& request, Job& job) override {
    return reference::add_sets(pool_, request, job);
  }
  Features compute_rows(const PointRequest& request, Job& job) override {
    return reference::move_points(pool_, request, job);
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return reference::build_map(pool_, in, out, request, job);
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    return reference::convolve(pool_, map, in, weights, request, job);
  }
  Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) override {
    return reference::pool(pool_, map, in, reduction, job);
  }
  Features compute_rows(const RowRequest& request, Job& job) override {
    return reference::compute_rows(pool_, request, job);
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return reference::upload_weights(pool_, weights, precision);
  }
  [[nodiscard]] BackendExtensions extensions() noexcept override {
    return {&gradients_, &relations_, &birds_eye_};
  }

  Buffer to_host(const Buffer& buffer) override { return copy_of(pool_, buffer); }
  Buffer to_device(const Buffer& buffer) override { return copy_of(pool_, buffer); }

 private:
  DeviceFacts facts_ = reference_facts();
  std::unique_ptr<StageSource> stages_ = make_steady_stages();
  std::shared_ptr<MemoryPool> pool_ = make_host_pool();
  reference::ReferenceGradients gradients_{pool_};
  reference::ReferenceRelations relations_{pool_};
  reference::ReferenceBirdsEye birds_eye_{pool_};
};

}  // namespace

Registry::Entry reference_backend() {
  return {BackendKind::reference,
          [] {
            return std::vector<DeviceListing>{{reference_facts(), true, ""}};
          },
          [](const BackendOptions&) { return std::make_shared<ReferenceBackend>(); }};
}

}  // namespace spira

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

UploadedWeights upload_weights(const std::shared_ptr<MemoryPool>& pool, const LayerWeights& weights,
                               Precision precision) {
  UploadedWeights up{weights.columns,
                     weights.in_channels,
                     weights.out_channels,
                     precision,
                     Buffer(pool, weights.weight.size() * bytes_of(precision)),
                     Buffer(pool, weights.bias.size() * sizeof(float))};
  for (std::size_t at = 0; at < weights.weight.size(); ++at) {
    if (precision == Precision::fp32) {
      up.weight.host_span<float>()[at] = weights.weight[at];
    } else {
      up.weight.host_span<Fp16>()[at] = float_to_fp16(weights.weight[at]);
    }
  }
  std::copy(weights.bias.begin(), weights.bias.end(), up.bias.host_span<float>().begin());
  for (auto [from, to] : {std::pair(&weights.scale, &up.scale), std::pair(&weights.shift, &up.shift)}) {
    *to = Buffer(pool, from->size() * sizeof(float));
    std::copy(from->begin(), from->end(), to->host_span<float>().begin());
  }
  return up;
}

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

namespace {

double activated(const RowStep& step, double x) {
  switch (step.activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::leaky_relu:
      return x < 0 ? x * static_cast<double>(step.slope) : x;
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::elu:
      return x < 0 ? std::expm1(x) : x;
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  }
  return x;
}

void set_value(Features& features, std::size_t at, double value) {
  if (features.precision == Precision::fp32) {
    features.data.host_span<float>()[at] = static_cast<float>(value);
  } else {
    features.data.host_span<Fp16>()[at] = float_to_fp16(static_cast<float>(value));
  }
}

/// Returns (x - mean) / sqrt(variance + epsilon) for each of the values.
std::vector<double> normalized(const std::vector<double>& values, double epsilon) {
  double mean = 0, variance = 0;
  for (const double value : values)
    mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values)
    variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
  std::vector<double> result;
  for (const double value : values)
    result.push_back((value - mean) / std::sqrt(variance + epsilon));
  return result;
}

/// Returns the channels of the input of an instance norm, each normalized over all rows.
std::vector<std::vector<double>> normalized_channels(const RowRequest& request) {
  std::vector<std::vector<double>> channels;
  const Features& in = *request.inputs.front();
  for (int channel = 0; request.op == LayerOp::instance_norm && channel < in.channels; ++channel) {
    std::vector<double> values;
    for (std::int64_t row = 0; row < in.rows; ++row)
      values.push_back(static_cast<double>(feature_at(in, row, channel)));
    channels.push_back(normalized(values, static_cast<double>(request.epsilon)));
  }
  return channels;
}

/// Returns the result of an operation in one channel, from the values of all inputs of a row in their order.
double combined(const RowRequest& request, const std::vector<double>& row, std::size_t channel) {
  const auto channels = static_cast<std::size_t>(request.out_channels);
  switch (request.op) {
    case LayerOp::add:
    case LayerOp::multiply: {
      double value = row[channel];
      for (std::size_t at = channel + channels; at < row.size(); at += channels)
        value = request.op == LayerOp::add ? value + row[at] : value * row[at];
      return value;
    }
    case LayerOp::group_sum: {
      const std::size_t group = row.size() / channels;
      double sum = 0;
      for (std::size_t at = 0; at < group; ++at)
        sum += row[(channel * group) + at];
      return sum;
    }
    default:
      return row[channel];
  }
}

}  // namespace

Features compute_rows(const std::shared_ptr<MemoryPool>& pool, const RowRequest& request, Job& job) {
  require_sound(request);
  const Features& first = *request.inputs.front();
  Features result{first.rows, request.out_channels, first.precision, {}};
  const auto channels = static_cast<std::size_t>(result.channels);
  result.data = Buffer(pool, static_cast<std::size_t>(result.rows) * channels * bytes_of(result.precision));
  const auto by_channel = normalized_channels(request);
  for (std::int64_t row = 0; row < result.rows; ++row) {
    constexpr std::int64_t rows_between_checks = 256;
    if (row % rows_between_checks == 0) job.checkpoint({"reference rows", row, result.rows});
    std::vector<double> inputs;
    for (const Features* input : request.inputs) {
      for (int channel = 0; channel < input->channels; ++channel)
        inputs.push_back(static_cast<double>(feature_at(*input, row, channel)));
    }
    if (request.op == LayerOp::layer_norm) inputs = normalized(inputs, static_cast<double>(request.epsilon));
    for (std::size_t c = 0; c < by_channel.size(); ++c)
      inputs[c] = by_channel[c][static_cast<std::size_t>(row)];
    for (std::size_t c = 0; c < channels; ++c) {
      double value = combined(request, inputs, c);
      for (const RowStep& step : request.steps) {
        if (step.step == LayerStep::norm)
          value = (value * static_cast<double>(step.scale->scale.host_span<float>()[c])) +
                  static_cast<double>(step.scale->shift.host_span<float>()[c]);
        if (step.step == LayerStep::add)
          value += static_cast<double>(feature_at(*step.residual, row, static_cast<int>(c)));
        if (step.step == LayerStep::activation) value = activated(step, value);
      }
      set_value(result, (static_cast<std::size_t>(row) * channels) + c, value);
    }
  }
  return result;
}

Features add_sets(const std::shared_ptr<MemoryPool>& memory, const SetSumRequest& request, Job& job) {
  require_sound(request);
  const Features& first = *request.inputs.front();
  const auto channels = static_cast<std::size_t>(first.channels);
  std::vector<std::map<BatchVoxel, std::vector<std::int64_t>>> rows_of(request.inputs.size());
  const auto place = [&](BatchVoxel voxel) {
    if (request.flat) voxel[3] = 0;
    return voxel;
  };
  for (std::size_t input = 0; input < request.inputs.size(); ++input) {
    std::int64_t row = 0;
    for (const BatchVoxel& voxel : all_batch_voxels(*request.levels[input]))
      rows_of[input][place(voxel)].push_back(row++);
  }
  Features result{size_of(*request.out), first.channels, first.precision, {}};
  result.data = Buffer(memory, static_cast<std::size_t>(result.rows) * channels * bytes_of(result.precision));
  std::size_t at = 0;
  for (const BatchVoxel& voxel : all_batch_voxels(*request.out)) {
    constexpr std::size_t values_between_checks = 4096;
    if (at % values_between_checks < channels) job.checkpoint({"reference sums", 0, 0});
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (std::size_t input = 0; input < request.inputs.size(); ++input) {
        const auto found = rows_of[input].find(place(voxel));
        if (found == rows_of[input].end()) continue;
        for (const std::int64_t row : found->second)
          sum += static_cast<double>(feature_at(*request.inputs[input], row, static_cast<int>(c)));
      }
      set_value(result, at++, sum);
    }
  }
  return result;
}

namespace {

/// The frame and the cell of a voxel in steps of the stride of its level, without the shift.
using FrameCell = std::array<std::int64_t, 4>;

std::map<FrameCell, std::int64_t> rows_of_cells(const PointRequest& request) {
  const PerAxis stride = request.level->rule.stride();
  std::map<FrameCell, std::int64_t> rows;
  std::int64_t row = 0;
  for (const BatchVoxel& voxel : all_batch_voxels(*request.level)) {
    FrameCell cell{voxel[0]};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell.at(axis + 1) = (voxel.at(axis + 1) + request.shift.at(axis)) / stride[axis];
    rows.emplace(cell, row++);
  }
  return rows;
}

/// Returns the product of 1 - |point / stride - cell| over the axes, or 0 if the point is more than a cell
/// away.
double trilinear_weight(const Point& point, const PerAxis& stride, const FrameCell& cell) {
  double weight = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    weight *=
        std::max(0.0, 1 - std::abs((point[axis] / stride[axis]) - static_cast<double>(cell.at(axis + 1))));
  return weight;
}

}  // namespace

Features move_points(const std::shared_ptr<MemoryPool>& memory, const PointRequest& request, Job& job) {
  require_sound(request);
  const PerAxis stride = request.level->rule.stride();
  const auto rows = rows_of_cells(request);
  const bool to_voxels = request.mode == PointMode::mean;
  const auto channels = static_cast<std::size_t>(request.in->channels);
  Features result{to_voxels ? size_of(*request.level) : request.points->size(),
                  request.in->channels,
                  request.in->precision,
                  {}};
  const std::size_t values = static_cast<std::size_t>(result.rows) * channels;
  result.data = Buffer(memory, values * bytes_of(result.precision));
  std::vector<double> sums(values, 0.0), weights(static_cast<std::size_t>(result.rows), 0.0);
  const auto add = [&](std::int64_t from, std::int64_t to, double weight) {
    weights[static_cast<std::size_t>(to)] += weight;
    for (std::size_t c = 0; c < channels; ++c)
      sums[(static_cast<std::size_t>(to) * channels) + c] +=
          weight * static_cast<double>(feature_at(*request.in, from, static_cast<int>(c)));
  };
  for (std::int64_t point = 0; point < request.points->size(); ++point) {
    constexpr std::int64_t points_between_checks = 256;
    if (point % points_between_checks == 0)
      job.checkpoint({"reference points", point, request.points->size()});
    const Point& position = request.points->positions[static_cast<std::size_t>(point)];
    FrameCell low{request.points->frame(point)};
    for (std::size_t axis = 0; axis < 3; ++axis)
      low.at(axis + 1) = static_cast<std::int64_t>(std::floor(position[axis] / stride[axis]));
    for (int corner = 0; corner < (request.mode == PointMode::trilinear ? 8 : 1); ++corner) {
      const FrameCell cell{low[0], low[1] + (corner / 4), low[2] + (corner / 2 % 2), low[3] + (corner % 2)};
      const auto found = rows.find(cell);
      if (found == rows.end()) continue;
      const double weight =
          request.mode == PointMode::trilinear ? trilinear_weight(position, stride, cell) : 1;
      to_voxels ? add(point, found->second, weight) : add(found->second, point, weight);
    }
  }
  // torchsparse adds 1e-8 to the sum of trilinear weights.
  const double tiny = request.mode == PointMode::trilinear ? 1e-8 : 0;
  for (std::size_t at = 0; at < values; ++at) {
    const double divisor = weights[at / channels] + tiny;
    set_value(result, at, divisor > 0 ? sums[at] / divisor : 0);
  }
  return result;
}

Features pool(const std::shared_ptr<MemoryPool>& memory, const KernelMap& map, const Features& in,
              PoolReduction reduction, Job& job) {
  require_sound(map, in);
  const auto channels = static_cast<std::size_t>(in.channels);
  std::vector<std::vector<std::int32_t>> inputs_of(static_cast<std::size_t>(map.outputs));
  for_each_pair(map, [&](std::int32_t output, int, std::int32_t input) {
    inputs_of[static_cast<std::size_t>(output)].push_back(input);
  });
  Features result{map.outputs, in.channels, in.precision, {}};
  result.data = Buffer(memory, inputs_of.size() * channels * bytes_of(in.precision));
  for (std::size_t row = 0; row < inputs_of.size(); ++row) {
    constexpr std::size_t rows_between_checks = 256;
    if (row % rows_between_checks == 0) job.checkpoint({"reference pool", 0, 0});
    const auto& inputs = inputs_of[row];
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0, largest = -std::numeric_limits<double>::infinity();
      for (const std::int32_t input : inputs) {
        const auto value = static_cast<double>(feature_at(in, input, static_cast<int>(c)));
        sum += value;
        largest = std::max(largest, value);
      }
      const double divisor = reduction == PoolReduction::mean            ? static_cast<double>(inputs.size())
                             : reduction == PoolReduction::mean_of_cells ? map.offsets->columns()
                                                                         : 1;
      const double value = reduction == PoolReduction::max ? largest : sum / divisor;
      set_value(result, (row * channels) + c, inputs.empty() ? 0 : value);
    }
  }
  return result;
}

namespace {

using Matrix = std::vector<std::vector<std::int32_t>>;  // Shape: [outputs][columns].

Matrix search(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, Job& job) {
  std::map<BatchVoxel, std::int32_t> row_of;
  const auto inputs = all_batch_voxels(in);
  for (std::size_t j = 0; j < inputs.size(); ++j)
    row_of[inputs[j]] = static_cast<std::int32_t>(j);
  Matrix matrix;
  constexpr std::size_t rows_between_checks = 256;
  for (const BatchVoxel& q : all_batch_voxels(out)) {
    if (matrix.size() % rows_between_checks == 0) job.checkpoint({"reference map", 0, 0});
    auto& row = matrix.emplace_back();
    for (int k = 0; k < offsets.columns(); ++k) {
      const Voxel d = offsets.offset(k);
      const auto found = row_of.find({q[0], q[1] + d[0], q[2] + d[1], q[3] + d[2]});
      row.push_back(found == row_of.end() ? -1 : found->second);
    }
  }
  return matrix;
}

template <class Value>
Buffer filled(const std::shared_ptr<MemoryPool>& pool, const std::vector<Value>& values) {
  Buffer buffer(pool, values.size() * sizeof(Value));
  std::copy(values.begin(), values.end(), buffer.host_span<Value>().begin());
  return buffer;
}

void write_dense(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, KernelMap::Part& part) {
  std::vector<std::int32_t> entries;
  if (part.layout == MapLayout::output_major) {
    for (const auto& row : matrix) {
      for (const int column : part.columns)
        entries.push_back(row[static_cast<std::size_t>(column)]);
    }
  } else {
    for (const int column : part.columns) {
      for (const auto& row : matrix)
        entries.push_back(row[static_cast<std::size_t>(column)]);
    }
  }
  part.entries = filled(pool, entries);
}

void write_pair_lists(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, KernelMap::Part& part) {
  std::vector<std::array<std::int32_t, 2>> pairs;
  std::vector<std::int32_t> counts;
  for (const int column : part.columns) {
    const std::size_t before = pairs.size();
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const std::int32_t input = matrix[i][static_cast<std::size_t>(column)];
      if (input >= 0) pairs.push_back({static_cast<std::int32_t>(i), input});
    }
    counts.push_back(static_cast<std::int32_t>(pairs.size() - before));
  }
  part.entries = filled(pool, pairs);
  part.counts = filled(pool, counts);
}

KernelMap::Part native_part(const std::shared_ptr<MemoryPool>& pool, const std::vector<Triplet>& triplets,
                            int columns) {
  KernelMap::Part part;
  part.layout = MapLayout::pair_lists;
  std::vector<std::array<std::int32_t, 2>> pairs;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(columns), 0);
  for (const auto& [column, output, input] : triplets) {
    ++counts[static_cast<std::size_t>(column)];
    pairs.push_back({output, input});
  }
  for (int column = 0; column < columns; ++column)
    part.columns.push_back(column);
  part.entries = filled(pool, pairs);
  part.counts = filled(pool, counts);
  return part;
}

void write_z_runs(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, int z_cells,
                  KernelMap::Part& part) {
  part.word_bits = 32;  // The reference is never used with 2^25 voxels or more, so 32 bits are enough.
  std::vector<std::uint32_t> words;
  for (const auto& row : matrix) {
    for (std::size_t group = 0; group < row.size(); group += static_cast<std::size_t>(z_cells)) {
      std::uint32_t mask = 0, first = 0;
      for (int iz = z_cells - 1; iz >= 0; --iz) {
        const std::int32_t input = row[group + static_cast<std::size_t>(iz)];
        if (input < 0) continue;
        mask |= 1U << iz;
        first = static_cast<std::uint32_t>(input);
      }
      words.push_back(mask == 0 ? 0 : (first << z_cells) | mask);
    }
  }
  part.entries = filled(pool, words);
}

void write_mask_sorted(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, int splits,
                       KernelMap::Part& part) {
  const auto columns = static_cast<int>(part.columns.size());
  const int length = columns_per_split(columns, splits);
  const auto rows = padded_rows_of(std::ssize(matrix));
  std::vector<std::int32_t> entries, order;
  for (int first = 0; first < columns; first += length) {
    std::vector<std::pair<std::uint64_t, std::int32_t>> masks;
    for (std::size_t output = 0; output < matrix.size(); ++output) {
      std::uint64_t mask = 0;
      for (int column = first; column < std::min(first + length, columns); ++column)
        mask |= static_cast<std::uint64_t>(matrix[output][static_cast<std::size_t>(column)] >= 0)
                << (column - first);
      masks.emplace_back(mask, static_cast<std::int32_t>(output));
    }
    std::stable_sort(masks.begin(), masks.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int32_t output = row < std::ssize(masks) ? masks[static_cast<std::size_t>(row)].second : -1;
      order.push_back(output);
      for (int column = first; column < first + length; ++column)
        entries.push_back(output < 0 || column >= columns
                              ? -1
                              : matrix[static_cast<std::size_t>(output)][static_cast<std::size_t>(column)]);
    }
  }
  part.splits = splits;
  part.entries = filled(pool, entries);
  part.order = filled(pool, order);
}

}  // namespace

KernelMap build_map(const std::shared_ptr<MemoryPool>& pool, const CoordSet& in, const CoordSet& out,
                    const MapRequest& request, Job& job) {
  KernelMap map;
  map.offsets = request.offsets;
  map.outputs = size_of(out);
  map.inputs = size_of(in);
  map.half = request.half;
  map.submanifold = in.stride == out.stride && !map.many();
  map.algorithm = request.algorithm;
  if (map.many()) {
    require_sound(request, in, out);
    map.parts.push_back(
        native_part(pool, native_triplets(in, out, request, job), request.offsets->columns()));
    return map;
  }
  const Matrix matrix = search(in, out, *request.offsets, job);
  for (const MapPartRequest& wanted : request.parts) {
    KernelMap::Part part;
    part.layout = wanted.layout;
    part.columns = wanted.columns;
    std::sort(part.columns.begin(), part.columns.end());
    if (wanted.layout == MapLayout::pair_lists) {
      if (request.half) std::erase_if(part.columns, [&](int k) { return k > request.offsets->partner(k); });
      write_pair_lists(pool, matrix, part);
    } else if (wanted.layout == MapLayout::z_runs) {
      write_z_runs(pool, matrix, request.offsets->z_cells(), part);
    } else if (wanted.layout == MapLayout::mask_sorted) {
      write_mask_sorted(pool, matrix, wanted.splits, part);
    } else {
      write_dense(pool, matrix, part);
    }
    map.parts.push_back(std::move(part));
  }
  return map;
}

}  // namespace spira::reference

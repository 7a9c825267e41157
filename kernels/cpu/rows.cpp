// Computes operations on rows, such as sums of features and activations.
#include "engine/backend/point_links.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/epilogue.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace spira::cpu {
namespace {

constexpr std::int64_t rows_per_block = 1024;

/// The mean of a set of values, and the factor 1 / sqrt(variance + epsilon).
struct Statistics {
  double mean = 0, factor = 0;
};
double factor_of(double variance, float epsilon) {
  return 1 / std::sqrt(variance + static_cast<double>(epsilon));
}

float activated(Activation activation, float slope, float x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0.0F ? 0.0F : x;  // The comparison is false for NaN, so NaN stays NaN.
    case Activation::leaky_relu:
      return x < 0.0F ? x * slope : x;
    case Activation::sigmoid:
      return 1.0F / (1.0F + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return x / (1.0F + std::exp(-x));
    case Activation::elu:
      return x < 0.0F ? std::expm1(x) : x;
    case Activation::gelu:
      return 0.5F * x * (1.0F + std::erf(x / std::numbers::sqrt2_v<float>));
  }
  return x;
}

/// Computes the rows of one request. Each thread has a separate object.
class RowWork {
 public:
  RowWork(const RowRequest& request, const std::vector<Statistics>& channels)
      : request_(request), channels_(channels) {
    int longest = request.out_channels;
    for (const Features* input : request.inputs)
      longest = std::max(longest, input->channels);
    row_.resize(static_cast<std::size_t>(request.out_channels));
    other_.resize(static_cast<std::size_t>(longest));
  }

  void compute(std::int64_t row, Features& result) {
    combine(row);
    for (const RowStep& step : request_.steps)
      apply(step, row);
    write_row(row_, row, result);
  }

 private:
  void combine(std::int64_t row) {
    if (request_.op == LayerOp::group_sum) return sum_groups(row);
    if (request_.op == LayerOp::layer_norm || request_.op == LayerOp::instance_norm) return normalize(row);
    if (request_.op != LayerOp::add && request_.op != LayerOp::multiply) {
      float* to = row_.data();
      for (const Features* input : request_.inputs) {
        read_row(*input, row, to);
        to += input->channels;
      }
      return;
    }
    read_row(*request_.inputs.front(), row, row_.data());
    for (std::size_t at = 1; at < request_.inputs.size(); ++at) {
      read_row(*request_.inputs[at], row, other_.data());
      const bool adds = request_.op == LayerOp::add;
      for (std::size_t c = 0; c < row_.size(); ++c)
        row_[c] = adds ? row_[c] + other_[c] : row_[c] * other_[c];
    }
  }
  void sum_groups(std::int64_t row) {
    read_row(*request_.inputs.front(), row, other_.data());
    const std::size_t group = other_.size() / row_.size();
    for (std::size_t c = 0; c < row_.size(); ++c) {
      row_[c] = 0;
      for (std::size_t at = 0; at < group; ++at)
        row_[c] += other_[(c * group) + at];
    }
  }
  void normalize(std::int64_t row) {
    read_row(*request_.inputs.front(), row, row_.data());
    const Statistics of_row = request_.op == LayerOp::layer_norm ? statistics_of_row() : Statistics{};
    for (std::size_t c = 0; c < row_.size(); ++c) {
      const Statistics& by = channels_.empty() ? of_row : channels_[c];
      row_[c] = static_cast<float>((static_cast<double>(row_[c]) - by.mean) * by.factor);
    }
  }
  [[nodiscard]] Statistics statistics_of_row() const {
    Statistics result;
    double variance = 0;
    for (const float value : row_)
      result.mean += static_cast<double>(value);
    result.mean /= static_cast<double>(row_.size());
    for (const float value : row_) {
      const double distance = static_cast<double>(value) - result.mean;
      variance += distance * distance;
    }
    result.factor = factor_of(variance / static_cast<double>(row_.size()), request_.epsilon);
    return result;
  }
  void apply(const RowStep& step, std::int64_t row) {
    if (step.step == LayerStep::add) {
      read_row(*step.residual, row, other_.data());
      for (std::size_t c = 0; c < row_.size(); ++c)
        row_[c] += other_[c];
    } else if (step.step == LayerStep::norm) {
      const auto scale = step.scale->scale.host_span<float>(), shift = step.scale->shift.host_span<float>();
      for (std::size_t c = 0; c < row_.size(); ++c)
        row_[c] = (row_[c] * scale[c]) + shift[c];
    } else {
      for (float& value : row_)
        value = activated(step.activation, step.slope, value);
    }
  }

  const RowRequest& request_;
  const std::vector<Statistics>& channels_;  ///< Only for an instance norm.
  std::vector<float> row_, other_;
};

/// Computes the statistics of each channel over all rows. The sums of blocks of rows are added in the order
/// of the blocks, so the result does not depend on the number of threads.
std::vector<Statistics> statistics_of_channels(ThreadPool& threads, const Features& in, float epsilon,
                                               Job& job) {
  const auto channels = static_cast<std::size_t>(in.channels);
  std::vector<Statistics> all(channels);
  std::vector<std::vector<float>> rows(static_cast<std::size_t>(threads.threads()),
                                       std::vector<float>(channels));
  std::vector<double> sums(static_cast<std::size_t>((in.rows + rows_per_block - 1) / rows_per_block) *
                           channels);
  // Returns the sum of term(value, channel) over all rows, divided by the number of rows, for each channel.
  const auto mean_of = [&](const auto& term) {
    std::fill(sums.begin(), sums.end(), 0.0);
    threads.for_blocks(
        in.rows, rows_per_block,
        [&](std::int64_t begin, std::int64_t end, int worker) {
          std::vector<float>& row = rows[static_cast<std::size_t>(worker)];
          double* const to = sums.data() + (static_cast<std::size_t>(begin / rows_per_block) * channels);
          for (std::int64_t at = begin; at < end; ++at) {
            read_row(in, at, row.data());
            for (std::size_t c = 0; c < channels; ++c)
              to[c] += term(static_cast<double>(row[c]), c);
          }
        },
        job.stop_token());
    job.checkpoint({"mean over all voxels", 0, 0});
    std::vector<double> means(channels);
    for (std::size_t at = 0; at < sums.size(); ++at)
      means[at % channels] += sums[at] / static_cast<double>(in.rows);
    return means;
  };
  const auto means = mean_of([](double value, std::size_t) { return value; });
  const auto variances =
      mean_of([&](double value, std::size_t c) { return (value - means[c]) * (value - means[c]); });
  for (std::size_t c = 0; c < channels; ++c)
    all[c] = {means[c], factor_of(variances[c], epsilon)};
  return all;
}

/// Concatenates rows without conversion.
void copy_rows(const RowRequest& request, std::int64_t begin, std::int64_t end, Features& result) {
  const std::size_t value = bytes_of(result.precision);
  auto* to = static_cast<std::byte*>(result.data.data()) +
             (static_cast<std::size_t>(begin) * static_cast<std::size_t>(result.channels) * value);
  for (std::int64_t row = begin; row < end; ++row) {
    for (const Features* input : request.inputs) {
      const std::size_t bytes = static_cast<std::size_t>(input->channels) * value;
      std::memcpy(to,
                  static_cast<const std::byte*>(input->data.data()) + (static_cast<std::size_t>(row) * bytes),
                  bytes);
      to += bytes;
    }
  }
}

}  // namespace

void read_row(const Features& features, std::int64_t row, float* to) {
  const auto channels = static_cast<std::size_t>(features.channels);
  const std::size_t first = static_cast<std::size_t>(row) * channels;
  if (features.precision == Precision::fp32) {
    std::memcpy(to, features.data.host_span<float>().data() + first, channels * sizeof(float));
  } else {
    const Fp16* from = features.data.host_span<Fp16>().data() + first;
    std::transform(from, from + channels, to, fp16_to_float);
  }
}

void write_row(const std::vector<float>& row, std::int64_t at, Features& features) {
  const std::size_t first = static_cast<std::size_t>(at) * row.size();
  if (features.precision == Precision::fp32) {
    std::copy(row.begin(), row.end(),
              features.data.host_span<float>().begin() + static_cast<std::ptrdiff_t>(first));
  } else {
    std::transform(row.begin(), row.end(),
                   features.data.host_span<Fp16>().begin() + static_cast<std::ptrdiff_t>(first),
                   float_to_fp16);
  }
}

Features add_sets(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory,
                  const SetSumRequest& request, Job& job) {
  require_sound(request);
  const auto stage = job.stage("join");
  const Features& first = *request.inputs.front();
  const auto channels = static_cast<std::size_t>(first.channels);
  Features result{request.out->size.value(), first.channels, first.precision, {}};
  result.data = Buffer(memory, static_cast<std::size_t>(result.rows) * channels * bytes_of(result.precision));
  // Voxels with equal x and y are neighbours, because z is in the low bits.
  const int dropped = request.flat ? request.out->pack.z_bits : 0;
  visit_key(request.out->pack, [&]<class Key>(Key) {
    const auto wanted = keys_of<Key>(*request.out);
    threads.for_blocks(
        result.rows, rows_per_block,
        [&](std::int64_t begin, std::int64_t end, int) {
          const auto place = [dropped](Key key) { return static_cast<Key>(key >> dropped); };
          std::vector<float> sums(static_cast<std::size_t>(end - begin) * channels), row(channels);
          for (std::size_t input = 0; input < request.inputs.size(); ++input) {
            const auto keys = keys_of<Key>(*request.levels[input]);
            auto at =
                std::lower_bound(keys.begin(), keys.end(), place(wanted[static_cast<std::size_t>(begin)]),
                                 [&](Key key, Key low) { return place(key) < low; });
            for (std::int64_t to = begin; to < end; ++to) {
              const Key here = place(wanted[static_cast<std::size_t>(to)]);
              while (at != keys.end() && place(*at) < here)
                ++at;
              for (; at != keys.end() && place(*at) == here; ++at) {
                read_row(*request.inputs[input], at - keys.begin(), row.data());
                for (std::size_t c = 0; c < channels; ++c)
                  sums[(static_cast<std::size_t>(to - begin) * channels) + c] += row[c];
              }
            }
          }
          for (std::int64_t to = begin; to < end; ++to) {
            const auto from = sums.begin() + ((to - begin) * static_cast<std::ptrdiff_t>(channels));
            std::copy(from, from + static_cast<std::ptrdiff_t>(channels), row.begin());
            write_row(row, to, result);
          }
        },
        job.stop_token());
  });
  job.checkpoint({"joining levels", 0, 0});
  return result;
}

Features move_points(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory,
                     const PointRequest& request, Job& job) {
  require_sound(request);
  const auto stage = job.stage("points");
  const PointLocator locator(*request.level, *request.points, request.shift);
  const bool to_voxels = request.mode == PointMode::mean;
  const std::int64_t points = request.points->size(), voxels = request.level->size.value();
  PointsOfVoxels groups;
  if (to_voxels) {
    std::vector<std::int64_t> row_of_point(static_cast<std::size_t>(points));
    threads.for_blocks(
        points, rows_per_block,
        [&](std::int64_t begin, std::int64_t end, int) {
          for (std::int64_t point = begin; point < end; ++point)
            row_of_point[static_cast<std::size_t>(point)] = locator.row_of(point);
        },
        job.stop_token());
    groups = points_of_voxels(row_of_point, voxels);
  }
  const auto channels = static_cast<std::size_t>(request.in->channels);
  Features result{to_voxels ? voxels : points, request.in->channels, request.in->precision, {}};
  result.data = Buffer(memory, static_cast<std::size_t>(result.rows) * channels * bytes_of(result.precision));
  threads.for_blocks(
      result.rows, rows_per_block,
      [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<float> sums(channels), row(channels);
        const auto add = [&](std::int64_t from, float weight) {
          read_row(*request.in, from, row.data());
          for (std::size_t c = 0; c < channels; ++c)
            sums[c] += weight * row[c];
        };
        for (std::int64_t to = begin; to < end; ++to) {
          std::fill(sums.begin(), sums.end(), 0.0F);
          if (to_voxels) {
            const auto first = groups.starts[static_cast<std::size_t>(to)],
                       last = groups.starts[static_cast<std::size_t>(to) + 1];
            for (std::int64_t at = first; at < last; ++at)
              add(groups.points[static_cast<std::size_t>(at)], 1.0F);
            for (float& sum : sums)
              sum /= static_cast<float>(std::max<std::int64_t>(1, last - first));
          } else {
            std::array<PointLink, 8> links{};
            const int count = locator.links_of(to, request.mode, links);
            for (int at = 0; at < count; ++at)
              add(links.at(static_cast<std::size_t>(at)).row, links.at(static_cast<std::size_t>(at)).weight);
          }
          write_row(sums, to, result);
        }
      },
      job.stop_token());
  job.checkpoint({"moving points", 0, 0});
  return result;
}

Features compute_rows(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RowRequest& request,
                      Job& job) {
  require_sound(request);
  const auto stage = job.stage("rows");
  Features result;
  result.rows = request.inputs.front()->rows;
  result.precision = request.inputs.front()->precision;
  result.channels = request.out_channels;
  result.data = Buffer(pool, static_cast<std::size_t>(result.rows) *
                                 static_cast<std::size_t>(result.channels) * bytes_of(result.precision));
  const bool copies = request.steps.empty() && request.op == LayerOp::concat;
  std::vector<Statistics> channels;
  if (request.op == LayerOp::instance_norm)
    channels = statistics_of_channels(threads, *request.inputs.front(), request.epsilon, job);
  std::vector<RowWork> work(static_cast<std::size_t>(threads.threads()), RowWork(request, channels));
  threads.for_blocks(
      result.rows, rows_per_block,
      [&](std::int64_t begin, std::int64_t end, int worker) {
        if (copies) return copy_rows(request, begin, end, result);
        for (std::int64_t row = begin; row < end; ++row)
          work[static_cast<std::size_t>(worker)].compute(row, result);
      },
      job.stop_token());
  job.checkpoint({"operations on rows", 0, 0});
  return result;
}

}  // namespace spira::cpu

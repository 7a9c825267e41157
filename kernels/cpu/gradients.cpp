#include "engine/base/fp16.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/epilogue.hpp"
#include "kernels/cpu/gather_gemm.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace spira::cpu {
namespace {

/// Rows that are multiplied at a time, so that both gathered panels stay in the cache.
constexpr std::int64_t rows_per_product = 512;
/// Rows of features that a thread adds, splits or converts at a time.
constexpr std::int64_t rows_per_copy = 1024;

/// The division of rows into ranges. Each range has its own partial sum. The division depends only on the
/// rows and on the size of a sum, so the order of the additions does not depend on the threads.
struct Ranges {
  std::int64_t rows = 0, length = 1;

  Ranges(std::int64_t all_rows, std::size_t bytes_of_sum) : rows(all_rows) {
    constexpr std::int64_t most = 64, fewest_rows = 1024;
    constexpr std::size_t most_bytes = std::size_t{128} << 20U;
    const auto that_fit = static_cast<std::int64_t>(most_bytes / std::max<std::size_t>(1, bytes_of_sum));
    const std::int64_t parts =
        std::clamp<std::int64_t>(rows / fewest_rows, 1, std::clamp(that_fit, std::int64_t{2}, most));
    length = std::max<std::int64_t>(1, (rows + parts - 1) / parts);
  }
  [[nodiscard]] std::int64_t count() const { return (rows + length - 1) / length; }
};

/// Scratch memory of one worker.
struct Scratch {
  ColumnLists lists;
  std::vector<std::int32_t> outputs;
  std::vector<float> in, gradient;
};

/// Calls add(column, outputs, inputs, count) for all pairs of the map in a range of its outputs. In a
/// mask_sorted part, the range is a range of sorted rows of each split.
template <class Add>
void for_each_list(const KernelMap& map, std::int64_t begin, std::int64_t end, Scratch& scratch,
                   const Add& add) {
  for (const KernelMap::Part& part : map.parts) {
    if (part.layout == MapLayout::pair_lists) {
      for_each_pair_list(map, part, false, begin, end, scratch.lists, add);
      continue;
    }
    if (part.layout != MapLayout::mask_sorted) {
      for_each_column(map, part, begin, end, scratch.lists, add);
      continue;
    }
    for (int split = 0; split < part.splits; ++split) {
      const std::int32_t* const order =
          part.order.host_span<std::int32_t>().data() + (split * padded_rows_of(map.outputs)) + begin;
      for_each_sorted_column(
          map, part, split, begin, end, scratch.lists,
          [&](int column, const std::int32_t* rows, const std::int32_t* inputs, std::int64_t count) {
            scratch.outputs.resize(static_cast<std::size_t>(count));
            std::transform(rows, rows + count, scratch.outputs.begin(),
                           [order](std::int32_t row) { return order[row]; });
            add(column, scratch.outputs.data(), inputs, count);
          });
    }
  }
}

void gather(const PanelKernels& kernels, const Features& from, const std::int32_t* index, std::int64_t count,
            std::vector<float>& panel) {
  panel.resize(static_cast<std::size_t>(rows_per_product * from.channels));
  if (from.precision == Precision::fp32) {
    kernels.gather_fp32(from.data.host_span<float>().data(), from.channels, index, count, panel.data());
  } else {
    kernels.gather_fp16(from.data.host_span<std::uint16_t>().data(), from.channels, index, count,
                        panel.data());
  }
}

/// Adds the partial sums in ascending order of their ranges, and multiplies the result by `factor`.
Buffer reduced(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const Buffer& parts,
               std::int64_t count, std::size_t values, float factor, const std::stop_token& stop) {
  Buffer sum(pool, values * sizeof(float));
  const float* const from = parts.host_span<float>().data();
  float* const to = sum.host_span<float>().data();
  constexpr std::int64_t values_per_block = 16'384;
  threads.for_blocks(
      static_cast<std::int64_t>(values), values_per_block,
      [&](std::int64_t begin, std::int64_t end, int) {
        std::fill(to + begin, to + end, 0.0F);
        for (std::int64_t part = 0; part < count; ++part) {
          const float* const addend = from + (static_cast<std::size_t>(part) * values);
          for (std::int64_t at = begin; at < end; ++at)
            to[at] += addend[at];
        }
        for (std::int64_t at = begin; at < end; ++at)
          to[at] *= factor;
      },
      stop);
  return sum;
}

/// Returns the sum of all rows, multiplied by `factor`.
Buffer sum_of_rows(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const Features& features,
                   float factor, Job& job) {
  const auto channels = static_cast<std::size_t>(features.channels);
  const Ranges ranges(features.rows, channels * sizeof(float));
  Buffer parts(pool, static_cast<std::size_t>(ranges.count()) * channels * sizeof(float));
  float* const sums = parts.host_span<float>().data();
  const auto add_range = [&](std::int64_t begin, std::int64_t end, int) {
    float* const sum = sums + (static_cast<std::size_t>(begin / ranges.length) * channels);
    std::fill(sum, sum + channels, 0.0F);
    std::vector<float> values(channels);
    for (std::int64_t row = begin; row < end; ++row) {
      read_row(features, row, values.data());
      for (std::size_t c = 0; c < channels; ++c)
        sum[c] += values[c];
    }
  };
  threads.for_blocks(features.rows, ranges.length, add_range, job.stop_token());
  job.checkpoint({"gradient of the bias", 0, 0});
  return reduced(threads, pool, parts, ranges.count(), channels, factor, job.stop_token());
}

Features empty_like(const std::shared_ptr<MemoryPool>& pool, const Features& like, int channels) {
  const auto values = static_cast<std::size_t>(like.rows) * static_cast<std::size_t>(channels);
  return {like.rows, channels, like.precision, Buffer(pool, values * bytes_of(like.precision))};
}

float widened(float value) {
  return value;
}
float widened(Fp16 value) {
  return fp16_to_float(value);
}
template <class Value> Value narrowed(float value) {
  if constexpr (std::is_same_v<Value, float>) return value;
  if constexpr (std::is_same_v<Value, Fp16>) return float_to_fp16(value);
}
bool above_zero(float value) {
  return value > 0;
}
/// Compares the bits, because infinity is 0x7C00, NaN is above it, and negative values are above NaN.
bool above_zero(Fp16 value) {
  return value != 0 && value <= 0x7C00U;
}

/// Adds row `row` of all parts. The sum is 0 where `gate` is not above 0.
template <class Value>
void add_row(const std::vector<ChannelSlice>& parts, const Features* gate, std::int64_t row, Features& sum) {
  const auto row_of = [row](const Features& features) {
    return features.data.host_span<Value>().data() + (row * features.channels);
  };
  const Value* const gates = gate == nullptr ? nullptr : row_of(*gate);
  Value* const to = sum.data.host_span<Value>().data() + (row * sum.channels);
  const Value* const front = row_of(*parts.front().of) + parts.front().first;
  for (int channel = 0; channel < sum.channels; ++channel) {
    const bool open = gates == nullptr || above_zero(gates[channel]);
    if (!open || parts.size() == 1) {
      to[channel] = open ? front[channel] : Value{0};
      continue;
    }
    float total = widened(front[channel]);
    for (std::size_t part = 1; part < parts.size(); ++part)
      total += widened(row_of(*parts[part].of)[parts[part].first + channel]);
    to[channel] = narrowed<Value>(total);
  }
}

}  // namespace

MasterWeights CpuGradients::wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                                  const WgradRequest& request, Job& job) {
  require_sound(map, in, out_gradient, request);
  const int columns = map.offsets->columns(), in_channels = in.channels, out_channels = out_gradient.channels;
  const std::size_t matrix = static_cast<std::size_t>(in_channels) * static_cast<std::size_t>(out_channels);
  const std::size_t values = static_cast<std::size_t>(columns) * matrix;
  const Ranges ranges(map.outputs, values * sizeof(float));
  Buffer parts(pool_, static_cast<std::size_t>(ranges.count()) * values * sizeof(float));
  float* const sums = parts.host_span<float>().data();
  const PanelKernels& kernels = panel_kernels();
  job.kernel(panels_name(kernels));
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads_.threads()));
  const auto add_range = [&](std::int64_t begin, std::int64_t end, int worker) {
    Scratch& mine = scratch[static_cast<std::size_t>(worker)];
    float* const sum = sums + (static_cast<std::size_t>(begin / ranges.length) * values);
    std::fill(sum, sum + values, 0.0F);
    const auto add = [&](int column, const std::int32_t* outputs, const std::int32_t* inputs,
                         std::int64_t count) {
      const std::int32_t* const in_rows = request.transposed ? outputs : inputs;
      const std::int32_t* const gradient_rows = request.transposed ? inputs : outputs;
      for (std::int64_t at = 0; at < count; at += rows_per_product) {
        if (job.stop_token().stop_requested()) return;
        const std::int64_t rows = std::min(rows_per_product, count - at);
        gather(kernels, in, in_rows + at, rows, mine.in);
        gather(kernels, out_gradient, gradient_rows + at, rows, mine.gradient);
        kernels.add_transposed_product(mine.in.data(), rows, in_channels, mine.gradient.data(), out_channels,
                                       sum + (static_cast<std::size_t>(column) * matrix));
      }
    };
    for_each_list(map, begin, end, mine, add);
  };
  threads_.for_blocks(map.outputs, ranges.length, add_range, job.stop_token());
  job.checkpoint({"gradient of the weights", 0, 0});
  const auto stage = job.stage("reduce");
  MasterWeights result{columns, in_channels, out_channels, {}, {}};
  result.weight = reduced(threads_, pool_, parts, ranges.count(), values, request.factor, job.stop_token());
  result.bias = sum_of_rows(threads_, pool_, out_gradient, request.factor, job);
  job.checkpoint({"gradient of the weights", 0, 0});
  return result;
}

std::size_t CpuGradients::wgrad_memory(const MemoryShape& layer) const {
  const std::size_t bytes = static_cast<std::size_t>(layer.kernel.columns()) *
                            static_cast<std::size_t>(layer.in_channels) *
                            static_cast<std::size_t>(layer.out_channels) * sizeof(float);
  return static_cast<std::size_t>(Ranges(layer.map_outputs, bytes).count()) * bytes;
}

Features CpuGradients::accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) {
  require_sound(parts, gate);
  const auto stage = job.stage("gate");
  Features sum = empty_like(pool_, *parts.front().of, parts.front().channels);
  const auto add = [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      sum.precision == Precision::fp32 ? add_row<float>(parts, gate, row, sum)
                                       : add_row<Fp16>(parts, gate, row, sum);
    }
  };
  threads_.for_blocks(sum.rows, rows_per_copy, add, job.stop_token());
  job.checkpoint({"adding gradients", 0, 0});
  return sum;
}

UploadedWeights CpuGradients::repack(const MasterWeights& weights, WeightForm form, Precision precision,
                                     Job& job) {
  const bool exchanged = form != WeightForm::forward;
  const auto in = static_cast<std::size_t>(weights.in_channels),
             out = static_cast<std::size_t>(weights.out_channels);
  UploadedWeights packed;
  packed.columns = weights.columns;
  packed.in_channels = exchanged ? weights.out_channels : weights.in_channels;
  packed.out_channels = exchanged ? weights.in_channels : weights.out_channels;
  packed.precision = precision;
  const std::size_t matrix = in * out;
  packed.weight = Buffer(pool_, static_cast<std::size_t>(weights.columns) * matrix * bytes_of(precision));
  packed.bias = Buffer(pool_, (exchanged ? in : out) * sizeof(float));
  const auto from_bias = weights.bias.host_span<float>();
  const auto bias = packed.bias.host_span<float>();
  std::fill(bias.begin(), bias.end(), 0.0F);
  if (!exchanged) std::copy(from_bias.begin(), from_bias.end(), bias.begin());
  const auto convert = [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<float> values(matrix);
    for (std::int64_t column = begin; column < end; ++column) {
      const std::int64_t source = form == WeightForm::reversed ? weights.columns - 1 - column : column;
      const float* const from =
          weights.weight.host_span<float>().data() + (static_cast<std::size_t>(source) * matrix);
      for (std::size_t a = 0; a < in; ++a) {
        for (std::size_t b = 0; b < out; ++b)
          values[exchanged ? (b * in) + a : (a * out) + b] = from[(a * out) + b];
      }
      const std::size_t first = static_cast<std::size_t>(column) * matrix;
      if (precision == Precision::fp32) {
        std::copy(values.begin(), values.end(), packed.weight.host_span<float>().data() + first);
      } else {
        std::transform(values.begin(), values.end(), packed.weight.host_span<Fp16>().data() + first,
                       float_to_fp16);
      }
    }
  };
  threads_.for_blocks(weights.columns, 1, convert, job.stop_token());
  job.checkpoint({"converting weights", 0, 0});
  return packed;
}

}  // namespace spira::cpu

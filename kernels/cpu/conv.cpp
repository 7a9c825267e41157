#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/epilogue.hpp"
#include "kernels/cpu/gather_gemm.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace spira::cpu {
namespace {

/// Size in bytes of the fp32 sums of one block of outputs. With this size, the sums stay in the second-level
/// cache while the products of all offsets are added to them.
constexpr std::int64_t block_sum_bytes = 262'144;
/// Number of rows that are multiplied by one weight matrix W_k at a time. The number is large enough to hide
/// the time that Eigen needs to pack W_k, and small enough that the panels stay in the cache.
constexpr std::int64_t rows_per_panel = 512;

/// Input of the feature kernels. All pointers refer to host memory.
struct Work {
  const Features* in;
  const UploadedWeights* weights;
  const float* weight;  ///< Weights in fp32. Shape: [K^3][C_in][C_out].
  float* sums;          ///< Sums in fp32. Shape: [result rows][C_out].
  const PanelKernels* kernels;

  [[nodiscard]] const float* weight_of(int column) const {
    return weight + (static_cast<std::int64_t>(column) * weights->in_channels * weights->out_channels);
  }
};

/// The groups of a list of pairs: adjacent pairs with the same output.
struct Groups {
  std::vector<std::int32_t> outputs, first_inputs;  ///< One entry for each group.
  /// The inputs of groups after the first one, with the positions of their groups.
  std::vector<std::int32_t> more_inputs, group_of_more;
};

struct Panels {
  std::vector<float> gathered, product, more;
  Groups groups;
};

/// Copies rows of `in` to a panel, in fp32.
void gather(const Work& work, const std::int32_t* rows, std::int64_t count, float* panel) {
  if (work.in->precision == Precision::fp32) {
    work.kernels->gather_fp32(work.in->data.host_span<float>().data(), work.in->channels, rows, count, panel);
  } else {
    work.kernels->gather_fp16(work.in->data.host_span<std::uint16_t>().data(), work.in->channels, rows, count,
                              panel);
  }
}

/// Computes sums[outputs[i]] += in[inputs[i]] * W_column for `count` pairs.
void add_products(const Work& work, int column, const std::int32_t* outputs, const std::int32_t* inputs,
                  std::int64_t count, Panels& panels) {
  const int in_channels = work.weights->in_channels, out_channels = work.weights->out_channels;
  panels.gathered.resize(static_cast<std::size_t>(rows_per_panel * in_channels));
  panels.product.resize(static_cast<std::size_t>(rows_per_panel * out_channels));
  for (std::int64_t at = 0; at < count; at += rows_per_panel) {
    const std::int64_t rows = std::min(rows_per_panel, count - at);
    gather(work, inputs + at, rows, panels.gathered.data());
    work.kernels->multiply(panels.gathered.data(), padded_rows(rows, in_channels, out_channels), in_channels,
                           work.weight_of(column), out_channels, panels.product.data());
    work.kernels->scatter_add(panels.product.data(), out_channels, outputs + at, rows, work.sums);
  }
}

/// Like add_products(), for a native map whose equal outputs are adjacent. Adds the inputs of each group
/// first, so that a group needs one product: sum of (f_j W) = (sum of f_j) W. The additions cost less than
/// the products that they save, for any number of channels.
void add_grouped_products(const Work& work, int column, const std::int32_t* outputs,
                          const std::int32_t* inputs, std::int64_t count, Panels& panels) {
  const int in_channels = work.weights->in_channels, out_channels = work.weights->out_channels;
  Groups& groups = panels.groups;
  for (std::int64_t at = 0; at < count;) {
    for (auto* list : {&groups.outputs, &groups.first_inputs, &groups.more_inputs, &groups.group_of_more})
      list->clear();
    for (; at < count; ++at) {
      if (!groups.outputs.empty() && groups.outputs.back() == outputs[at]) {
        groups.more_inputs.push_back(inputs[at]);
        groups.group_of_more.push_back(static_cast<std::int32_t>(groups.outputs.size()) - 1);
        continue;
      }
      if (std::ssize(groups.outputs) == rows_per_panel) break;
      groups.outputs.push_back(outputs[at]);
      groups.first_inputs.push_back(inputs[at]);
    }
    const auto rows = std::ssize(groups.outputs), more = std::ssize(groups.more_inputs);
    panels.gathered.resize(static_cast<std::size_t>(rows_per_panel * in_channels));
    panels.product.resize(static_cast<std::size_t>(rows_per_panel * out_channels));
    panels.more.resize(static_cast<std::size_t>(more * in_channels));
    gather(work, groups.first_inputs.data(), rows, panels.gathered.data());
    gather(work, groups.more_inputs.data(), more, panels.more.data());
    work.kernels->scatter_add(panels.more.data(), in_channels, groups.group_of_more.data(), more,
                              panels.gathered.data());
    work.kernels->multiply(panels.gathered.data(), padded_rows(rows, in_channels, out_channels), in_channels,
                           work.weight_of(column), out_channels, panels.product.data());
    work.kernels->scatter_add(panels.product.data(), out_channels, groups.outputs.data(), rows, work.sums);
  }
}

std::int64_t outputs_per_sum_block(int out_channels) {
  return std::clamp<std::int64_t>(block_sum_bytes / (std::int64_t{4} * std::max(1, out_channels)), 128, 4096);
}

/// Computes sums in the output-stationary dataflow: the outer loop runs over blocks of outputs, the inner
/// loop over offsets. Calls finish(begin, end) when the sums of a block are complete.
template <class Finish>
void output_stationary(ThreadPool& threads, const KernelMap& map, const KernelMap::Part& part,
                       const Work& work, Job& job, const Finish& finish) {
  const auto stage = job.stage("os");
  job.kernel(panels_name(*work.kernels));
  std::vector<Panels> panels(static_cast<std::size_t>(threads.threads()));
  std::vector<ColumnLists> lists(static_cast<std::size_t>(threads.threads()));
  const auto run_block = [&](std::int64_t begin, std::int64_t end, int worker) {
    auto& list = lists[static_cast<std::size_t>(worker)];
    const auto multiply = [&](int column, const std::int32_t* outputs, const std::int32_t* inputs,
                              std::int64_t count) {
      add_products(work, column, outputs, inputs, count, panels[static_cast<std::size_t>(worker)]);
    };
    for_each_column(map, part, begin, end, list, multiply);
    finish(begin, end);
  };
  threads.for_blocks(map.outputs, outputs_per_sum_block(work.weights->out_channels), run_block,
                     job.stop_token());
  job.checkpoint({"output-stationary features", 0, 0});
}

/// Computes sums in the output-stationary dataflow with sorted outputs. Each split sums its own columns from
/// zero. The splits run one after another, and each finished sum is added to the result. Therefore the order
/// of the additions never changes.
void mask_sorted(ThreadPool& threads, const KernelMap& map, const KernelMap::Part& part, const Work& work,
                 Job& job) {
  const auto stage = job.stage("os");
  job.kernel(panels_name(*work.kernels));
  struct Scratch {
    Panels panels;
    ColumnLists lists;
    std::vector<float> sums;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  const int channels = work.weights->out_channels;
  for (int split = 0; split < part.splits; ++split) {
    const std::int32_t* const order =
        part.order.host_span<std::int32_t>().data() + (split * padded_rows_of(map.outputs));
    const auto run_block = [&](std::int64_t begin, std::int64_t end, int worker) {
      Scratch& mine = scratch[static_cast<std::size_t>(worker)];
      mine.sums.assign(static_cast<std::size_t>((end - begin) * channels), 0.0F);
      Work block = work;
      block.sums = mine.sums.data();
      const auto multiply = [&](int column, const std::int32_t* rows, const std::int32_t* inputs,
                                std::int64_t count) {
        add_products(block, column, rows, inputs, count, mine.panels);
      };
      for_each_sorted_column(map, part, split, begin, end, mine.lists, multiply);
      work.kernels->scatter_add(mine.sums.data(), channels, order + begin, end - begin, work.sums);
    };
    threads.for_blocks(map.outputs, outputs_per_sum_block(channels), run_block, job.stop_token());
    job.checkpoint({"output-stationary features", split, part.splits});
  }
}

/// Computes sums in the weight-stationary dataflow: the outer loop runs over offsets, the inner loop over
/// pairs. Each range of result rows belongs to one worker, so no atomics are needed. The number of ranges
/// depends on the number of threads, but the order of the additions does not (trap 10 in
/// docs/architecture.md).
void weight_stationary(ThreadPool& threads, const KernelMap& map, const KernelMap::Part& part,
                       const Work& work, std::int64_t result_rows, bool transposed, Job& job) {
  const auto stage = job.stage("ws");
  job.kernel(panels_name(*work.kernels));
  std::vector<Panels> panels(static_cast<std::size_t>(threads.threads()));
  std::vector<ColumnLists> lists(static_cast<std::size_t>(threads.threads()));
  // Create more ranges than workers, to balance the load.
  const std::int64_t ranges = std::int64_t{threads.threads()} * 4;
  const std::int64_t range = std::max<std::int64_t>(1024, (result_rows + ranges - 1) / ranges);
  const auto run_range = [&](std::int64_t begin, std::int64_t end, int worker) {
    auto& list = lists[static_cast<std::size_t>(worker)];
    const auto multiply = [&](int column, const std::int32_t* outputs, const std::int32_t* inputs,
                              std::int64_t count) {
      if (job.stop_token().stop_requested()) return;
      Panels& mine = panels[static_cast<std::size_t>(worker)];
      map.many() && !transposed ? add_grouped_products(work, column, outputs, inputs, count, mine)
                                : add_products(work, column, outputs, inputs, count, mine);
    };
    for_each_pair_list(map, part, transposed, begin, end, list, multiply);
  };
  threads.for_blocks(result_rows, range, run_range, job.stop_token());
  job.checkpoint({"weight-stationary features", 0, 0});
}

/// Adds the products of each part of the map to the sums. The layout of a part determines its dataflow. Calls
/// `finish` for each block of an output-stationary part.
template <class Finish>
void add_parts(ThreadPool& threads, const KernelMap& map, const Work& work, bool transposed, Job& job,
               const Finish& finish) {
  for (const auto& part : map.parts) {
    if (part.layout == MapLayout::pair_lists) {
      weight_stationary(threads, map, part, work, transposed ? map.inputs : map.outputs, transposed, job);
    } else if (part.layout == MapLayout::mask_sorted) {
      mask_sorted(threads, map, part, work, job);
    } else {
      output_stationary(threads, map, part, work, job, finish);
    }
  }
}

void require_shapes(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request) {
  const std::int64_t in_rows = request.transposed ? map.outputs : map.inputs;
  const std::int64_t out_rows = request.transposed ? map.inputs : map.outputs;
  SPIRA_ASSERT(in.rows == in_rows, "the number of feature rows differs from the number of inputs of the map");
  SPIRA_ASSERT(in.channels == weights.in_channels && weights.columns == map.offsets->columns(),
               "features, weights and map have different shapes");
  SPIRA_ASSERT(in.precision == weights.precision, "features and weights have different precisions");
  const Features* residual = request.residual;
  SPIRA_ASSERT(
      residual == nullptr || (residual->rows == out_rows && residual->channels == weights.out_channels &&
                              residual->precision == in.precision),
      "the residual and the result have different shapes");
  for (const auto& part : map.parts) {
    SPIRA_ASSERT(!request.transposed || part.layout == MapLayout::pair_lists,
                 "transposed layers need pair lists");
  }
}

}  // namespace

std::vector<float> widened(const UploadedWeights& weights) {
  const auto halves = weights.weight.host_span<Fp16>();
  std::vector<float> wide(halves.size());
  std::transform(halves.begin(), halves.end(), wide.begin(), fp16_to_float);
  return wide;
}

Features convolve(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const KernelMap& map,
                  const Features& in, const UploadedWeights& weights, const ConvRequest& request, Job& job) {
  require_shapes(map, in, weights, request);
  Features result;
  result.rows = request.transposed ? map.inputs : map.outputs;
  result.channels = weights.out_channels;
  result.precision = in.precision;
  const std::size_t values =
      static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels);
  result.data = Buffer(pool, values * bytes_of(result.precision));
  const bool narrow = result.precision == Precision::fp16;
  Buffer wide_sums(pool, narrow ? values * sizeof(float) : 0);
  const std::vector<float> wide_weight = narrow ? widened(weights) : std::vector<float>{};
  const Work work{&in, &weights, narrow ? wide_weight.data() : weights.weight.host_span<float>().data(),
                  (narrow ? wide_sums : result.data).host_span<float>().data(), &panel_kernels()};

  const bool by_layout = request.method == FeatureMethod::by_layout;
  const bool only_os = by_layout && map.parts.size() == 1 && map.parts[0].layout != MapLayout::pair_lists &&
                       map.parts[0].layout != MapLayout::mask_sorted;
  const auto clear = [&](std::int64_t begin, std::int64_t end, int) {
    std::fill(work.sums + (begin * result.channels), work.sums + (end * result.channels), 0.0F);
  };
  const Epilogue epilogue{work.sums, weights.bias.host_span<float>(), request.residual, request.relu};
  threads.for_blocks(result.rows, 4096, clear, job.stop_token());
  if (by_layout) {
    // If this part is the only part of the map, apply the epilogue while the sums of a block are still in the
    // cache.
    add_parts(threads, map, work, request.transposed, job, [&](std::int64_t begin, std::int64_t end) {
      if (only_os) apply(epilogue, begin, end, result);
    });
  } else {
    gather_gemm_scatter(threads, map, request.transposed,
                        {&in, work.weight, result.channels, work.sums, work.kernels}, job);
  }
  if (!only_os) {
    const auto stage = job.stage("epilogue");
    threads.for_blocks(
        result.rows, 4096,
        [&](std::int64_t begin, std::int64_t end, int) { apply(epilogue, begin, end, result); },
        job.stop_token());
  }
  job.checkpoint({"features", 0, 0});
  return result;
}

Features pool(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory, const KernelMap& map,
              const Features& in, PoolReduction reduction, Job& job) {
  require_sound(map, in);
  const auto stage = job.stage("pool");
  Features result{map.outputs, in.channels, in.precision, {}};
  const auto channels = static_cast<std::size_t>(in.channels);
  result.data = Buffer(memory, static_cast<std::size_t>(map.outputs) * channels * bytes_of(in.precision));
  /// Scratch memory of a worker: the results and the numbers of inputs of one block of outputs.
  struct Scratch {
    ColumnLists lists;
    std::vector<float> values, row;
    std::vector<int> inputs;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  const auto run_block = [&](std::int64_t begin, std::int64_t end, int worker) {
    Scratch& mine = scratch[static_cast<std::size_t>(worker)];
    mine.values.assign(static_cast<std::size_t>(end - begin) * channels, 0.0F);
    mine.inputs.assign(static_cast<std::size_t>(end - begin), 0);
    mine.row.resize(channels);
    const auto combine = [&](int, const std::int32_t* outputs, const std::int32_t* inputs,
                             std::int64_t count) {
      for (std::int64_t pair = 0; pair < count; ++pair) {
        const auto at = static_cast<std::size_t>(outputs[pair] - begin);
        read_row(in, inputs[pair], mine.row.data());
        float* const to = mine.values.data() + (at * channels);
        const bool first = mine.inputs[at]++ == 0;
        for (std::size_t c = 0; c < channels; ++c) {
          const float value = mine.row[c];
          to[c] = first ? value : reduction != PoolReduction::max ? to[c] + value : std::max(to[c], value);
        }
      }
    };
    for (const KernelMap::Part& part : map.parts)
      for_each_column(map, part, begin, end, mine.lists, combine);
    for (std::int64_t row = begin; row < end; ++row) {
      const auto at = static_cast<std::size_t>(row - begin);
      const float divisor =
          reduction == PoolReduction::mean            ? static_cast<float>(std::max(1, mine.inputs[at]))
          : reduction == PoolReduction::mean_of_cells ? static_cast<float>(map.offsets->columns())
                                                      : 1.0F;
      const float* const from = mine.values.data() + (at * channels);
      std::transform(from, from + channels, mine.row.begin(), [&](float value) { return value / divisor; });
      write_row(mine.row, row, result);
    }
  };
  threads.for_blocks(map.outputs, outputs_per_sum_block(in.channels), run_block, job.stop_token());
  job.checkpoint({"pool", 0, 0});
  return result;
}

UploadedWeights upload(const std::shared_ptr<MemoryPool>& pool, const LayerWeights& weights,
                       Precision precision) {
  UploadedWeights uploaded;
  uploaded.columns = weights.columns;
  uploaded.in_channels = weights.in_channels;
  uploaded.out_channels = weights.out_channels;
  uploaded.precision = precision;
  uploaded.weight = Buffer(pool, weights.weight.size() * bytes_of(precision));
  if (precision == Precision::fp32) {
    std::copy(weights.weight.begin(), weights.weight.end(), uploaded.weight.host_span<float>().begin());
  } else {
    std::transform(weights.weight.begin(), weights.weight.end(), uploaded.weight.host_span<Fp16>().begin(),
                   float_to_fp16);
  }
  const auto copy_of = [&](const std::vector<float>& values) {
    Buffer buffer(pool, values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), buffer.host_span<float>().begin());
    return buffer;
  };
  uploaded.bias = copy_of(weights.bias);
  uploaded.scale = copy_of(weights.scale);
  uploaded.shift = copy_of(weights.shift);
  return uploaded;
}

}  // namespace spira::cpu

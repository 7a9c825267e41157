#include "engine/backend/point_links.hpp"
#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/conv/rows.cuh"
#include "kernels/cuda/voxels/keys.cuh"

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace spira::cuda {
namespace {

__device__ float read(const float* from) {
  return *from;
}
__device__ float read(const __half* from) {
  return __half2float(*from);
}
__device__ void write(float value, float* to) {
  *to = value;
}
__device__ void write(float value, __half* to) {
  *to = __float2half_rn(value);
}

template <class Value> __device__ float value_at(const RowsInMemory& rows, std::int64_t row, int channel) {
  return read(static_cast<const Value*>(rows.data) + (row * rows.stride) + channel);
}

__device__ float activated(const StepOnDevice& step, float x) {
  switch (step.activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0.0F ? 0.0F : x;  // The comparison is false for NaN, so NaN stays NaN.
    case Activation::leaky_relu:
      return x < 0.0F ? x * step.slope : x;
    case Activation::sigmoid:
      return 1.0F / (1.0F + expf(-x));
    case Activation::tanh:
      return tanhf(x);
    case Activation::silu:
      return x / (1.0F + expf(-x));
    case Activation::elu:
      return x < 0.0F ? expm1f(x) : x;
    case Activation::gelu:
      return 0.5F * x * (1.0F + erff(x * 0.70710678F));
  }
  return x;
}

template <class Value> __device__ float combined(const RowsOnDevice& work, std::int64_t row, int channel) {
  if (work.op == LayerOp::add || work.op == LayerOp::multiply) {
    float value = value_at<Value>(work.in[0], row, channel);
    for (int at = 1; at < work.inputs; ++at) {
      const float other = value_at<Value>(work.in[at], row, channel);
      value = work.op == LayerOp::add ? value + other : value * other;
    }
    return value;
  }
  if (work.op == LayerOp::group_sum) {
    const int group = work.in[0].channels / work.out_channels;
    float sum = 0;
    for (int at = 0; at < group; ++at)
      sum += value_at<Value>(work.in[0], row, (channel * group) + at);
    return sum;
  }
  int input = 0;
  while (channel >= work.in[input].channels)
    channel -= work.in[input++].channels;
  return value_at<Value>(work.in[input], row, channel);
}

/// Applies the steps of an operation to a value, and stores it.
template <class Value>
__device__ void finish(const RowsOnDevice& work, std::int64_t row, int channel, float value) {
  for (int number = 0; number < work.steps; ++number) {
    const StepOnDevice& step = work.step[number];
    if (step.step == LayerStep::norm) {
      value = (value * step.scale[channel]) + step.shift[channel];
    } else if (step.step == LayerStep::add) {
      value += value_at<Value>(step.residual, row, channel);
    } else {
      value = activated(step, value);
    }
  }
  write(value, static_cast<Value*>(work.out) + (row * work.out_stride) + channel);
}

__device__ float normalized(float value, double mean, double factor) {
  return static_cast<float>((static_cast<double>(value) - mean) * factor);
}

__device__ double sum_of_warp(double value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
}

/// Computes a layer norm. Each warp computes one row.
template <class Value>
__global__ void __launch_bounds__(threads_per_block)
    layer_norm_kernel(RowCount rows, const __grid_constant__ RowsOnDevice work) {
  const std::int64_t row =
      ((static_cast<std::int64_t>(blockIdx.x) * threads_per_block) + threadIdx.x) / warpSize;
  if (row >= rows.get()) return;
  const int lane = static_cast<int>(threadIdx.x) % warpSize, channels = work.out_channels;
  double sum = 0, squares = 0;
  for (int channel = lane; channel < channels; channel += warpSize)
    sum += static_cast<double>(value_at<Value>(work.in[0], row, channel));
  const double mean = sum_of_warp(sum) / channels;
  for (int channel = lane; channel < channels; channel += warpSize) {
    const double distance = static_cast<double>(value_at<Value>(work.in[0], row, channel)) - mean;
    squares += distance * distance;
  }
  const double factor = 1.0 / sqrt((sum_of_warp(squares) / channels) + static_cast<double>(work.epsilon));
  for (int channel = lane; channel < channels; channel += warpSize)
    finish<Value>(work, row, channel, normalized(value_at<Value>(work.in[0], row, channel), mean, factor));
}

// The statistics of an instance norm: the mean and the factor of each channel, followed by one partial sum
// per thread block and channel. The number of thread blocks is fixed, so that the order of the sums is the
// same in every run.
constexpr int blocks_of_sums = 256, channels_of_block = 32, lanes_of_channel = 8;

/// Adds the values of a channel, or the squares of their distances to `mean` if it is not `nullptr`. Each
/// thread block adds its share of the rows, for 32 channels.
template <class Value>
__global__ void __launch_bounds__(threads_per_block)
    channel_sums_kernel(RowCount rows, RowsInMemory in, const double* mean, double* partial) {
  __shared__ double sums[lanes_of_channel][channels_of_block];
  const int lane = static_cast<int>(threadIdx.x) / channels_of_block,
            column = static_cast<int>(threadIdx.x) % channels_of_block,
            channel = (static_cast<int>(blockIdx.y) * channels_of_block) + column;
  double sum = 0;
  if (channel < in.channels) {
    const double from = mean == nullptr ? 0.0 : mean[channel];
    const std::int64_t count = rows.get();
    for (std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * lanes_of_channel) + lane; row < count;
         row += static_cast<std::int64_t>(blocks_of_sums) * lanes_of_channel) {
      const double value = static_cast<double>(value_at<Value>(in, row, channel)) - from;
      sum += mean == nullptr ? value : value * value;
    }
  }
  sums[lane][column] = sum;
  __syncthreads();
  if (lane != 0 || channel >= in.channels) return;
  for (int other = 1; other < lanes_of_channel; ++other)
    sum += sums[other][column];
  partial[(static_cast<std::int64_t>(blockIdx.x) * in.channels) + channel] = sum;
}

template <class Value>
void channel_statistics(const Device& device, RowCount rows, const RowsOnDevice& work) {
  const int channels = work.out_channels;
  double* const mean = work.statistics;
  double* const factor = mean + channels;
  double* const partial = factor + channels;
  const dim3 grid(blocks_of_sums, blocks_for(channels, channels_of_block));
  const auto epsilon = static_cast<double>(work.epsilon);
  for (const bool second : {false, true}) {
    channel_sums_kernel<Value>
        <<<grid, threads_per_block, 0, device.stream>>>(rows, work.in[0], second ? mean : nullptr, partial);
    SPIRA_CUDA(cudaGetLastError());
    for_each(device, channels, [=] __device__(std::int64_t channel) {
      double sum = 0;
      for (int block = 0; block < blocks_of_sums; ++block)
        sum += partial[(static_cast<std::int64_t>(block) * channels) + channel];
      const double average = sum / static_cast<double>(rows.get());
      if (second) {
        factor[channel] = 1.0 / sqrt(average + epsilon);
      } else {
        mean[channel] = average;
      }
    });
  }
}

template <class Value> void run(const Device& device, RowCount rows, const RowsOnDevice& work) {
  if (rows.max == 0) return;
  const int channels = work.out_channels;
  if (work.op == LayerOp::layer_norm) {
    constexpr int rows_per_block = threads_per_block / 32;
    layer_norm_kernel<Value>
        <<<blocks_for(rows.max, rows_per_block), threads_per_block, 0, device.stream>>>(rows, work);
    SPIRA_CUDA(cudaGetLastError());
    return;
  }
  const bool instance_norm = work.op == LayerOp::instance_norm;
  if (instance_norm) channel_statistics<Value>(device, rows, work);
  for_each(device, rows.max * channels, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / channels;
    if (row >= rows.get()) return;
    const int channel = static_cast<int>(at - (row * channels));
    float value = combined<Value>(work, row, channel);
    if (instance_norm)
      value = normalized(value, work.statistics[channel], work.statistics[channels + channel]);
    finish<Value>(work, row, channel, value);
  });
}

/// The inputs of a sum of several levels. It is passed as a kernel argument.
template <class Key> struct SetsOnDevice {
  int inputs = 0, channels = 0, dropped_bits = 0;
  RowsInMemory in[RowsOnDevice::max_inputs];
  const Key* keys[RowsOnDevice::max_inputs];
  std::int64_t rows[RowsOnDevice::max_inputs];
};

template <class Value, class Key>
void add_rows(const Device& device, const SetSumRequest& request, Features& result) {
  SetsOnDevice<Key> sets{};
  sets.channels = result.channels;
  // Voxels with equal x and y are neighbours, because z is in the low bits.
  sets.dropped_bits = request.flat ? request.out->pack.z_bits : 0;
  for (std::size_t at = 0; at < request.inputs.size(); ++at) {
    sets.in[sets.inputs] = {request.inputs[at]->data.data(), result.channels, result.channels};
    sets.keys[sets.inputs] = values<Key>(request.levels[at]->keys);
    sets.rows[sets.inputs++] = request.inputs[at]->rows;
  }
  const Key* wanted = values<Key>(request.out->keys);
  auto* out = values<Value>(result.data);
  for_each(device, result.rows * result.channels, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / sets.channels;
    const int channel = static_cast<int>(at - (row * sets.channels));
    const Key place = wanted[row] >> sets.dropped_bits;
    const auto low = static_cast<std::int64_t>(static_cast<Key>(place << sets.dropped_bits));
    float sum = 0;
    for (int input = 0; input < sets.inputs; ++input) {
      const Key* keys = sets.keys[input];
      for (std::int64_t from = lower_bound(keys, 0, sets.rows[input], low);
           from < sets.rows[input] && keys[from] >> sets.dropped_bits == place; ++from)
        sum += value_at<Value>(sets.in[input], from, channel);
    }
    write(sum, out + at);
  });
}

template <class Value>
void pool_rows(const Device& device, const MapSource& source, const PoolOnDevice& work) {
  const int channels = work.in.channels;
  for_each(device, source.outputs.max * channels, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / channels;
    if (row >= source.outputs.get()) return;
    const int channel = static_cast<int>(at - (row * channels));
    float result = 0;
    int inputs = 0;
    for (int group = 0; group < source.groups; ++group) {
      for (std::uint32_t left = source.present(row, group); left != 0; left &= left - 1) {
        const std::int32_t input = source.input(row, group, __ffs(static_cast<int>(left)) - 1);
        const float value = value_at<Value>(work.in, input, channel);
        result = inputs++ == 0                          ? value
                 : work.reduction != PoolReduction::max ? result + value
                                                        : (value > result ? value : result);
      }
    }
    if (work.reduction == PoolReduction::mean && inputs > 0) result /= static_cast<float>(inputs);
    if (work.reduction == PoolReduction::mean_of_cells) result /= static_cast<float>(work.cells);
    write(result, static_cast<Value*>(work.out) + (row * work.out_stride) + channel);
  });
}

template <class Word> void copy_words(const Device& device, const ColumnCopy& copy) {
  const auto* const from = static_cast<const Word*>(copy.from);
  auto* const to = static_cast<Word*>(copy.to);
  const auto words = static_cast<std::int64_t>(copy.bytes / sizeof(Word)),
             from_step = static_cast<std::int64_t>(copy.from_step / sizeof(Word)),
             to_step = static_cast<std::int64_t>(copy.to_step / sizeof(Word));
  for_each(device, copy.rows * words, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / words, word = at - (row * words);
    to[(row * to_step) + word] = from[(row * from_step) + word];
  });
}

/// Concatenates the channels of all inputs.
void concat(const Device& device, const std::vector<const Features*>& inputs, Features& result) {
  const std::size_t value = bytes_of(result.precision),
                    step = static_cast<std::size_t>(result.channels) * value;
  std::size_t first = 0;
  for (const Features* input : inputs) {
    const std::size_t bytes = static_cast<std::size_t>(input->channels) * value;
    copy_columns(device, {result.rows, bytes, input->data.data(), bytes,
                          static_cast<std::byte*>(result.data.data()) + first, step});
    first += bytes;
  }
}

}  // namespace

void copy_columns(const Device& device, const ColumnCopy& copy) {
  const std::size_t all = copy.bytes | copy.from_step | copy.to_step |
                          reinterpret_cast<std::uintptr_t>(copy.from) |
                          reinterpret_cast<std::uintptr_t>(copy.to);
  if (all % sizeof(uint4) == 0) {
    copy_words<uint4>(device, copy);
  } else {
    all % sizeof(std::uint32_t) == 0 ? copy_words<std::uint32_t>(device, copy)
                                     : copy_words<std::uint16_t>(device, copy);
  }
}

void RowsOnDevice::add(const RowStep& from, RowsInMemory residual) {
  SPIRA_ASSERT(steps < max_steps, "an operation has at most three steps");
  StepOnDevice& to = step[steps++];
  to.step = from.step;
  to.activation = from.activation;
  to.slope = from.slope;
  to.residual = residual;
  if (from.scale == nullptr) return;
  to.scale = values<float>(from.scale->scale);
  to.shift = values<float>(from.scale->shift);
}

std::size_t channel_statistics_bytes(int channels) noexcept {
  return static_cast<std::size_t>(blocks_of_sums + 2) * static_cast<std::size_t>(channels) * sizeof(double);
}

void run_pool(const Device& device, const MapSource& source, Precision precision, const PoolOnDevice& work) {
  precision == Precision::fp16 ? pool_rows<__half>(device, source, work)
                               : pool_rows<float>(device, source, work);
}

Features add_sets(const Device& device, const SetSumRequest& request, Job& job) {
  require_sound(request);
  SPIRA_ASSERT(request.inputs.size() <= RowsOnDevice::max_inputs, "too many inputs");
  job.checkpoint({"joining levels", 0, 1});
  const auto stage = job.stage("join");
  const Features& first = *request.inputs.front();
  Features result{request.out->size.value(), first.channels, first.precision, {}};
  result.data =
      Buffer(device.pool, static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels) *
                              bytes_of(result.precision));
  visit_key(request.out->pack, [&]<class Key>(Key) {
    result.precision == Precision::fp16 ? add_rows<__half, Key>(device, request, result)
                                        : add_rows<float, Key>(device, request, result);
  });
  return result;
}

namespace {

/// The rows that each result reads, as host arrays. Result r is the sum of weights[i] * in[rows[i]] for i
/// from starts[r] to starts[r + 1] - 1, divided by divisors[r].
struct RowLinks {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> rows;
  std::vector<float> weights, divisors;
};

RowLinks links_on_host(const PointRequest& request, const CoordSet& level, Job& job) {
  const PointLocator locator(level, *request.points, request.shift);
  RowLinks links;
  const std::int64_t points = request.points->size();
  constexpr std::int64_t points_between_checks = 1 << 14;
  const auto check = [&](std::int64_t point) {
    if (point % points_between_checks == 0) job.checkpoint({"moving points", point, points});
  };
  if (request.mode == PointMode::mean) {
    std::vector<std::int64_t> row_of_point;
    for (std::int64_t point = 0; point < points; ++point) {
      check(point);
      row_of_point.push_back(locator.row_of(point));
    }
    PointsOfVoxels groups = points_of_voxels(row_of_point, *level.size);
    for (std::size_t voxel = 0; voxel + 1 < groups.starts.size(); ++voxel)
      links.divisors.push_back(
          static_cast<float>(std::max<std::int64_t>(1, groups.starts[voxel + 1] - groups.starts[voxel])));
    links.weights.assign(groups.points.size(), 1.0F);
    links.starts = std::move(groups.starts);
    links.rows = std::move(groups.points);
    return links;
  }
  links.divisors.assign(static_cast<std::size_t>(points), 1.0F);
  for (std::int64_t point = 0; point < points; ++point) {
    check(point);
    std::array<PointLink, 8> own{};
    const int count = locator.links_of(point, request.mode, own);
    for (int at = 0; at < count; ++at) {
      links.rows.push_back(own[at].row);
      links.weights.push_back(own[at].weight);
    }
    links.starts.push_back(static_cast<std::int64_t>(links.rows.size()));
  }
  return links;
}

template <class Value>
void sum_links(const Device& device, const Features& in, const Buffer& starts, const Buffer& rows,
               const Buffer& weights, const Buffer& divisors, Features& result) {
  const auto* first = values<std::int64_t>(starts);
  const auto* row_of = values<std::int32_t>(rows);
  const auto* weight_of = values<float>(weights);
  const auto* divisor_of = values<float>(divisors);
  const RowsInMemory from{in.data.data(), in.channels, in.channels};
  auto* out = values<Value>(result.data);
  const int channels = result.channels;
  for_each(device, result.rows * channels, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / channels;
    const int channel = static_cast<int>(at - (row * channels));
    float sum = 0;
    for (std::int64_t link = first[row]; link < first[row + 1]; ++link)
      sum += weight_of[link] * value_at<Value>(from, row_of[link], channel);
    write(sum / divisor_of[row], out + at);
  });
}

}  // namespace

Features move_points(const Device& device, const PointRequest& request, const CoordSet& level_on_host,
                     Job& job) {
  require_sound(request);
  const auto stage = job.stage("points");
  const RowLinks links = links_on_host(request, level_on_host, job);
  const Buffer starts = device_copy<std::int64_t>(device, links.starts),
               rows = device_copy<std::int32_t>(device, links.rows),
               weights = device_copy<float>(device, links.weights),
               divisors = device_copy<float>(device, links.divisors);
  Features result{
      static_cast<std::int64_t>(links.starts.size()) - 1, request.in->channels, request.in->precision, {}};
  result.data =
      Buffer(device.pool, static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels) *
                              bytes_of(result.precision));
  result.precision == Precision::fp16
      ? sum_links<__half>(device, *request.in, starts, rows, weights, divisors, result)
      : sum_links<float>(device, *request.in, starts, rows, weights, divisors, result);
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));  // The copies read host memory until then.
  return result;
}

Features pool(const Device& device, const KernelMap& map, const Features& in, PoolReduction reduction,
              Job& job) {
  require_sound(map, in);
  job.checkpoint({"pool", 0, 1});
  const auto stage = job.stage("pool");
  Features result{map.outputs, in.channels, in.precision, {}};
  result.data =
      Buffer(device.pool, static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels) *
                              bytes_of(result.precision));
  std::vector<const KernelMap::Part*> parts;
  for (const KernelMap::Part& part : map.parts) {
    if (!part.columns.empty()) parts.push_back(&part);
  }
  SPIRA_ASSERT(parts.size() == 1, "a pool reads a map with one part");
  Buffer slots;
  const MapSource source = source_of(device, map, *parts.front(), slots);
  run_pool(device, source, in.precision,
           {{in.data.data(), in.channels, in.channels},
            result.data.data(),
            result.channels,
            reduction,
            map.offsets->columns()});
  return result;
}

void run_rows(const Device& device, RowCount rows, Precision precision, const RowsOnDevice& work) {
  precision == Precision::fp16 ? run<__half>(device, rows, work) : run<float>(device, rows, work);
}

Features compute_rows(const Device& device, const RowRequest& request, Job& job) {
  require_sound(request);
  SPIRA_ASSERT(request.inputs.size() <= RowsOnDevice::max_inputs, "too many inputs");
  job.checkpoint({"operations on rows", 0, 1});
  const auto stage = job.stage("rows");
  Features result;
  result.rows = request.inputs.front()->rows;
  result.precision = request.inputs.front()->precision;
  result.channels = request.out_channels;
  result.data =
      Buffer(device.pool, static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels) *
                              bytes_of(result.precision));
  if (request.op == LayerOp::concat && request.steps.empty()) {
    concat(device, request.inputs, result);
    return result;
  }
  RowsOnDevice work;
  work.op = request.op;
  work.out = result.data.data();
  work.out_channels = work.out_stride = request.out_channels;
  work.epsilon = request.epsilon;
  Buffer statistics(
      device.pool, request.op == LayerOp::instance_norm ? channel_statistics_bytes(request.out_channels) : 0);
  work.statistics = values<double>(statistics);
  for (const Features* input : request.inputs)
    work.in[work.inputs++] = {input->data.data(), input->channels, input->channels};
  for (const RowStep& step : request.steps) {
    const void* residual = step.residual == nullptr ? nullptr : step.residual->data.data();
    work.add(step, {residual, request.out_channels, request.out_channels});
  }
  run_rows(device, {result.rows, nullptr}, result.precision, work);
  return result;
}

}  // namespace spira::cuda

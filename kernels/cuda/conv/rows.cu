#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/conv/rows.cuh"

#include <cuda_fp16.h>

#include <algorithm>

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

template <class Value> void run(const Device& device, RowCount rows, const RowsOnDevice& work) {
  const int channels = work.out_channels;
  for_each(device, rows.max * channels, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / channels;
    if (row >= rows.get()) return;
    const int channel = static_cast<int>(at - (row * channels));
    float value = combined<Value>(work, row, channel);
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
  });
}

/// Copies rows of `words` words each. The destination rows start every `to_step` words.
template <class Word>
void copy_columns(const Device& device, const Features& part, int words, Word* to, int to_step) {
  const Word* from = values<Word>(part.data);
  for_each(device, part.rows * words, [=] __device__(std::int64_t at) {
    const std::int64_t row = at / words;
    to[(row * to_step) + (at - (row * words))] = from[at];
  });
}

/// Concatenates the channels of all inputs in words of 16 bytes, if the channels allow it.
void concat(const Device& device, const std::vector<const Features*>& inputs, Features& result) {
  const std::size_t value = bytes_of(result.precision);
  const bool whole_words = std::all_of(inputs.begin(), inputs.end(), [&](const Features* input) {
    return static_cast<std::size_t>(input->channels) * value % sizeof(uint4) == 0;
  });
  int first_channel = 0;
  for (const Features* input : inputs) {
    const auto copy = [&]<class Word>(Word) {
      const auto words_of = [&](int channels) {
        return static_cast<int>(static_cast<std::size_t>(channels) * value / sizeof(Word));
      };
      copy_columns<Word>(device, *input, words_of(input->channels),
                         values<Word>(result.data) + words_of(first_channel), words_of(result.channels));
    };
    whole_words ? copy(uint4{}) : copy(std::uint16_t{});
    first_channel += input->channels;
  }
}

}  // namespace

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

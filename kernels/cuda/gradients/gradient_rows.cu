// Divides, adds and converts gradients and weights (stages "split", "gate" and "repack").
#include "engine/network/weights.hpp"
#include "kernels/cuda/conv/rows.cuh"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/gradients/gradients.hpp"

#include <cuda_fp16.h>

namespace spira::cuda {
namespace {

/// The features whose sum a kernel computes.
struct Addends {
  SmallTable<const void*> of;
  int count;
};

Features empty_features(const Device& device, const Features& like, int channels) {
  const auto values = static_cast<std::size_t>(like.rows) * static_cast<std::size_t>(channels);
  return {like.rows, channels, like.precision, Buffer(device.pool, values * bytes_of(like.precision))};
}

/// Consecutive values, which are read together.
template <class Value, int number> struct alignas(number * sizeof(Value)) Piece {
  static constexpr int count = number;
  Value of[number];
};

/// Adds the piece `at` of all addends. The sum is 0 where `gate` is not above 0.
template <class Piece, class Value>
__device__ void add_piece(const Addends& addends, const Value* gate, std::int64_t at, Value* to) {
  float sums[Piece::count] = {};
  for (int number = 0; number < addends.count; ++number) {
    const Piece values = static_cast<const Piece*>(addends.of.of[number])[at];
#pragma unroll
    for (int value = 0; value < Piece::count; ++value)
      sums[value] += static_cast<float>(values.of[value]);
  }
  Piece open{}, result;
  if (gate != nullptr) open = reinterpret_cast<const Piece*>(gate)[at];
#pragma unroll
  for (int value = 0; value < Piece::count; ++value) {
    const bool is_open = gate == nullptr || static_cast<float>(open.of[value]) > 0;
    result.of[value] = static_cast<Value>(is_open ? sums[value] : 0.0F);
  }
  reinterpret_cast<Piece*>(to)[at] = result;
}

/// Each thread adds 16 bytes of each addend, or one value if it is one of the last.
template <class Value>
__global__ void __launch_bounds__(threads_per_block)
    add_kernel(const __grid_constant__ Addends addends, const Value* gate, std::int64_t count, Value* to) {
  constexpr int each = 16 / sizeof(Value);
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * threads_per_block) + threadIdx.x;
  const std::int64_t pieces = count / each;
  if (at < pieces)
    add_piece<Piece<Value, each>>(addends, gate, at, to);
  else if (const std::int64_t last = (pieces * each) + at - pieces; last < count)
    add_piece<Piece<Value, 1>>(addends, gate, last, to);
}

template <class Value>
void add(const Device& device, const Addends& addends, const Features* gate, Features& sum) {
  constexpr std::int64_t each = 16 / sizeof(Value);
  const std::int64_t count = sum.rows * sum.channels, threads = (count / each) + (count % each);
  if (count == 0) return;
  add_kernel<Value><<<blocks_for(threads), threads_per_block, 0, device.stream>>>(
      addends, gate == nullptr ? nullptr : values<Value>(gate->data), count, values<Value>(sum.data));
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::vector<Features> CudaGradients::split(const Features& features, const std::vector<int>& channels,
                                           Job& job) {
  require_sound(features, channels);
  const auto stage = job.stage("split");
  const std::size_t value = bytes_of(features.precision),
                    stride = static_cast<std::size_t>(features.channels) * value;
  std::vector<Features> parts;
  std::size_t first = 0;
  for (const int count : channels) {
    Features& part = parts.emplace_back(empty_features(device_, features, count));
    const std::size_t bytes = static_cast<std::size_t>(count) * value;
    copy_columns(device_, {features.rows, bytes, static_cast<const std::byte*>(features.data.data()) + first,
                           stride, part.data.data(), bytes});
    first += bytes;
  }
  return parts;
}

Features CudaGradients::accumulate(const std::vector<const Features*>& parts, const Features* gate,
                                   Job& job) {
  require_sound(parts, gate);
  const auto stage = job.stage("gate");
  Addends addends{};
  SPIRA_ASSERT(parts.size() <= SmallTable<const void*>::size, "more gradients than a kernel adds");
  for (const Features* part : parts)
    addends.of.of[addends.count++] = part->data.data();
  Features sum = empty_features(device_, *parts.front(), parts.front()->channels);
  sum.precision == Precision::fp16 ? add<__half>(device_, addends, gate, sum)
                                   : add<float>(device_, addends, gate, sum);
  return sum;
}

UploadedWeights CudaGradients::repack(const MasterWeights& weights, WeightForm form, Precision precision,
                                      Job& job) {
  job.checkpoint({"converting weights", 0, 1});
  const bool exchanged = form != WeightForm::forward;
  UploadedWeights packed;
  packed.columns = weights.columns;
  packed.in_channels = exchanged ? weights.out_channels : weights.in_channels;
  packed.out_channels = exchanged ? weights.in_channels : weights.out_channels;
  packed.precision = precision;
  packed.bias = Buffer(device_.pool, static_cast<std::size_t>(packed.out_channels) * sizeof(float));
  if (exchanged) {
    SPIRA_CUDA(cudaMemsetAsync(packed.bias.data(), 0, packed.bias.bytes(), device_.stream));
  } else {
    SPIRA_CUDA(cudaMemcpyAsync(packed.bias.data(), weights.bias.data(), packed.bias.bytes(),
                               cudaMemcpyDeviceToDevice, device_.stream));
  }
  const FragmentShape shape{packed.in_channels, packed.out_channels, packed.columns};
  if (precision == Precision::fp16) {
    packed.plain = std::make_shared<Buffer>();
    packed.weight = pack_weights(device_, shape, weights.weight, form);
  } else {
    packed.weight = in_form(device_, shape, weights.weight, form);
  }
  return packed;
}

std::size_t CudaGradients::packed_bytes(const MemoryShape& layer) const {
  if (layer.precision == Precision::fp32) return Gradients::packed_bytes(layer);
  return packed_weight_bytes(device_, {layer.in_channels, layer.out_channels, layer.kernel.columns()});
}

}  // namespace spira::cuda

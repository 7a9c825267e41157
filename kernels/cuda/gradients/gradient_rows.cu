// Adds and converts gradients and weights (stages "gate" and "repack").
#include "engine/network/weights.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/gradients/gradients.hpp"

#include <cuda_fp16.h>

namespace spira::cuda {
namespace {

/// The slices whose sum a kernel computes.
struct Addends {
  static constexpr int max_count = 256;  // The arguments of a kernel have at most 4 KB.
  const void* of[max_count];             ///< The first value of each slice.
  int strides[max_count];                ///< Values from one row to the next.
  int count;
};

/// Consecutive values, which are read together.
template <class Value, int number> struct alignas(number * sizeof(Value)) Piece { Value of[number]; };

/// Each thread adds `each` adjacent channels of a row of all addends. The sum is 0 where `gate` is not above
/// 0.
template <class Value, int each>
__global__ void __launch_bounds__(threads_per_block)
    add_kernel(const __grid_constant__ Addends addends, const Value* gate, std::int64_t rows,
               std::int64_t pieces_of_row, Value* to) {
  using Pieces = Piece<Value, each>;
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * threads_per_block) + threadIdx.x;
  if (at >= rows * pieces_of_row) return;
  const std::int64_t row = rows == 1 ? 0 : at / pieces_of_row, piece = at - (row * pieces_of_row);
  float sums[each] = {};
  for (int number = 0; number < addends.count; ++number) {
    const auto* const from = static_cast<const Value*>(addends.of[number]) + (row * addends.strides[number]);
    const Pieces values = reinterpret_cast<const Pieces*>(from)[piece];
#pragma unroll
    for (int value = 0; value < each; ++value)
      sums[value] += static_cast<float>(values.of[value]);
  }
  Pieces open{}, result;
  if (gate != nullptr) open = reinterpret_cast<const Pieces*>(gate)[at];
#pragma unroll
  for (int value = 0; value < each; ++value) {
    const bool is_open = gate == nullptr || static_cast<float>(open.of[value]) > 0;
    result.of[value] = static_cast<Value>(is_open ? sums[value] : 0.0F);
  }
  reinterpret_cast<Pieces*>(to)[at] = result;
}

template <class Value, int each>
void add_pieces(const Device& device, const Addends& addends, const Features* gate, std::int64_t rows,
                std::int64_t row_values, Features& sum) {
  const std::int64_t pieces_of_row = row_values / each;
  add_kernel<Value, each><<<blocks_for(rows * pieces_of_row), threads_per_block, 0, device.stream>>>(
      addends, gate == nullptr ? nullptr : values<Value>(gate->data), rows, pieces_of_row,
      values<Value>(sum.data));
  SPIRA_CUDA(cudaGetLastError());
}

template <class Value>
void add(const Device& device, const std::vector<ChannelSlice>& parts, const Features* gate, Features& sum) {
  if (sum.rows == 0) return;
  Addends addends{};
  bool whole = true;
  int alignment = sum.channels;
  for (const ChannelSlice& part : parts) {
    addends.of[addends.count] = values<Value>(part.of->data) + part.first;
    addends.strides[addends.count++] = part.of->channels;
    whole = whole && part.channels == part.of->channels;
    alignment |= part.of->channels | part.first;
  }
  // Whole features are one long row.
  const std::int64_t rows = whole ? 1 : sum.rows, row_values = whole ? sum.rows * sum.channels : sum.channels;
  constexpr int each = 16 / sizeof(Value);
  (whole ? row_values : alignment) % each == 0
      ? add_pieces<Value, each>(device, addends, gate, rows, row_values, sum)
      : add_pieces<Value, 1>(device, addends, gate, rows, row_values, sum);
}

}  // namespace

Features CudaGradients::accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) {
  require_sound(parts, gate);
  const auto stage = job.stage("gate");
  SPIRA_ASSERT(std::ssize(parts) <= Addends::max_count, "more gradients than a kernel adds");
  const ChannelSlice& front = parts.front();
  const std::size_t count =
      static_cast<std::size_t>(front.of->rows) * static_cast<std::size_t>(front.channels);
  Features sum{front.of->rows, front.channels, front.of->precision,
               Buffer(device_.pool, count * bytes_of(front.of->precision))};
  sum.precision == Precision::fp16 ? add<__half>(device_, parts, gate, sum)
                                   : add<float>(device_, parts, gate, sum);
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

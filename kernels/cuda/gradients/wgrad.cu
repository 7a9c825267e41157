// Computes the gradients of the weights and of the bias of a layer (stage "wgrad"): finds the pair lists of
// the map, launches the kernel, and adds the partial sums in a fixed order (stage "reduce").
#include "kernels/cuda/gradients/chunks.cuh"
#include "kernels/cuda/gradients/gradients.hpp"

#include <cuda_fp16.h>

#include <algorithm>

namespace spira::cuda {
namespace {

constexpr int values_per_read = 8;  // The stride of gathered rows is a multiple of it.

/// Returns the rows of features with a stride that is a multiple of 8. If the features have another number of
/// channels, `padded` receives a copy with zeros at the end of each row.
RowsToGather rows_to_gather(const Device& device, const Features& features, Buffer& padded) {
  const int channels = features.channels;
  const int stride = (channels + values_per_read - 1) / values_per_read * values_per_read;
  if (stride == channels || features.rows == 0) return {features.data.data(), channels, channels};
  const std::size_t value = bytes_of(features.precision), bytes = static_cast<std::size_t>(channels) * value,
                    step = static_cast<std::size_t>(stride) * value;
  padded = Buffer(device.pool, static_cast<std::size_t>(features.rows) * step);
  SPIRA_CUDA(cudaMemsetAsync(padded.data(), 0, padded.bytes(), device.stream));
  SPIRA_CUDA(cudaMemcpy2DAsync(padded.data(), step, features.data.data(), bytes, bytes,
                               static_cast<std::size_t>(features.rows), cudaMemcpyDeviceToDevice,
                               device.stream));
  return {padded.data(), channels, stride};
}

/// How the pair lists of the stored columns are divided into chunks.
struct ChunkPlan {
  const std::int32_t* counts;  ///< Pairs per stored column.
  int stored, slots;
  /// The slot of the column that is its own partner, or -1. It has no chunks in its second slot.
  int centre;
  int chunk_pairs;
  bool transposed;  ///< True if the rows of x are the outputs of the map.
  /// The first chunk of each slot, and the number of all chunks. Shape: [slots + 1].
  std::int32_t* first_chunk;
  PairChunk* chunks;
};

/// Writes the chunks of one slot. Must be called by all threads of the thread block.
__device__ void fill_chunks(const ChunkPlan& plan, int slot) {
  __shared__ std::int64_t pairs_before;
  __shared__ int chunks_before;
  const auto thread = static_cast<int>(threadIdx.x);
  const int stored = plan.stored;
  const auto chunks_of = [&](int of) {
    return of >= stored && of - stored == plan.centre
               ? 0
               : (__ldg(plan.counts + (of % stored)) + plan.chunk_pairs - 1) / plan.chunk_pairs;
  };
  if (thread < 32) {
    std::int64_t pairs = 0;
    int before = 0;
    for (int other = thread; other < slot; other += 32) {
      before += chunks_of(other);
      if (other < slot % stored) pairs += __ldg(plan.counts + other);
    }
    for (int step = 16; step > 0; step /= 2) {
      pairs += __shfl_xor_sync(0xFFFFFFFFU, pairs, step);
      before += __shfl_xor_sync(0xFFFFFFFFU, before, step);
    }
    if (thread == 0) {
      pairs_before = pairs;
      chunks_before = before;
      plan.first_chunk[slot] = before;
      if (slot == plan.slots - 1) plan.first_chunk[plan.slots] = before + chunks_of(slot);
    }
  }
  __syncthreads();
  const int own = chunks_of(slot), count = __ldg(plan.counts + (slot % stored));
  for (int at = thread; at < own; at += threads_per_block)
    plan.chunks[chunks_before + at] = {pairs_before + (static_cast<std::int64_t>(at) * plan.chunk_pairs),
                                       min(plan.chunk_pairs, count - (at * plan.chunk_pairs)),
                                       static_cast<std::uint16_t>(slot), at + 1 == own,
                                       (slot >= stored) != plan.transposed};
}

constexpr int rows_per_bias_block = 256;

/// The partial sums of the bias.
struct BiasParts {
  std::int64_t rows;
  int blocks;    ///< Number of thread blocks that add rows.
  float* parts;  ///< Shape: [blocks][C_out].
};

/// Adds one section of the rows of the gradient. Each thread adds a part of the channels, in a part of the
/// rows of the section. Must be called by all threads of the thread block.
template <class Value> __device__ void add_rows(const RowsToGather& rows, const BiasParts& bias, int block) {
  constexpr int each = 16 / sizeof(Value);
  __shared__ float shared[threads_per_block * each];
  const int groups_of_row = (rows.channels + each - 1) / each;
  const int groups = min(groups_of_row, threads_per_block), lanes = threads_per_block / groups;
  const int thread = static_cast<int>(threadIdx.x), lane = thread / groups;
  const std::int64_t begin = bias.rows * block / bias.blocks, end = bias.rows * (block + 1) / bias.blocks;
  for (int first = 0; first < groups_of_row; first += groups) {
    const int group = first + (thread % groups);
    float sums[each] = {};
    if (lane < lanes && group < groups_of_row) {
      const auto* const from =
          static_cast<const Value*>(rows.data) + ((begin + lane) * rows.stride) + (group * each);
      const std::int64_t step = std::int64_t{lanes} * rows.stride;
      const auto own_rows = static_cast<int>((end - begin - lane + lanes - 1) / lanes);
#pragma unroll 8
      for (int row = 0; row < own_rows; ++row) {
        const uint4 piece = __ldg(reinterpret_cast<const uint4*>(from + (row * step)));
        const auto* values = reinterpret_cast<const Value*>(&piece);
#pragma unroll
        for (int at = 0; at < each; ++at)
          sums[at] += static_cast<float>(values[at]);
      }
    }
#pragma unroll
    for (int at = 0; at < each; ++at)
      shared[(at * threads_per_block) + thread] = sums[at];
    __syncthreads();
    for (int channel = thread; channel < groups * each; channel += threads_per_block) {
      float sum = 0;
      for (int other = 0; other < lanes; ++other)
        sum += shared[(channel % each * threads_per_block) + (other * groups) + (channel / each)];
      if ((first * each) + channel < rows.channels)
        bias.parts[(static_cast<std::int64_t>(block) * rows.channels) + (first * each) + channel] = sum;
    }
    __syncthreads();
  }
}

/// The first thread blocks add the rows of the gradient, the others fill the list of chunks.
template <class Value>
__global__ void __launch_bounds__(threads_per_block)
    prepare_kernel(const __grid_constant__ ChunkPlan plan, const __grid_constant__ RowsToGather gradient,
                   const __grid_constant__ BiasParts bias) {
  if (const auto block = static_cast<int>(blockIdx.x); block < bias.blocks) {
    add_rows<Value>(gradient, bias, block);
  } else {
    fill_chunks(plan, block - bias.blocks);
  }
}

/// The columns of the map that the slots belong to: the stored columns, and then their partners. The second
/// slot of the column that is its own partner belongs to no column.
struct SlotColumns {
  static constexpr std::uint16_t none = 0xFFFF;
  SmallTable<std::uint16_t> of;
};

/// Adjacent values that one thread adds.
template <int count> struct alignas(4 * count) AddedValues { float of[count]; };

/// Returns how many threads share the partial sums of a value. More are better for fewer values.
__host__ __device__ constexpr int lanes_for(bool is_bias, int slots) {
  constexpr int few_slots = 8;
  return is_bias || slots <= few_slots ? 16 : 4;
}

/// Adds the sums of the `lanes` threads that add the same values. The first of these threads gets the result.
/// Must be called by all threads of the thread block.
template <int each> __device__ AddedValues<each> sum_of_lanes(const AddedValues<each>& own, int lanes) {
  __shared__ AddedValues<each> sums[threads_per_block];
  sums[threadIdx.x] = own;
  __syncthreads();
  const int step = threads_per_block / lanes;
  AddedValues<each> sum{};
  for (int lane = 0; lane < lanes; ++lane) {
    const AddedValues<each> more = sums[(lane * step) + (static_cast<int>(threadIdx.x) % step)];
#pragma unroll
    for (int at = 0; at < each; ++at)
      sum.of[at] += more.of[at];
  }
  return sum;
}

/// Where the gradients of a layer are written.
struct Gradient {
  float *weight, *bias;
  float factor;
};

/// Adds the partial sums of the slots and of the bias, in an order that does not depend on the run. The last
/// slot of the grid is the bias. Each thread adds `each` adjacent values.
template <int each>
__global__ void __launch_bounds__(threads_per_block)
    add_parts_kernel(const __grid_constant__ WgradWork work, const std::int32_t* first_chunk,
                     const __grid_constant__ SlotColumns columns, const __grid_constant__ BiasParts bias,
                     Gradient to) {
  const auto slot = static_cast<int>(blockIdx.y);
  const bool is_bias = slot == work.slots;
  const int lanes = lanes_for(is_bias, work.slots), threads = threads_per_block / lanes,
            lane = static_cast<int>(threadIdx.x) / threads;
  const std::int64_t matrix = std::int64_t{work.in.channels} * work.gradient.channels,
                     values = is_bias ? work.gradient.channels : matrix,
                     first_value = static_cast<std::int64_t>(blockIdx.x) * threads * each,
                     at = first_value + (static_cast<int>(threadIdx.x) % threads * each);
  const std::uint16_t column = is_bias ? std::uint16_t{0} : columns.of.of[slot];
  if (column == SlotColumns::none || first_value >= values) return;
  const float* parts = bias.parts;
  int count = bias.blocks;
  if (!is_bias) {
    const int chunk = __ldg(first_chunk + slot), end = __ldg(first_chunk + slot + 1);
    const Sections sections(work.blocks, __ldg(work.count));
    const int first = end > chunk ? sections.block_of(chunk) : 0;
    count = end > chunk ? sections.block_of(end - 1) - first + 1 : 0;
    parts = work.parts + ((first + slot) * values);
  }
  using Values = AddedValues<each>;
  Values sum{};
  if (at < values) {
    const float* const own = parts + (lane * values) + at;
    const std::int64_t step = lanes * values;
    const int own_count = (count - lane + lanes - 1) / lanes;
#pragma unroll 8
    for (int part = 0; part < own_count; ++part) {
      const Values more = *reinterpret_cast<const Values*>(own + (part * step));
#pragma unroll
      for (int value = 0; value < each; ++value)
        sum.of[value] += more.of[value];
    }
  }
  sum = sum_of_lanes(sum, lanes);
  if (lane != 0 || at >= values) return;
#pragma unroll
  for (int value = 0; value < each; ++value)
    sum.of[value] *= to.factor;
  *reinterpret_cast<Values*>((is_bias ? to.bias : to.weight + (column * values)) + at) = sum;
}

template <int each>
void add_parts(const Device& device, const WgradWork& work, const std::int32_t* first_chunk,
               const SlotColumns& columns, const BiasParts& bias, const Gradient& to) {
  const std::int64_t matrix = std::int64_t{work.in.channels} * work.gradient.channels,
                     of_slot = matrix * lanes_for(false, work.slots),
                     of_bias = std::int64_t{work.gradient.channels} * lanes_for(true, work.slots);
  const dim3 grid(blocks_for((std::max(of_slot, of_bias) + each - 1) / each),
                  static_cast<unsigned>(work.slots + (bias.blocks > 0 ? 1 : 0)));
  add_parts_kernel<each><<<grid, threads_per_block, 0, device.stream>>>(work, first_chunk, columns, bias, to);
  SPIRA_CUDA(cudaGetLastError());
}

int bias_blocks(const Device& device, std::int64_t rows) {
  return static_cast<int>(
      std::clamp<std::int64_t>(rows / rows_per_bias_block, 1, std::int64_t{4} * device.sm_count));
}

WgradShape shape_for(const Device& device, Precision precision, int in_channels, int out_channels) {
  return precision == Precision::fp16 ? wgrad_shape_fp16(device, in_channels, out_channels)
                                      : wgrad_shape_fp32(device, in_channels, out_channels);
}

/// Computes the weight gradients of the columns in `list`. Also computes the bias gradient if `bias.blocks`
/// is positive.
void add_list(const Device& device, const KernelMap& map, const WgradList& list, const Features& gradient,
              const WgradRequest& request, WgradWork work, BiasParts bias, const Gradient& to, Job& job) {
  const KernelMap::Part& lists = *list.lists;
  const bool fp16 = gradient.precision == Precision::fp16;
  const WgradShape shape = shape_for(device, gradient.precision, work.in.channels, work.gradient.channels);
  ChunkPlan plan{values<std::int32_t>(lists.counts),
                 static_cast<int>(lists.columns.size()),
                 0,
                 -1,
                 shape.chunk_pairs,
                 request.transposed,
                 nullptr,
                 nullptr};
  work.slots = plan.slots = list.half ? 2 * plan.stored : plan.stored;
  SlotColumns slots{};
  for (int slot = 0; slot < plan.slots; ++slot) {
    const int column = lists.columns[static_cast<std::size_t>(slot % plan.stored)],
              partner = list.half ? map.offsets->partner(column) : column;
    const bool own_partner = list.half && partner == column;
    if (own_partner) plan.centre = slot % plan.stored;
    slots.of.of[slot] = slot < plan.stored ? static_cast<std::uint16_t>(column)
                        : own_partner      ? SlotColumns::none
                                           : static_cast<std::uint16_t>(partner);
  }
  const std::size_t pairs = lists.entries.bytes() / sizeof(int2) * (list.half ? 2 : 1),
                    chunks = (pairs / static_cast<std::size_t>(shape.chunk_pairs)) +
                             static_cast<std::size_t>(plan.slots);
  Buffer first_chunk(device.pool, (static_cast<std::size_t>(plan.slots) + 1) * sizeof(std::int32_t)),
      all_chunks(device.pool, chunks * sizeof(PairChunk)),
      bias_parts(device.pool, static_cast<std::size_t>(bias.blocks) *
                                  static_cast<std::size_t>(work.gradient.channels) * sizeof(float));
  plan.first_chunk = values<std::int32_t>(first_chunk);
  plan.chunks = values<PairChunk>(all_chunks);
  bias.parts = values<float>(bias_parts);
  const auto prepare = fp16 ? prepare_kernel<__half> : prepare_kernel<float>;
  prepare<<<static_cast<unsigned>(bias.blocks + plan.slots), threads_per_block, 0, device.stream>>>(
      plan, work.gradient, bias);
  work.pairs = static_cast<const int2*>(lists.entries.data());
  work.chunks = plan.chunks;
  work.count = plan.first_chunk + plan.slots;
  work.blocks = shape.blocks;
  const std::int64_t matrix = std::int64_t{work.in.channels} * work.gradient.channels;
  Buffer parts(device.pool, static_cast<std::size_t>((work.blocks + work.slots) * matrix) * sizeof(float));
  work.parts = values<float>(parts);
  fp16 ? wgrad_fp16(device, shape, work) : wgrad_fp32(device, shape, work);
  const auto stage = job.stage("reduce");
  constexpr int each = 4;
  work.gradient.channels % each == 0 ? add_parts<each>(device, work, plan.first_chunk, slots, bias, to)
                                     : add_parts<1>(device, work, plan.first_chunk, slots, bias, to);
}

}  // namespace

MasterWeights CudaGradients::wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                                   const WgradRequest& request, Job& job) {
  require_sound(map, in, out_gradient, request);
  job.checkpoint({"gradient of the weights", 0, 1});
  job.kernel(in.precision == Precision::fp16 ? "fp16 pairs" : "fp32 pairs");
  MasterWeights result{map.offsets->columns(), in.channels, out_gradient.channels, {}, {}};
  const auto matrix = static_cast<std::size_t>(in.channels) * static_cast<std::size_t>(out_gradient.channels);
  result.weight = Buffer(device_.pool, static_cast<std::size_t>(result.columns) * matrix * sizeof(float));
  result.bias = Buffer(device_.pool, static_cast<std::size_t>(out_gradient.channels) * sizeof(float));
  const Gradient to{values<float>(result.weight), values<float>(result.bias), request.factor};
  Buffer padded_in, padded_gradient;
  WgradWork work;
  work.in = rows_to_gather(device_, in, padded_in);
  work.gradient = rows_to_gather(device_, out_gradient, padded_gradient);
  std::vector<KernelMap::Part> built;
  BiasParts bias{out_gradient.rows, bias_blocks(device_, out_gradient.rows), nullptr};
  for (const WgradList& list : wgrad_lists(device_, map, built, job)) {
    add_list(device_, map, list, out_gradient, request, work, bias, to, job);
    bias.blocks = 0;  // The first list has computed the gradient of the bias.
  }
  return result;
}

std::size_t CudaGradients::wgrad_memory(const MemoryShape& layer) const {
  const int columns = layer.kernel.columns();
  const WgradShape shape = shape_for(device_, layer.precision, layer.in_channels, layer.out_channels);
  const auto padded = [&](std::int64_t rows, int channels) {
    const int stride = (channels + values_per_read - 1) / values_per_read * values_per_read;
    return stride == channels ? std::size_t{0}
                              : static_cast<std::size_t>(rows * stride) * bytes_of(layer.precision);
  };
  const std::int64_t in_rows = layer.transposed ? layer.map_outputs : layer.map_inputs,
                     out_rows = layer.transposed ? layer.map_inputs : layer.map_outputs;
  const std::int64_t matrix = std::int64_t{layer.in_channels} * layer.out_channels;
  return (static_cast<std::size_t>((shape.blocks + columns + 1) * matrix) * sizeof(float)) +
         padded(in_rows, layer.in_channels) + padded(out_rows, layer.out_channels);
}

}  // namespace spira::cuda

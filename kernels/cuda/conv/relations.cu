// Computes relational convolutions: stores the means of all rows (stage "gather"), then multiplies them as
// the pairs of a weight-stationary layer (stage "ws").
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/conv/relations.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

#include <cstdint>

namespace spira::cuda {
namespace {

/// The rows that are multiplied: first one row for each node, for W_0, then the rows of the map.
struct Rows {
  std::int64_t nodes = 0, of_map = 0;
  int stride = 0;  ///< Values from the start of one row of means to the start of the next.

  [[nodiscard]] __host__ __device__ std::int64_t all() const { return nodes + of_map; }
};

Rows rows_of(const RelationMap& map, int in_channels, int out_channels, Precision precision) {
  // The kernels read several fp16 values at once, so rows are padded with zeros.
  const int step = precision == Precision::fp16
                       ? FragmentShape{in_channels, out_channels, map.relations() + 1}.fp16_per_lane()
                       : 1;
  return {map.nodes, map.rows(), (in_channels + step - 1) / step * step};
}

/// Arguments of the kernel that computes the means.
template <class Value> struct MeanTask {
  const Value* in;  ///< Shape: [nodes][channels].
  const std::int32_t *outputs, *first, *sources;
  Rows rows;
  int channels;
  bool divide;
  Value* means;  ///< Shape: [rows.all()][rows.stride].
  int2* pairs;   ///< The output and the row of means of each product. Shape: [rows.all()].
};

/// Values that a lane reads and writes at once.
template <class Value, int count> struct alignas(sizeof(Value) * count) Values { Value of[count]; };

/// Rows with more sources than this are hubs, which a whole thread block adds up. One lane would read the
/// sources of a hub one after another while the rest of the device waits.
constexpr int sources_of_one_lane = 16;

/// Returns the values number `part` of a row of `in`.
template <class Value, int count>
__device__ Values<Value, count> values_of(const MeanTask<Value>& task, std::int64_t row, int part) {
  return *reinterpret_cast<const Values<Value, count>*>(task.in + (row * task.channels) + (part * count));
}

/// Adds every `step`-th source of a row from `begin` to `end` to `sums`, in ascending order. `part` is the
/// index of the values that the lane adds.
template <class Value, int count>
__device__ void add_sources(const MeanTask<Value>& task, std::int32_t begin, std::int32_t end, int step,
                            int part, float (&sums)[count]) {
  if (part * count >= task.channels) return;
#pragma unroll 4
  for (std::int32_t at = begin; at < end; at += step) {
    const auto read = values_of<Value, count>(task, __ldg(task.sources + at), part);
#pragma unroll
    for (int value = 0; value < count; ++value)
      sums[value] += static_cast<float>(read.of[value]);
  }
}

template <class Value, int count>
__device__ void store_mean(const MeanTask<Value>& task, std::int64_t row, int part, float sources,
                           const float (&sums)[count]) {
  // Most rows have one source. A division takes long if the dividend is 0, as after a ReLU.
  const bool divide = task.divide && sources != 1.0F;
  Values<Value, count> mean;
#pragma unroll
  for (int value = 0; value < count; ++value)
    mean.of[value] = static_cast<Value>(divide ? sums[value] / sources : sums[value]);
  *reinterpret_cast<Values<Value, count>*>(task.means + (row * task.rows.stride) + (part * count)) = mean;
}

/// Adds up a hub with all threads of a thread block. blockDim.x threads read one source together. The order
/// of the additions depends only on the number of sources.
template <class Value, int count> __device__ void add_hub(const MeanTask<Value>& task, std::int64_t row) {
  constexpr int warps = threads_per_block / 32;
  __shared__ float partial[warps][32 * count];
  const std::int64_t of_map = row - task.rows.nodes;
  const std::int32_t begin = task.first[of_map], end = task.first[of_map + 1];
  const int width = static_cast<int>(blockDim.x), parts = task.rows.stride / count;
  const int thread = static_cast<int>((threadIdx.y * blockDim.x) + threadIdx.x), lane = thread % 32;
  for (int first = 0; first < parts; first += width) {
    const int part = first + static_cast<int>(threadIdx.x);
    float sums[count] = {};
    add_sources(task, begin + static_cast<int>(threadIdx.y), end, static_cast<int>(blockDim.y), part, sums);
    for (int step = 16; step >= width; step /= 2) {
#pragma unroll
      for (int value = 0; value < count; ++value)
        sums[value] += __shfl_down_sync(0xFFFFFFFFU, sums[value], static_cast<unsigned>(step));
    }
#pragma unroll
    for (int value = 0; value < count && lane < width; ++value)
      partial[thread / 32][(lane * count) + value] = sums[value];
    __syncthreads();
    if (thread < width && part < parts) {
#pragma unroll
      for (int value = 0; value < count; ++value) {
        for (int warp = 1; warp < warps; ++warp)
          sums[value] += partial[warp][(lane * count) + value];
      }
      store_mean(task, row, part, static_cast<float>(end - begin), sums);
    }
    __syncthreads();
  }
}

/// Computes the means of one row for each threadIdx.y. blockDim.x must be a power of two of at most 32.
/// Adjacent rows are computed by different thread blocks, because hubs are often adjacent: in WordNet, one
/// thread block would have most of the work.
template <class Value, int count>
__global__ void __launch_bounds__(threads_per_block, 6) means_kernel(const MeanTask<Value> task) {
  __shared__ int hubs, hub_of[threads_per_block];
  if (threadIdx.x + threadIdx.y == 0) hubs = 0;
  __syncthreads();
  const std::int64_t row = (static_cast<std::int64_t>(threadIdx.y) * gridDim.x) + blockIdx.x;
  const std::int64_t of_map = row - task.rows.nodes;
  const bool exists = row < task.rows.all(), node = of_map < 0;
  std::int32_t begin = 0, end = 0;
  if (exists && !node) {
    begin = task.first[of_map];
    end = task.first[of_map + 1];
  }
  const bool hub = end - begin > sources_of_one_lane;
  if (exists && threadIdx.x == 0) {
    task.pairs[row] = make_int2(node ? static_cast<int>(row) : task.outputs[of_map], static_cast<int>(row));
    if (hub) hub_of[atomicAdd(&hubs, 1)] = static_cast<int>(threadIdx.y);
  }
  for (int part = static_cast<int>(threadIdx.x); exists && !hub && part * count < task.rows.stride;
       part += static_cast<int>(blockDim.x)) {
    float sums[count] = {};
    if (!node) {
      add_sources(task, begin, end, 1, part, sums);
    } else if (part * count < task.channels) {
      const auto own = values_of<Value, count>(task, row, part);
#pragma unroll
      for (int value = 0; value < count; ++value)
        sums[value] = static_cast<float>(own.of[value]);
    }
    store_mean(task, row, part, node ? 1.0F : static_cast<float>(end - begin), sums);
  }
  __syncthreads();
  for (int at = 0; at < hubs; ++at)
    add_hub<Value, count>(task, (static_cast<std::int64_t>(hub_of[at]) * gridDim.x) + blockIdx.x);
}

template <class Value, int count> void launch_means(const Device& device, const MeanTask<Value>& task) {
  const int parts = task.rows.stride / count;
  unsigned width = 1;
  while (width < 32 && static_cast<int>(width) < parts)
    width *= 2;
  const dim3 block(width, threads_per_block / width);
  const auto blocks = static_cast<unsigned>((task.rows.all() + block.y - 1) / block.y);
  if (blocks == 0) return;
  means_kernel<Value, count><<<blocks, block, 0, device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <class Value>
void compute_means(const Device& device, const RelationMap& map, const Features& in, const Rows& rows,
                   Buffer& means, Buffer& pairs) {
  const MeanTask<Value> task{static_cast<const Value*>(in.data.data()),
                             values<std::int32_t>(map.outputs),
                             values<std::int32_t>(map.first),
                             values<std::int32_t>(map.sources),
                             rows,
                             in.channels,
                             map.normalise == Normalise::mean,
                             static_cast<Value*>(means.data()),
                             values<int2>(pairs)};
  constexpr int count = 16 / static_cast<int>(sizeof(Value));
  in.channels % count == 0 ? launch_means<Value, count>(device, task) : launch_means<Value, 1>(device, task);
}

/// Returns the number of products of each column, followed by the indices of the columns.
Buffer column_table(const Device& device, const RelationMap& map) {
  const std::int64_t columns = map.relations() + 1;
  Buffer table(device.pool, static_cast<std::size_t>(2 * columns) * sizeof(std::int32_t));
  auto* const to = values<std::int32_t>(table);
  const auto* const counts = values<std::int32_t>(map.counts);
  const auto nodes = static_cast<std::int32_t>(map.nodes);
  for_each(device, columns, [=] __device__(std::int64_t column) {
    to[column] = column == 0 ? nodes : counts[column - 1];
    to[columns + column] = static_cast<std::int32_t>(column);
  });
  return table;
}

}  // namespace

Features CudaRelations::convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                                 const RelationRequest& request, Job& job) {
  require_sound(map, in, weights);
  if (request.method != FeatureMethod::by_layout)
    throw Error(
        ErrorKind::device,
        "the cuda back end runs relations only with the dataflow ws; use --dataflow ws, or --backend cpu");
  job.checkpoint({"features", 0, 1});
  const bool fp16 = in.precision == Precision::fp16;
  const Rows rows = rows_of(map, in.channels, weights.out_channels, in.precision);
  require_countable(rows.all(), "the graph", "nodes and rows");
  const auto all = static_cast<std::size_t>(rows.all());
  Buffer means(device_.pool, all * static_cast<std::size_t>(rows.stride) * bytes_of(in.precision));
  Buffer pairs(device_.pool, all * sizeof(int2));
  const std::size_t count =
      static_cast<std::size_t>(map.nodes) * static_cast<std::size_t>(weights.out_channels);
  Features result{map.nodes, weights.out_channels, in.precision,
                  Buffer(device_.pool, count * bytes_of(in.precision))};
  Buffer sums(device_.pool, count * sizeof(float));
  const Buffer columns = column_table(device_, map);
  {
    const auto stage = job.stage("gather");
    fp16 ? compute_means<__half>(device_, map, in, rows, means, pairs)
         : compute_means<float>(device_, map, in, rows, means, pairs);
  }
  LayerOnDevice layer;
  layer.in = means.data();
  layer.weight = weights.weight.data();
  layer.bias = values<float>(weights.bias);
  layer.out = result.data.data();
  layer.sums = values<float>(sums);
  layer.in_channels = in.channels;
  layer.in_stride = layer.in_read = rows.stride;
  layer.out_channels = layer.out_stride = layer.residual_stride = weights.out_channels;
  layer.columns = weights.columns;
  layer.relu = request.relu;
  const PairSource source{values<int2>(pairs), values<std::int32_t>(columns),
                          values<std::int32_t>(columns) + weights.columns, weights.columns, false};
  {
    const auto stage = job.stage("ws");
    job.kernel(in.precision == Precision::fp16 ? "fp16 pairs" : "fp32 pairs");
    SPIRA_CUDA(cudaMemsetAsync(sums.data(), 0, sums.bytes(), device_.stream));
    fp16 ? weight_stationary_fp16(device_, source, rows.all(), false, layer)
         : weight_stationary_fp32(device_, source, rows.all(), false, layer);
  }
  const auto stage = job.stage("epilogue");
  fp16 ? finish_fp16(device_, result.rows, layer) : finish_fp32(device_, result.rows, layer);
  return result;
}

std::size_t CudaRelations::scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                         Precision precision, const RelationRequest& /*request*/) const {
  const Rows rows = rows_of(map, in_channels, out_channels, precision);
  const std::size_t of_row = (static_cast<std::size_t>(rows.stride) * bytes_of(precision)) + sizeof(int2);
  return (static_cast<std::size_t>(rows.all()) * of_row) +
         (static_cast<std::size_t>(map.nodes) * static_cast<std::size_t>(out_channels) * sizeof(float)) +
         (2 * static_cast<std::size_t>(map.relations() + 1) * sizeof(std::int32_t));
}

}  // namespace spira::cuda

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

  [[nodiscard]] std::int64_t all() const { return nodes + of_map; }
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

/// Computes one value of the means, or a zero of the padding. The sources are added in ascending order.
template <class Value> __device__ void compute_mean(const MeanTask<Value>& task, std::int64_t at) {
  const std::int64_t row = at / task.rows.stride, of_map = row - task.rows.nodes;
  const int channel = static_cast<int>(at % task.rows.stride);
  const bool node = of_map < 0;
  if (channel == 0)
    task.pairs[row] = make_int2(node ? static_cast<int>(row) : task.outputs[of_map], static_cast<int>(row));
  float mean = 0;
  if (channel < task.channels) {
    const auto value = [&](std::int64_t source) {
      return static_cast<float>(task.in[(source * task.channels) + channel]);
    };
    if (node) {
      mean = value(row);
    } else {
      const std::int32_t begin = task.first[of_map], end = task.first[of_map + 1];
#pragma unroll 4
      for (std::int32_t source = begin; source < end; ++source)
        mean += value(__ldg(task.sources + source));
      if (task.divide) mean /= static_cast<float>(end - begin);
    }
  }
  task.means[at] = static_cast<Value>(mean);
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
  for_each(device, rows.all() * rows.stride, [=] __device__(std::int64_t at) { compute_mean(task, at); });
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

// Computes the features of a layer: selects the kernels for the parts of its map, and finishes the sums
// (stage "epilogue").
#include "engine/base/fp16.hpp"
#include "kernels/cuda/baseline/baseline.hpp"
#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/conv_fp16/native_fp16.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/pairs_by_input.hpp"

#include <algorithm>
#include <cmath>

namespace spira::cuda {
namespace {

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

/// Pads each row with zeros if its length is not a multiple of the number of channels that a lane reads at
/// once. Returns the padded copy and changes `layer` so that it refers to this copy. Returns an empty buffer
/// if no padding is needed.
Buffer padded_rows(const Device& device, const Features& in, const FragmentShape& shape,
                   LayerOnDevice& layer) {
  const int step = shape.fp16_per_lane();
  if (in.channels % step == 0 || in.rows == 0) return {};
  layer.in_stride = layer.in_read = (in.channels + step - 1) / step * step;
  const std::size_t bytes = static_cast<std::size_t>(in.channels) * 2,
                    stride = static_cast<std::size_t>(layer.in_stride) * 2;
  Buffer padded(device.pool, static_cast<std::size_t>(in.rows) * stride);
  SPIRA_CUDA(cudaMemsetAsync(padded.data(), 0, padded.bytes(), device.stream));
  SPIRA_CUDA(cudaMemcpy2DAsync(padded.data(), stride, in.data.data(), bytes, bytes,
                               static_cast<std::size_t>(in.rows), cudaMemcpyDeviceToDevice, device.stream));
  layer.in = padded.data();
  return padded;
}

void weight_stationary(const Device& device, const KernelMap& map, const KernelMap::Part& part,
                       bool transposed, bool fp16, const LayerOnDevice& layer, Job& job) {
  const auto stage = job.stage("ws");
  job.kernel(fp16 ? "fp16 pairs" : "fp32 pairs");
  const Buffer columns = table_copy(device, std::span<const int>(part.columns));
  const PairSource source{static_cast<const int2*>(part.entries.data()), values<std::int32_t>(part.counts),
                          values<std::int32_t>(columns), static_cast<int>(part.columns.size()), transposed};
  const auto pairs = static_cast<std::int64_t>(part.entries.bytes() / sizeof(int2));
  for (const bool mirrored : {false, true}) {
    if (mirrored && !map.half) continue;
    fp16 ? weight_stationary_fp16(device, source, pairs, mirrored, layer)
         : weight_stationary_fp32(device, source, pairs, mirrored, layer);
  }
}

/// The values of LayerMemory::kept_as for the row orders of native layers. Their maps have no other row
/// order.
constexpr int kept_as_starts = 1, kept_as_pairs_by_input = 2;

/// Returns true if native() can compute a layer. The kernel numbers the pairs with 31 bits.
bool sums_in_order(const KernelMap& map, bool fp16) {
  return fp16 && map.many() && map.parts.front().entries.bytes() / sizeof(int2) < (std::size_t{1} << 31U);
}

/// Returns the pairs of a native map, sorted by the rows of the result. Maps of this back end have their
/// column starts; other row orders are built by the first call for a map.
NativePairs native_pairs(const Device& device, const KernelMap& map, const KernelMap::Part& part,
                         bool transposed, RowOrders& orders, Job& job) {
  const auto* pairs = static_cast<const int2*>(part.entries.data());
  const auto* counts = values<std::int32_t>(part.counts);
  const int columns = map.offsets->columns();
  if (!transposed) {
    auto& order = orders.get<ColumnStarts>();
    if (order.starts.bytes() == 0) {
      const auto stage = job.stage("order");
      column_starts(device, pairs, counts, columns, map.outputs, order);
    }
    return {pairs, values<std::uint32_t>(order.starts), map.outputs};
  }
  auto& order = orders.get<PairsByInput>();
  if (order.starts.bytes() == 0) {
    const auto stage = job.stage("order");
    const auto number = static_cast<std::int64_t>(part.entries.bytes() / sizeof(int2));
    pairs_by_input(device, pairs, counts, columns, map.inputs, number, order);
  }
  return {values<int2>(order.pairs), values<std::uint32_t>(order.starts.starts), map.inputs};
}

void native(const Device& device, const KernelMap& map, const KernelMap::Part& part, bool transposed,
            const LayerOnDevice& layer, Job& job) {
  // A map from another back end has no row orders. In this case, the order is built for this call only.
  const auto orders = part.orders ? part.orders : std::make_shared<RowOrders>();
  const NativePairs pairs = native_pairs(device, map, part, transposed, *orders, job);
  const auto stage = job.stage("ws");
  job.kernel("fp16 native");
  native_fp16(device, pairs, layer);
}

/// The name of the kernel for maps in any layout.
const char* row_kernel(bool fp16) {
  return fp16 ? "fp16 any layout" : "fp32 any layout";
}

void output_stationary(const Device& device, const KernelMap& map, const KernelMap::Part& part, bool fp16,
                       const LayerOnDevice& layer, Job& job) {
  Buffer slots;
  const MapSource source = source_of(device, map, part, slots);
  const bool runs = fp16 && source.kind == SourceKind::words32;
  const Fp16Choice choice = runs && source.cube != 0
                                ? choose_fp16(device, layer, source.cube, {map.outputs, map.inputs})
                                : Fp16Choice{};
  if (choice) {
    // A map from another back end has no row orders. In this case, the row order is built for this call only.
    const auto orders = part.orders ? part.orders : std::make_shared<RowOrders>();
    const Buffer& order = orders->get<Fp16Orders>().of(device, source, choice, job);
    Buffer partial(device.pool, choice.partial_bytes(layer, source.cube, map.outputs));
    const auto stage = job.stage("os");
    job.kernel(std::string("fp16 ") + choice.name());
    return choice.launch(device, source, layer, order, values<float>(partial));
  }
  const auto stage = job.stage("os");
  job.kernel(row_kernel(fp16));
  fp16 ? output_stationary_fp16(device, source, layer) : output_stationary_fp32(device, source, layer);
}

/// Computes a part with sorted outputs. The splits run one after another, and each split adds its sums to
/// those of the splits before. If `finish` is true, the last split writes the results. Therefore the order of
/// the additions never changes.
void mask_sorted(const Device& device, const KernelMap& map, const KernelMap::Part& part, bool fp16,
                 bool finish, LayerOnDevice layer, float* sums, Job& job) {
  const auto stage = job.stage("os");
  job.kernel(row_kernel(fp16));
  for (int split = 0; split < part.splits; ++split) {
    Buffer slots;
    const MapSource source = source_of(device, map, part, slots, split);
    layer.earlier = split == 0 ? nullptr : sums;
    layer.sums = finish && split == part.splits - 1 ? nullptr : sums;
    fp16 ? output_stationary_fp16(device, source, layer) : output_stationary_fp32(device, source, layer);
  }
}

/// Returns true if the kernels can write whole rows of results.
bool writes_results(bool fp16, const FragmentShape& shape) {
  return !fp16 || shape.out_channels % (2 * shape.group()) == 0;
}

/// Returns true if one kernel can compute the whole layer: the map has only one dense part, and the kernel of
/// this part can write the results. Otherwise the kernels write fp32 sums, and another kernel converts them
/// to results.
bool finishes_at_once(bool one_dense_part, bool pair_lists, bool fp16, const FragmentShape& shape) {
  return one_dense_part && !pair_lists && writes_results(fp16, shape);
}

/// Returns true if each row of the result is in exactly one pair of `part`, which contains all pairs.
bool one_pair_per_row(const KernelMap& map, const KernelMap::Part& part, const ConvRequest& request,
                      std::int64_t rows) {
  return request.one_pair_per_row && map.parts.size() == 1 && !map.half && !map.many() &&
         part.entries.bytes() / sizeof(int2) == static_cast<std::size_t>(rows);
}

/// Returns the weights in the order [K^3][C_in][C_out]. Unpacks fp16 weights when it is first called.
const Buffer& plain_order(const Device& device, const UploadedWeights& weights, Buffer& scratch, Job& job) {
  if (weights.precision == Precision::fp32) return weights.weight;
  Buffer& plain = weights.plain ? *weights.plain : scratch;
  if (plain.bytes() == 0) {
    const auto stage = job.stage("weights");
    plain =
        plain_weights(device, {weights.in_channels, weights.out_channels, weights.columns}, weights.weight);
  }
  return plain;
}

}  // namespace

void require_finite(const LayerWeights& weights, Precision precision) {
  const auto finite = [&](float w) {
    return std::isfinite(precision == Precision::fp16 ? fp16_to_float(float_to_fp16(w)) : w);
  };
  if (!std::all_of(weights.weight.begin(), weights.weight.end(), finite)) {
    throw Error(ErrorKind::input, "a weight is NaN, infinite or beyond " + std::string(text_of(precision)) +
                                      "; the CUDA back end requires finite weights");
  }
}

UploadedWeights upload_weights(const Device& device, const LayerWeights& weights, Precision precision) {
  require_finite(weights, precision);
  UploadedWeights uploaded;
  uploaded.columns = weights.columns;
  uploaded.in_channels = weights.in_channels;
  uploaded.out_channels = weights.out_channels;
  uploaded.precision = precision;
  uploaded.bias = device_copy(device, std::span<const float>(weights.bias));
  uploaded.scale = device_copy(device, std::span<const float>(weights.scale));
  uploaded.shift = device_copy(device, std::span<const float>(weights.shift));
  Buffer plain = device_copy(device, std::span<const float>(weights.weight));
  if (precision == Precision::fp32 || weights.columns == 0) {
    uploaded.weight = std::move(plain);
  } else {
    uploaded.plain = std::make_shared<Buffer>();
    uploaded.weight = pack_weights(device, {weights.in_channels, weights.out_channels, weights.columns},
                                   plain, WeightForm::forward);
  }
  // Wait for the copies, because the host memory may be freed after this call.
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));
  return uploaded;
}

Features convolve(const Device& device, const KernelMap& map, const Features& in,
                  const UploadedWeights& weights, const ConvRequest& request, Job& job) {
  require_shapes(map, in, weights, request);
  job.checkpoint({"features", 0, 1});
  Features result{request.transposed ? map.inputs : map.outputs, weights.out_channels, in.precision, {}};
  const std::size_t count = static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels);
  result.data = Buffer(device.pool, count * bytes_of(result.precision));
  LayerOnDevice layer;
  layer.in = in.data.data();
  layer.weight = weights.weight.data();
  layer.bias = values<float>(weights.bias);
  layer.residual = request.residual == nullptr ? nullptr : request.residual->data.data();
  layer.out = result.data.data();
  layer.in_channels = layer.in_stride = layer.in_read = weights.in_channels;
  layer.out_channels = layer.out_stride = layer.residual_stride = weights.out_channels;
  layer.columns = weights.columns;
  layer.relu = request.relu;
  const bool fp16 = result.precision == Precision::fp16;
  if (request.method != FeatureMethod::by_layout) {
    Buffer scratch;
    layer.weight = plain_order(device, weights, scratch, job).data();
    gather_gemm_scatter(device, map, request, in.precision, layer, job);
    return result;
  }

  // Compute the dense parts first, because they overwrite the sums. The pair lists then add to these sums.
  std::vector<const KernelMap::Part*> dense, sparse;
  for (const auto& part : map.parts) {
    const bool pairs = part.layout == MapLayout::pair_lists;
    if (!part.columns.empty()) (pairs ? sparse : dense).push_back(&part);
  }
  SPIRA_ASSERT(dense.size() <= 1, "at most one part of the map can be dense");
  const FragmentShape shape{weights.in_channels, weights.out_channels, weights.columns};
  const bool one_pair = fp16 && sparse.size() == 1 && writes_results(fp16, shape) &&
                        one_pair_per_row(map, *sparse.front(), request, result.rows);
  const bool in_order = sums_in_order(map, fp16);
  const bool finish_at_once =
      one_pair || finishes_at_once(in_order || dense.size() == 1, !in_order && !sparse.empty(), fp16, shape);
  const Buffer padded = fp16 ? padded_rows(device, in, shape, layer) : Buffer{};
  const bool adds_splits = dense.size() == 1 && dense.front()->splits > 1;
  Buffer sums(device.pool, finish_at_once && !adds_splits ? 0 : count * sizeof(float));
  layer.sums = finish_at_once ? nullptr : values<float>(sums);
  if (dense.empty() && sums.bytes() != 0)
    SPIRA_CUDA(cudaMemsetAsync(sums.data(), 0, sums.bytes(), device.stream));
  for (const KernelMap::Part* part : dense) {
    if (part->layout == MapLayout::mask_sorted) {
      mask_sorted(device, map, *part, fp16, finish_at_once, layer, values<float>(sums), job);
    } else {
      output_stationary(device, map, *part, fp16, layer, job);
    }
  }
  for (const KernelMap::Part* part : sparse)
    in_order ? native(device, map, *part, request.transposed, layer, job)
             : weight_stationary(device, map, *part, request.transposed, fp16, layer, job);
  if (!finish_at_once) {
    const auto stage = job.stage("epilogue");
    fp16 ? finish_fp16(device, result.rows, layer) : finish_fp32(device, result.rows, layer);
  }
  return result;
}

LayerMemory layer_memory(const Device& device, const MemoryShape& shape) {
  LayerOnDevice layer;
  layer.in_channels = layer.in_stride = layer.in_read = shape.in_channels;
  layer.out_channels = shape.out_channels;
  layer.columns = shape.kernel.columns();
  const bool fp16 = shape.precision == Precision::fp16;
  const FragmentShape fragments{layer.in_channels, layer.out_channels, layer.columns};
  LayerMemory memory;
  const bool in_order = fp16 && shape.kernel.native();
  if (shape.kernel.native()) {
    // The starts are built with the map. The number of pairs is not known, so the pairs by input are not
    // included.
    const bool by_input = in_order && shape.transposed;
    memory.kept = ColumnStarts::bytes_for(by_input ? shape.rows() : shape.map_outputs, layer.columns);
    memory.kept_as = by_input ? kept_as_pairs_by_input : kept_as_starts;
  }
  if (shape.splits > 1 ||
      !finishes_at_once(in_order || shape.dense, !in_order && shape.sparse, fp16, fragments))
    memory.passing += shape.values() * sizeof(float);
  const int step = fragments.fp16_per_lane(), padded = (layer.in_channels + step - 1) / step * step;
  const std::int64_t in_rows = shape.transposed ? shape.map_outputs : shape.map_inputs;
  if (fp16 && padded != layer.in_channels)
    memory.passing += static_cast<std::size_t>(in_rows) * static_cast<std::size_t>(padded) * 2;
  const bool narrow = shape.map_inputs <= (std::int64_t{1} << (32 - shape.kernel.size[2]));
  const int cube = fast_kernel_size(shape.kernel);
  if (!fp16 || !shape.dense || !narrow || cube == 0 || shape.dense_layout != MapLayout::z_runs) return memory;
  const Fp16Choice choice = choose_fp16(device, layer, cube, {shape.map_outputs, shape.map_inputs});
  memory.kept = choice.order_bytes(shape.map_outputs, cube);
  memory.kept_as = choice.order();
  memory.passing += choice.partial_bytes(layer, cube, shape.map_outputs);
  return memory;
}

}  // namespace spira::cuda

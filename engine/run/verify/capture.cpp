#include "engine/run/verify/capture.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/backend/plan.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/session.hpp"
#include "engine/run/write_outputs.hpp"
#include "engine/scene/formats/voxel_file.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

namespace spira {
namespace {

using Cell = CapturedVoxel;

template <class Value> Value value_in(const std::vector<std::byte>& bytes, std::size_t at) {
  Value value{};
  std::memcpy(&value, bytes.data() + (at * sizeof(Value)), sizeof(Value));
  return value;
}

class CaptureReader {
 public:
  CaptureReader(const TensorFile& file, const Network& network) : file_(file), network_(network) {}

  /// Reads the recorded output of a layer.
  [[nodiscard]] CapturedLayer output_of(const Layer& layer) { return captured(layer, 0); }

  [[nodiscard]] Capture read() {
    Capture capture{file_.metadata(), {}};
    for (std::size_t at = 0; at < network_.layers.size(); ++at) {
      const Layer& layer = network_.layers[at];
      const std::string tensor = layer.name + (layer.op == LayerOp::dense ? ".dense" : ".output");
      if (file_.find(tensor) != nullptr) capture.layers.push_back(captured(layer, static_cast<int>(at)));
    }
    if (capture.layers.empty())
      throw file_.fault("contains no output of network " + network_.name + "; expected tensors such as " +
                        network_.layers.front().name + ".output");
    for (const auto& [name, tensor] : file_.tensors()) {
      static const std::set<std::string, std::less<>> inputs{"coords", "features", "points",
                                                             "point_features"};
      if (!used_.contains(name) && !inputs.contains(name) && !of_skipped(name))
        throw file_.fault("tensor " + shortened(name) + " belongs to no layer of network " + network_.name);
    }
    return capture;
  }

 private:
  /// Returns true for a tensor of a layer that does not run.
  [[nodiscard]] bool of_skipped(const std::string& tensor) const {
    return std::any_of(network_.skipped.begin(), network_.skipped.end(), [&](const SkippedLayer& skipped) {
      return tensor.starts_with(skipped.layer.name + ".");
    });
  }
  [[nodiscard]] const Tensor& wanted(const std::string& name, const std::string& type,
                                     const std::vector<std::int64_t>& shape) {
    const Tensor* const tensor = file_.find(name);
    if (tensor == nullptr) throw file_.fault("tensor " + shortened(name) + " is missing");
    if (tensor->type != type)
      throw file_.fault("tensor " + shortened(name) + ": dtype " + shortened(tensor->type) + ", expected " +
                        type);
    bool fits = tensor->shape.size() == shape.size();
    for (std::size_t at = 0; fits && at < shape.size(); ++at)
      fits = shape[at] < 0 || shape[at] == tensor->shape[at];
    if (!fits)
      throw file_.fault("tensor " + shortened(name) + " has shape " + shape_text(tensor->shape) +
                        ", expected " + shape_text(shape) + " (-1: any size)");
    used_.insert(name);
    return *tensor;
  }
  [[nodiscard]] std::vector<Cell> cells(const std::string& name, std::int64_t rows) {
    const Tensor* const tensor = file_.find(name);
    const bool batch = tensor != nullptr && tensor->shape.size() == 2 && tensor->shape[1] == 4;
    const auto values = file_.integers(wanted(name, "I32", {rows, batch ? 4 : 3}));
    std::vector<Cell> cells;
    for (std::size_t at = batch ? 1 : 0; at + 2 < values.size(); at += batch ? 4 : 3)
      cells.push_back({batch ? values[at - 1] : 0, values[at], values[at + 1], values[at + 2]});
    return cells;
  }

  [[nodiscard]] std::vector<float> finite(const std::string& name, const std::vector<std::int64_t>& shape) {
    auto values = file_.floats(wanted(name, "F32", shape));
    if (std::any_of(values.begin(), values.end(), [](float v) { return !std::isfinite(v); }))
      throw file_.fault("tensor " + shortened(name) + " has NaN or infinite values");
    return values;
  }
  /// Throws if the recorded rows cannot be a sample of the output voxels.
  void check_sample(const Layer& layer, const CapturedLayer& captured) const {
    const std::string name = "tensor " + shortened(layer.name) + (captured.points ? ".points " : ".coords ");
    const std::int64_t count = std::ssize(captured.coords);
    if (count == 0 && captured.rows > 0)
      throw file_.fault(name + "contains no " + (captured.points ? "points" : "voxels"));
    if (count > captured.rows)
      throw file_.fault(name + "has " + count_text(count) + " rows, but " + shortened(layer.name) +
                        ".rows is " + count_text(captured.rows));
    if (std::set<Cell>(captured.coords.begin(), captured.coords.end()).size() != captured.coords.size())
      throw file_.fault(name + "contains a " + (captured.points ? "point" : "voxel") + " twice");
  }

  [[nodiscard]] CapturedLayer captured(const Layer& layer, int index) {
    CapturedLayer result;
    result.layer = index;
    if (layer.op == LayerOp::dense) {
      std::vector<std::int64_t> shape = layer.dense_shape;
      const Tensor* const tensor = file_.find(layer.name + ".dense");
      if (tensor != nullptr && tensor->shape.size() == shape.size() + 1) shape.insert(shape.begin(), -1);
      result.dense = finite(layer.name + ".dense", shape);
      return result;
    }
    result.rows = file_.integers(wanted(layer.name + ".rows", "I32", {1})).front();
    if (result.rows < 0)
      throw file_.fault("tensor " + shortened(layer.name) + ".rows is " + std::to_string(result.rows));
    result.points = levels_.set(levels_.layers[static_cast<std::size_t>(index)].stride_out).rule.is_points();
    if (result.points) {
      for (const std::int64_t row : file_.integers(wanted(layer.name + ".points", "I32", {-1})))
        result.coords.push_back({0, row, 0, 0});
    } else {
      result.coords = cells(layer.name + ".coords", -1);
    }
    check_sample(layer, result);
    result.output = finite(layer.name + ".output", {std::ssize(result.coords), layer.out_channels});
    if (result.points || file_.find(layer.name + ".cells") == nullptr) return result;
    result.cells = cells(layer.name + ".cells", result.rows);
    std::sort(result.cells.begin(), result.cells.end());
    return result;
  }

  const TensorFile& file_;
  const Network& network_;
  Levels levels_ = levels_of(network_);
  std::set<std::string> used_;
};

std::string text_of(const Cell& cell) {
  return "(" + std::to_string(cell[1]) + ", " + std::to_string(cell[2]) + ", " + std::to_string(cell[3]) +
         ")" + (cell[0] > 0 ? " of frame " + std::to_string(cell[0]) : "");
}

/// Returns "voxel (1, 2, 3)" or "point 7".
std::string place_text(const CapturedLayer& captured, const Cell& cell) {
  return captured.points ? "point " + std::to_string(cell[1]) : "voxel " + text_of(cell);
}

/// Returns the row of each output voxel or point. The keys of the result are coordinates in voxels of the
/// input.
std::map<Cell, std::int64_t> rows_of(const LayerResult& result) {
  std::map<Cell, std::int64_t> rows;
  std::int64_t row = 0;
  if (result.scene->level(result.levels.stride_out).rule.is_points()) {
    for (; row < result.features->rows; ++row)
      rows.emplace(Cell{0, row, 0, 0}, row);
    return rows;
  }
  for (const BatchVoxel& voxel : all_batch_voxels(result.scene->level(result.levels.stride_out))) {
    Cell cell{voxel[0], 0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell.at(axis + 1) = voxel.at(axis + 1) + result.scene->shift[axis];
    rows[cell] = row++;
  }
  return rows;
}

/// Sets the batch index of all voxels to 0, as in a scene that is not a batch.
void ignore_batch(CapturedLayer& captured) {
  for (auto* list : {&captured.coords, &captured.cells}) {
    for (Cell& cell : *list)
      cell[0] = 0;
  }
}

/// Returns the fault of the coordinate set, or an empty string.
std::string set_fault(const std::map<Cell, std::int64_t>& rows, const CapturedLayer& captured) {
  if (std::ssize(rows) != captured.rows)
    return count_text(std::ssize(rows)) + (captured.points ? " points" : " output voxels") + ", captured " +
           count_text(captured.rows);
  for (const auto* list : {&captured.coords, &captured.cells}) {
    for (const Cell& cell : *list)
      if (!rows.contains(cell)) return place_text(captured, cell) + " of the capture is missing";
  }
  return {};
}

/// Returns the number with two digits, such as "0.0094" or "1.2e-05".
std::string two_digits(double value) {
  std::array<char, 32> out{};
  const auto end = std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::general, 2);
  return {out.data(), end.ptr};
}

/// Compares the whole grid of a dense layer.
CaptureRow compare_dense(const LayerResult& result, const CapturedLayer& captured, const Layer& layer) {
  CaptureRow row{layer.name, result.features->rows, result.features->rows, 0, 0, {}, {}};
  const std::vector<std::byte> grid = dense_grid(layer, result, layer.name);
  const bool fp16 = result.features->precision == Precision::fp16;
  const std::size_t values = grid.size() / bytes_of(result.features->precision);
  if (values != captured.dense.size()) {
    row.fault = count_text(static_cast<std::int64_t>(values)) + " values in all frames, captured " +
                count_text(std::ssize(captured.dense));
    return row;
  }
  double largest = 0;
  for (std::size_t at = 0; at < captured.dense.size(); ++at) {
    const float found = fp16 ? fp16_to_float(value_in<Fp16>(grid, at)) : value_in<float>(grid, at);
    const auto expected = static_cast<double>(captured.dense[at]);
    const double error = std::isfinite(found) ? std::abs(static_cast<double>(found) - expected)
                                              : std::numeric_limits<double>::infinity();
    row.max_abs = std::max(row.max_abs, error);
    largest = std::max(largest, std::abs(expected));
  }
  row.max_rel = row.max_abs == 0 ? 0 : row.max_abs / std::max(largest, 1e-30);
  if (const double most = capture_tolerance(result.features->precision); row.max_rel > most)
    row.fault = "differs by " + two_digits(row.max_rel) + " of the largest value; limit " + shortest(most);
  return row;
}

CaptureRow compare(const LayerResult& result, CapturedLayer captured, const Layer& layer) {
  if (result.scene->cloud->batch() == 1) ignore_batch(captured);
  if (!captured.dense.empty()) return compare_dense(result, captured, layer);
  CaptureRow row{layer.name, captured.rows, 0, 0, 0, {}, {}, captured.points};
  const auto rows = rows_of(result);
  row.fault = set_fault(rows, captured);
  if (!row.fault.empty()) return row;
  double largest = 0;
  const auto channels = static_cast<std::size_t>(layer.out_channels);
  for (std::size_t at = 0; at < captured.coords.size(); ++at) {
    const Cell& cell = captured.coords[at];
    ++row.compared;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const auto expected = static_cast<double>(captured.output[(at * channels) + channel]);
      const auto found =
          static_cast<double>(feature_at(*result.features, rows.at(cell), static_cast<int>(channel)));
      largest = std::max(largest, std::abs(expected));
      const double error =
          std::isfinite(found) ? std::abs(found - expected) : std::numeric_limits<double>::infinity();
      if (error <= row.max_abs) continue;
      row.max_abs = error;
      row.worst = cell;
    }
  }
  row.max_rel = row.max_abs == 0 ? 0 : row.max_abs / std::max(largest, 1e-30);
  if (const double most = capture_tolerance(result.features->precision); row.max_rel > most)
    row.fault = "differs by " + two_digits(row.max_rel) + " of the largest value at " +
                (captured.points ? place_text(captured, row.worst) : text_of(row.worst)) + "; limit " +
                shortest(most);
  return row;
}

}  // namespace

Capture read_capture(const std::filesystem::path& path, const Network& network) {
  const auto bytes = read_file(path, 16ULL << 30U);
  const TensorFile file(bytes, path.string());
  return CaptureReader(file, network).read();
}

double capture_tolerance(Precision precision) noexcept {
  return precision == Precision::fp32 ? 1e-5 : 1e-2;
}

std::vector<CaptureRow> compare_with_capture(Session& session, const Plan& plan, const Capture& capture,
                                             Job& job) {
  std::vector<CaptureRow> rows;
  session.run_all(plan, job, [&](const std::shared_ptr<const LayerResult>& result) {
    const auto found =
        std::find_if(capture.layers.begin(), capture.layers.end(),
                     [&](const CapturedLayer& captured) { return captured.layer == result->layer; });
    if (found == capture.layers.end()) return;
    const Layer& layer = session.network().layers[static_cast<std::size_t>(result->layer)];
    rows.push_back(compare(*result, *found, layer));
  });
  return rows;
}

std::string why_not_captured(const SkippedLayer& skipped) {
  const Layer& layer = skipped.layer;
  if (skipped.opaque) return skipped.why;
  if (!layer.convolution()) return "is not a convolution";
  if (layer.transposed) return "is transposed: its voxels come from another layer";
  return {};
}

namespace {

/// Returns the features of each row, followed by the residual of the row.
std::vector<float> joined_rows(const std::vector<float>& features, const std::vector<float>& residual,
                               const Layer& layer) {
  const std::ptrdiff_t in = layer.in_channels, out = layer.out_channels;
  std::vector<float> joined;
  joined.reserve(features.size() + residual.size());
  for (std::ptrdiff_t row = 0; row < std::ssize(features) / in; ++row) {
    joined.insert(joined.end(), features.begin() + (row * in), features.begin() + ((row + 1) * in));
    joined.insert(joined.end(), residual.begin() + (row * out), residual.begin() + ((row + 1) * out));
  }
  return joined;
}

/// Returns the residual of a layer in the order of its input voxels. Returns an empty value if the capture
/// does not contain it, or if the output has other voxels.
std::optional<std::vector<float>> captured_residual(const TensorFile& file, const Layer& layer,
                                                    std::int64_t rows) {
  const std::string name = layer.name + ".in_residual";
  const Tensor* const tensor = file.find(name);
  if (tensor == nullptr || layer.residual.empty() || !layer.submanifold()) return std::nullopt;
  if (tensor->type != "F32" || tensor->shape != std::vector<std::int64_t>{rows, layer.out_channels})
    throw file.fault("tensor " + shortened(name) + ": expected F32 [" + std::to_string(rows) + ", " +
                     std::to_string(layer.out_channels) + "]");
  return file.floats(*tensor);
}

/// Returns the tensors of an input as a scene. Coordinates count from the input of the layer. If `residual`
/// is true, the residual follows the features of each voxel; sets `residual` to false if the capture lacks
/// it.
std::shared_ptr<const PointCloud> captured_cloud(const TensorFile& file, const std::string& file_name,
                                                 const Layer& layer, bool& residual, Job& job) {
  const std::string coords_name = layer.name + ".in_coords", features_name = layer.name + ".in_features";
  const Tensor *const coords = file.find(coords_name), *const features = file.find(features_name);
  if (coords == nullptr && features == nullptr) return nullptr;
  if (coords == nullptr || features == nullptr)
    throw file.fault("tensor " + shortened(coords == nullptr ? coords_name : features_name) + " is missing");
  if (coords->type != "I32" || coords->shape.size() != 2 || (coords->shape[1] != 3 && coords->shape[1] != 4))
    throw file.fault("tensor " + shortened(coords_name) +
                     ": expected I32 [voxels, 3], or [voxels, 4] with a batch index");
  if (features->type != "F32" || features->shape.size() != 2 || features->shape[1] != layer.in_channels)
    throw file.fault("tensor " + shortened(features_name) + ": expected F32 [voxels, " +
                     std::to_string(layer.in_channels) + "]");
  if (features->shape[0] != coords->shape[0])
    throw file.fault("tensors " + shortened(coords_name) + " and " + shortened(features_name) +
                     " have different numbers of rows");
  VoxelRows rows{static_cast<int>(coords->shape[1]), file.integers(*coords), layer.in_channels,
                 file.floats(*features)};
  const auto added = residual ? captured_residual(file, layer, coords->shape[0]) : std::nullopt;
  residual = added.has_value();
  if (added) {
    rows.features = joined_rows(rows.features, *added, layer);
    rows.channels += layer.out_channels;
  }
  PointCloud cloud =
      cloud_of_voxels(std::move(rows), file_name + ", input of " + layer.name, "voxels", {}, job);
  cloud.name = std::filesystem::path(file_name).filename().string() + ", input of " + layer.name;
  return std::make_shared<const PointCloud>(std::move(cloud));
}

/// Returns a linear layer that copies channels of the input of the network.
Layer copying_layer(const std::string& name, int in_channels, int out_channels) {
  Layer layer;
  layer.name = name;
  layer.inputs = {"input"};
  layer.kernel_size = 1;
  layer.in_channels = in_channels;
  layer.out_channels = out_channels;
  layer.batch_norm = false;
  layer.activation = Activation::none;
  return layer;
}

/// Returns a network of one skipped layer. With its residual, two layers before it copy its input and its
/// residual.
std::shared_ptr<const Network> network_of(const Network& network, const Layer& skipped, bool residual) {
  auto one = std::make_shared<Network>();
  one->name = network.name + ":" + skipped.name;
  one->title = "layer " + skipped.name + " of " + network.title + ", from its captured input" +
               (residual ? " and residual" : "");
  one->in_channels = skipped.in_channels + (residual ? skipped.out_channels : 0);
  one->features_from_file = true;
  one->origin = network.origin;
  one->origin.push_back({"captured input of layer", skipped.name});
  const std::string input = skipped.name + ".in_features", added = skipped.name + ".in_residual";
  if (residual) {
    one->layers.push_back(copying_layer(input, one->in_channels, skipped.in_channels));
    one->layers.push_back(copying_layer(added, one->in_channels, skipped.out_channels));
  }
  Layer& layer = one->layers.emplace_back(skipped);
  layer.inputs = {residual ? input : "input"};
  layer.residual = residual ? added : "";
  layer.map_of.clear();
  return one;
}

/// Divides the coordinates of voxels by the size of a cell.
void to_cells(std::vector<CapturedVoxel>& voxels, const std::vector<std::int64_t>& stride) {
  for (CapturedVoxel& voxel : voxels) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      voxel.at(axis + 1) /= stride.at(axis);
  }
}

/// Reads the recorded output of a layer that runs from its captured input, or the reason why it cannot be
/// compared.
void read_output(const TensorFile& file, const Network& network, const Layer& skipped, CapturedInput& input) {
  const Tensor* const stride = file.find(skipped.name + ".in_stride");
  if (input.without_residual) {
    input.why_not_compared = skipped.submanifold()
                                 ? "the capture has no residual of this layer"
                                 : "the residual of a layer that changes its voxels is not captured";
  } else if (!skipped.map_of.empty()) {
    input.why_not_compared = "the layer uses the kernel map of " + skipped.map_of;
  } else if (file.find(skipped.name + ".output") == nullptr) {
    input.why_not_compared = "the capture has no output of this layer";
  } else if (stride == nullptr) {
    input.why_not_compared = "the capture does not contain the stride of its input";
  }
  if (!input.why_not_compared.empty()) return;
  if (stride->type != "I32" || stride->shape != std::vector<std::int64_t>{3})
    throw file.fault("tensor " + shortened(skipped.name) + ".in_stride: expected I32 [3]");
  const auto step = file.integers(*stride);
  if (std::any_of(step.begin(), step.end(), [](std::int64_t one) { return one < 1; }))
    throw file.fault("tensor " + shortened(skipped.name) + ".in_stride: a stride is below 1");
  input.output = CaptureReader(file, network).output_of(skipped);
  to_cells(input.output->coords, step);
  to_cells(input.output->cells, step);
}

}  // namespace

std::vector<CapturedInput> captured_inputs(const std::filesystem::path& path, const Network& network,
                                           const std::string& only, bool with_outputs, Job& job) {
  const auto bytes = read_file(path, 16ULL << 30U);
  const TensorFile file(bytes, path.string());
  std::vector<CapturedInput> inputs;
  for (const SkippedLayer& skipped : network.skipped) {
    if (!why_not_captured(skipped).empty() || (!only.empty() && skipped.layer.name != only)) continue;
    bool residual = with_outputs;
    auto cloud = captured_cloud(file, path.string(), skipped.layer, residual, job);
    if (!cloud) continue;
    CapturedInput input{network_of(network, skipped.layer, residual), std::move(cloud)};
    input.without_residual = !skipped.layer.residual.empty() && !residual;
    if (with_outputs) read_output(file, network, skipped.layer, input);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

NetworkWeights captured_weights(const std::filesystem::path& file, const CapturedInput& input) {
  const std::vector<Layer>& layers = input.network->layers;
  NetworkWeights weights = read_layer_weights(file, layers.back());
  if (layers.size() == 1) return weights;
  int first = 0;  // The first input channel that the next layer copies.
  std::vector<LayerWeights> copies;
  for (std::size_t at = 0; at + 1 < layers.size(); ++at) {
    LayerWeights copy{1, layers[at].in_channels, layers[at].out_channels, {}, {}};
    const auto out = static_cast<std::size_t>(copy.out_channels);
    copy.weight.assign(static_cast<std::size_t>(copy.in_channels) * out, 0.0F);
    copy.bias.assign(out, 0.0F);
    for (std::size_t channel = 0; channel < out; ++channel)
      copy.weight[((static_cast<std::size_t>(first) + channel) * out) + channel] = 1.0F;
    first += copy.out_channels;
    copies.push_back(std::move(copy));
  }
  weights.layers.insert(weights.layers.begin(), copies.begin(), copies.end());
  return weights;
}

CaptureRow compare_with_output(const LayerResult& result, const CapturedInput& input) {
  return compare(result, *input.output, input.network->layers.back());
}

}  // namespace spira

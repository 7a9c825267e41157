// Reads and writes the weights of a network as .safetensors files.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <fstream>
#include <set>

namespace spira {
namespace {

/// The tensors of a weight file. Collects the faults of all tensors, so that one message can report them.
class File {
 public:
  explicit File(const std::filesystem::path& path)
      : bytes_(read_file(path, 16ULL << 30U)), file_(bytes_, path.string()) {
    const auto norm = file_.metadata().find("batch_norm");
    folded_ = norm != file_.metadata().end() && norm->second == "folded";
  }

  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return hash64(bytes_); }

  /// Returns true if the file states that the batch norm is already folded into the weights.
  [[nodiscard]] bool folded() const noexcept { return folded_; }

  /// Returns the values of a tensor. Its shape must be one of `shapes`. If the tensor is missing, has another
  /// shape or type, or has values that are not finite, records a fault and returns an empty list.
  std::vector<float> take(const std::string& key, const std::vector<std::vector<std::int64_t>>& shapes) {
    const Tensor* const found = file_.find(key);
    if (found == nullptr) {
      note("tensor " + shortened(key) + " is missing");
      return {};
    }
    const Tensor& tensor = *found;
    used_.insert(key);
    const auto bad = [&](const std::string& why) {
      note("tensor " + shortened(key) + why);
      return std::vector<float>{};
    };
    if (std::find(shapes.begin(), shapes.end(), tensor.shape) == shapes.end())
      return bad(" has shape " + shape_text(tensor.shape) + ", expected " + shape_text(shapes.front()));
    if (tensor.type != "F32" && tensor.type != "F16")
      return bad(": dtype " + shortened(tensor.type) + ", expected F32 or F16");
    std::vector<float> values = file_.floats(tensor);
    const auto wrong =
        std::count_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
    if (wrong > 0)
      return bad(" has NaN or infinite values: " + count_text(wrong) + " of " +
                 count_text(std::ssize(values)));
    return values;
  }

  void note(const std::string& fault) { faults_.push_back(fault); }

  /// Records a fault for each tensor that was never passed to take(). Ignores the counter that torch stores
  /// with each batch norm, because it does not affect the output, and the tensors of layers that do not run.
  void note_unused(const Network& network) {
    for (const auto& entry : file_.tensors()) {
      const std::string& key = entry.first;
      if (used_.contains(key)) continue;
      const std::string layer = layer_of(key, network);
      if (!layer.empty() && key == layer + ".bn.num_batches_tracked") continue;
      const bool skipped =
          std::any_of(network.skipped.begin(), network.skipped.end(),
                      [&](const SkippedLayer& one) { return key.starts_with(one.layer.name + "."); });
      if (layer.empty() && skipped) continue;
      note("tensor " + shortened(key) +
           (layer.empty() ? " does not belong to a layer of the network"
                          : ": layer " + shortened(layer) + " has no such tensor in the network file"));
    }
  }

  /// Throws one error if there are faults. Its message contains the first faults and the number of the other
  /// faults.
  void require_no_faults() const {
    if (faults_.empty()) return;
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t at = 0; at < faults_.size() && at < most; ++at)
      text += (at == 0 ? "" : "; ") + faults_[at];
    if (faults_.size() > most)
      text += "; and " + counted_text(std::ssize(faults_) - static_cast<std::int64_t>(most), "more fault",
                                      "more faults");
    throw file_.fault(text);
  }

 private:
  /// Returns the name of the layer to which a tensor belongs, or an empty string if there is none.
  static std::string layer_of(const std::string& key, const Network& network) {
    for (const Layer& layer : network.layers) {
      for (const char* tensor : {".weight", ".bias", ".scale", ".shift"}) {
        if (key == layer.name + tensor) return layer.name;
      }
      if (key.starts_with(layer.name + ".bn.")) return layer.name;
    }
    return {};
  }

  std::vector<std::byte> bytes_;
  TensorFile file_;
  bool folded_ = false;
  std::set<std::string> used_;
  std::vector<std::string> faults_;
};

/// Reads the batch norm of a layer. If the other tensors of the layer are valid (`sound`), folds it into
/// `weights`, or stores it as scale and shift if it follows another step.
void read_norm(File& file, const Layer& layer, bool sound, LayerWeights& weights) {
  const std::vector<std::vector<std::int64_t>> shape{{layer.out_channels}};
  const std::string prefix = layer.name + ".bn.";
  BatchNorm norm;
  norm.epsilon = layer.norm_epsilon;
  norm.gamma = file.take(prefix + "weight", shape);
  norm.beta = file.take(prefix + "bias", shape);
  norm.mean = file.take(prefix + "running_mean", shape);
  norm.variance = file.take(prefix + "running_var", shape);
  const auto negative =
      std::count_if(norm.variance.begin(), norm.variance.end(), [](float value) { return value < 0; });
  if (negative > 0)
    file.note("tensor " + shortened(prefix + "running_var") + " has negative values: " +
              count_text(negative) + " of " + count_text(std::ssize(norm.variance)));
  const bool complete =
      !norm.gamma.empty() && !norm.beta.empty() && !norm.mean.empty() && !norm.variance.empty();
  if (!sound || !complete || negative > 0) return;
  if (layer.folds_norm()) {
    fold(norm, weights);
  } else {
    set_scale(norm, weights);
  }
  const auto finite = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  };
  if (!finite(weights.weight) || !finite(weights.bias) || !finite(weights.scale) || !finite(weights.shift))
    file.note("layer " + shortened(layer.name) + ": folding " + shortened(prefix) +
              "* into the weights gives values outside the range of float32");
}

LayerWeights read_layer(File& file, const Layer& layer) {
  LayerWeights weights;
  weights.in_channels = layer.in_channels;
  weights.out_channels = layer.out_channels;
  if (layer.has_scale() && (file.folded() || !layer.convolution())) {
    weights.scale = file.take(layer.name + ".scale", {{layer.out_channels}});
    weights.shift = file.take(layer.name + ".shift", {{layer.out_channels}});
  }
  if (!layer.convolution()) return weights;
  weights.columns = layer.kernel_size.product();
  const std::int64_t stored = layer.stored_kernel_size.value_or(layer.kernel_size).product();
  std::vector<std::vector<std::int64_t>> shapes{{stored, layer.in_channels, layer.out_channels}};
  if (stored == 1) shapes.push_back({layer.in_channels, layer.out_channels});
  weights.weight = file.take(layer.name + ".weight", shapes);
  // The kernel in the file can have more cells than the map of another layer that this layer uses. The
  // additional matrices are not used.
  const std::size_t used = static_cast<std::size_t>(weights.columns) *
                           static_cast<std::size_t>(layer.in_channels) *
                           static_cast<std::size_t>(layer.out_channels);
  if (weights.weight.size() > used) weights.weight.resize(used);
  const bool has_bias = layer.bias || (layer.batch_norm && layer.folds_norm() && file.folded());
  if (has_bias) weights.bias = file.take(layer.name + ".bias", {{layer.out_channels}});
  const bool sound = !weights.weight.empty() && (!has_bias || !weights.bias.empty());
  weights.bias.resize(static_cast<std::size_t>(layer.out_channels), 0.0F);
  if (layer.batch_norm && !file.folded()) read_norm(file, layer, sound, weights);
  return weights;
}

}  // namespace

NetworkWeights read_safetensors(const std::filesystem::path& path, const Network& network) {
  File file(path);
  NetworkWeights all;
  all.source = path.string();
  all.fingerprint = file.fingerprint();
  for (const Layer& layer : network.layers)
    all.layers.push_back(read_layer(file, layer));
  file.note_unused(network);
  file.require_no_faults();
  return all;
}

NetworkWeights read_layer_weights(const std::filesystem::path& path, const Layer& layer) {
  File file(path);
  NetworkWeights one;
  one.source = path.string();
  one.layers.push_back(read_layer(file, layer));
  file.require_no_faults();
  return one;
}

namespace {

/// Returns the weights of a layer with the number of matrices that read_safetensors() expects. Matrices that
/// the layer does not use are zeros.
std::vector<float> stored_weight(const Layer& layer, const LayerWeights& weights) {
  std::vector<float> all = weights.weight;
  const PerAxis cells = layer.stored_kernel_size.value_or(layer.kernel_size);
  all.resize(static_cast<std::size_t>(cells.product()) * static_cast<std::size_t>(weights.in_channels) *
             static_cast<std::size_t>(weights.out_channels));
  return all;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const Network& network,
                       const NetworkWeights& weights) {
  std::vector<NamedArray> tensors;
  std::deque<std::vector<float>> padded;  // `tensors` refers to this data.
  const auto add = [&](const std::string& key, const std::vector<float>& values,
                       const std::vector<std::int64_t>& shape) {
    tensors.push_back({key, ArrayType::f32, shape, std::as_bytes(std::span(values))});
  };
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    const LayerWeights& values = weights.layers.at(at);
    if (layer.has_scale()) {
      add(layer.name + ".scale", values.scale, {values.out_channels});
      add(layer.name + ".shift", values.shift, {values.out_channels});
    }
    if (!layer.convolution()) continue;
    add(layer.name + ".weight", padded.emplace_back(stored_weight(layer, values)),
        {layer.stored_kernel_size.value_or(layer.kernel_size).product(), values.in_channels,
         values.out_channels});
    if (layer.bias || (layer.batch_norm && layer.folds_norm()))
      add(layer.name + ".bias", values.bias, {values.out_channels});
  }
  write_file(path, safetensors_bytes(tensors, {{"batch_norm", "folded"}}));
}

bool is_weights_file(const std::filesystem::path& file) {
  constexpr std::uint64_t max_header_bytes = 100ULL << 20U;
  std::ifstream in(file, std::ios::binary);
  std::array<unsigned char, 8> length{};
  for (unsigned char& byte : length)
    byte = static_cast<unsigned char>(in.get());
  std::uint64_t bytes = 0;
  for (std::size_t at = length.size(); at-- > 0;)
    bytes = (bytes << 8U) | length.at(at);
  if (!in || bytes < 2 || bytes > max_header_bytes) return false;
  std::string header(static_cast<std::size_t>(bytes), '\0');
  in.read(header.data(), static_cast<std::streamsize>(bytes));
  return in && header.front() == '{' && header.find("\"coords\"") == std::string::npos;
}

}  // namespace spira

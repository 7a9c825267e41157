// .safetensors: 8 bytes of header length, a JSON header, then the tensors. Written and read with every length
// checked.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/half.hpp"
#include "engine/network/weights.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little,
              "tensors are little-endian and are copied as they are");

struct Tensor {
  std::vector<std::int64_t> shape;
  bool half = false;
  std::uint64_t begin = 0, end = 0;  ///< within the data
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t at = 0; at < shape.size(); ++at)
    text += (at == 0 ? "" : ", ") + std::to_string(shape[at]);
  return text + "]";
}

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : name_(path.string()), bytes_(read_file(path, 16ULL << 30U)) {
    std::uint64_t header_bytes = 0;
    if (bytes_.size() < 8)
      throw fault("has " + std::to_string(bytes_.size()) + " bytes, no room for a header length");
    std::memcpy(&header_bytes, bytes_.data(), 8);
    if (header_bytes > bytes_.size() - 8) {
      throw fault("header of " + std::to_string(header_bytes) + " bytes in a file of " +
                  std::to_string(bytes_.size()));
    }
    data_ = 8 + header_bytes;
    const auto* text = reinterpret_cast<const char*>(bytes_.data()) + 8;
    const Json header = Json::parse(text, text + header_bytes, nullptr, false);
    if (!header.is_object()) throw fault("header is not a JSON object");
    for (const auto& [key, value] : header.items()) {
      if (key != "__metadata__") tensors_[key] = tensor(key, value);
    }
    require_disjoint();
  }

  /// Empty when there is none of that name. Throws when its shape is not one of `shapes`.
  std::vector<float> take(const std::string& key, const std::vector<std::vector<std::int64_t>>& shapes) {
    const auto found = tensors_.find(key);
    if (found == tensors_.end()) return {};
    const Tensor& tensor = found->second;
    used_.insert(key);
    if (std::find(shapes.begin(), shapes.end(), tensor.shape) == shapes.end()) {
      throw fault("tensor " + key + " has shape " + shape_text(tensor.shape) + ", expected " +
                  shape_text(shapes.front()));
    }
    const std::size_t count = (tensor.end - tensor.begin) / (tensor.half ? 2 : 4);
    std::vector<float> values(count);
    const std::byte* from = bytes_.data() + data_ + tensor.begin;
    if (!tensor.half) {
      if (count != 0) std::memcpy(values.data(), from, count * 4);
      return values;
    }
    for (std::size_t at = 0; at < count; ++at) {
      Half half = 0;
      std::memcpy(&half, from + (at * 2), 2);
      values[at] = half_to_float(half);
    }
    return values;
  }

  void require_all_used() const {
    for (const auto& [key, tensor] : tensors_) {
      if (!used_.contains(key)) throw fault("tensor " + key + " belongs to no layer of the network");
    }
  }
  [[nodiscard]] Error fault(const std::string& text) const {
    return Error(ErrorKind::input, name_ + ": " + text);
  }

 private:
  Tensor tensor(const std::string& key, const Json& value) const {
    const auto bad = [&](const std::string& why) { return fault("tensor " + key + ": " + why); };
    if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets")) {
      throw bad("expected dtype, shape and data_offsets");
    }
    Tensor result;
    const Json &type = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
    if (type != "F32" && type != "F16") throw bad("dtype " + type.dump() + ", expected F32 or F16");
    result.half = type == "F16";
    std::uint64_t count = 1;
    if (!shape.is_array() || shape.size() > 4) throw bad("shape must be an array of up to 4 sizes");
    for (const Json& size : shape) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > bytes_.size())
        throw bad("a size that the file cannot hold");
      result.shape.push_back(size.get<std::int64_t>());
      if (size.get<std::uint64_t>() != 0 && count > bytes_.size() / size.get<std::uint64_t>())
        throw bad("larger than the file");
      count *= size.get<std::uint64_t>();
    }
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      throw bad("data_offsets must be [begin, end]");
    }
    result.begin = offsets[0].get<std::uint64_t>();
    result.end = offsets[1].get<std::uint64_t>();
    if (result.begin > result.end || result.end > bytes_.size() - data_)
      throw bad("data_offsets reach outside the file");
    if (result.end - result.begin != count * (result.half ? 2 : 4))
      throw bad("data_offsets and shape disagree");
    return result;
  }
  void require_disjoint() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const auto& [key, tensor] : tensors_)
      ranges.emplace_back(tensor.begin, tensor.end);
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t at = 1; at < ranges.size(); ++at) {
      if (ranges[at].first < ranges[at - 1].second) throw fault("tensors overlap");
    }
  }

  std::string name_;
  std::vector<std::byte> bytes_;
  std::uint64_t data_ = 0;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> used_;
};

void read_norm(File& file, const Layer& layer, LayerWeights& weights) {
  const std::vector<std::vector<std::int64_t>> shape{{layer.out_channels}};
  const std::string prefix = layer.name + ".bn.";
  BatchNorm norm;
  norm.gamma = file.take(prefix + "weight", shape);
  norm.beta = file.take(prefix + "bias", shape);
  norm.mean = file.take(prefix + "running_mean", shape);
  norm.variance = file.take(prefix + "running_var", shape);
  const bool any = !norm.gamma.empty() || !norm.beta.empty() || !norm.mean.empty() || !norm.variance.empty();
  const bool all = !norm.gamma.empty() && !norm.beta.empty() && !norm.mean.empty() && !norm.variance.empty();
  if (any && !all)
    throw file.fault("layer " + layer.name + " has some, but not all of " + prefix +
                     "weight|bias|running_mean|running_var");
  if (all) fold(norm, weights);
}

}  // namespace

NetworkWeights read_safetensors(const std::filesystem::path& path, const Network& network) {
  File file(path);
  NetworkWeights all;
  all.source = path.string();
  for (const Layer& layer : network.layers) {
    LayerWeights weights;
    weights.columns = layer.kernel_size * layer.kernel_size * layer.kernel_size;
    weights.in_channels = layer.in_channels;
    weights.out_channels = layer.out_channels;
    std::vector<std::vector<std::int64_t>> shapes{{weights.columns, layer.in_channels, layer.out_channels}};
    if (layer.kernel_size == 1) shapes.push_back({layer.in_channels, layer.out_channels});
    weights.weight = file.take(layer.name + ".weight", shapes);
    if (weights.weight.empty()) throw file.fault("tensor " + layer.name + ".weight is missing");
    weights.bias = file.take(layer.name + ".bias", {{layer.out_channels}});
    if (weights.bias.empty()) weights.bias.assign(static_cast<std::size_t>(layer.out_channels), 0.0F);
    read_norm(file, layer, weights);
    all.layers.push_back(std::move(weights));
  }
  file.require_all_used();
  return all;
}

void write_safetensors(const std::filesystem::path& path, const Network& network,
                       const NetworkWeights& weights) {
  Json header = Json::object();
  std::string data;
  const auto add = [&](const std::string& key, const std::vector<float>& values,
                       const std::vector<std::int64_t>& shape) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    header[key] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  };
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const LayerWeights& layer = weights.layers.at(at);
    add(network.layers[at].name + ".weight", layer.weight,
        {layer.columns, layer.in_channels, layer.out_channels});
    add(network.layers[at].name + ".bias", layer.bias, {layer.out_channels});
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t header_bytes = text.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &header_bytes, 8);
  write_file(path, bytes + text + data);
}

}  // namespace spira

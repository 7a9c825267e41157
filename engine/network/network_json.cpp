// Reads and writes networks as JSON. Messages about faults contain the position in the document.
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace spira {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_layers = 10'000;
constexpr const char* schema_name = "spira.network 1";

class Reader {
 public:
  explicit Reader(std::string file_name) : file_name_(std::move(file_name)) {}

  Network read(std::string_view text) {
    const Json document = parse_json_object(text, file_name_);
    Network network;
    only_keys(document, "", {"schema", "name", "title", "in_channels", "layers"});
    if (text_at(document, "", "schema", schema_name) != schema_name)
      fault("schema", std::string("expected \"") + schema_name + "\"");
    network.name = text_at(document, "", "name", "");
    network.title = text_at(document, "", "title", network.name);
    network.in_channels = int_at(document, "", "in_channels", 4);
    const auto layers = document.find("layers");
    if (layers == document.end() || !layers->is_array()) {
      fault("layers", "expected an array of layers");
    } else if (layers->size() > max_layers) {
      fault("layers", std::to_string(layers->size()) + " layers; the limit is " + std::to_string(max_layers));
    } else {
      for (std::size_t at = 0; at < layers->size(); ++at) {
        network.layers.push_back(layer((*layers)[at], "layers[" + std::to_string(at) + "]", network));
      }
    }
    if (faults_.empty()) faults_ = spira::faults(network);
    if (!faults_.empty()) fail_all();
    return network;
  }

 private:
  void fault(const std::string& path, const std::string& text) { faults_.push_back(path + ": " + text); }
  [[noreturn]] void fail_all() const {
    constexpr std::size_t most = 10;
    std::string text;
    for (std::size_t at = 0; at < faults_.size() && at < most; ++at)
      text += (at == 0 ? "" : "; ") + faults_[at];
    if (faults_.size() > most) text += "; and " + std::to_string(faults_.size() - most) + " more";
    throw Error(ErrorKind::input, file_name_ + ": " + text);
  }
  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  void only_keys(const Json& object, const std::string& path, const std::set<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
      if (!known.contains(key)) fault(join(path, shortened(key)), "unknown key");
    }
  }
  std::string text_at(const Json& object, const std::string& path, const std::string& key,
                      const std::string& otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    if (!found->is_string()) {
      fault(join(path, key), "expected a string");
      return otherwise;
    }
    const auto& text = found->get_ref<const std::string&>();
    constexpr std::int64_t longest = 1000;
    if (std::ssize(text) > longest) {
      fault(join(path, key),
            count_text(std::ssize(text)) + " bytes; expected at most " + count_text(longest));
      return otherwise;
    }
    return text;
  }
  int int_at(const Json& object, const std::string& path, const std::string& key, int otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    constexpr std::int64_t most = 1'000'000;
    const bool fits = found->is_number_unsigned()
                          ? found->get<std::uint64_t>() <= std::uint64_t{most}
                          : found->is_number_integer() && found->get<std::int64_t>() >= -most &&
                                found->get<std::int64_t>() <= most;
    if (!fits) {
      fault(join(path, key), "expected a whole number");
      return otherwise;
    }
    return found->get<int>();
  }
  bool bool_at(const Json& object, const std::string& path, const std::string& key, bool otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    if (!found->is_boolean()) {
      fault(join(path, key), "expected true or false");
      return otherwise;
    }
    return found->get<bool>();
  }

  Layer layer(const Json& object, const std::string& path, const Network& before) {
    Layer layer;
    if (!object.is_object()) {
      fault(path, "expected an object");
      return layer;
    }
    only_keys(object, path,
              {"name", "inputs", "kernel_size", "stride", "transposed", "in_channels", "out_channels",
               "batch_norm", "relu", "bias", "residual"});
    layer.name = text_at(object, path, "name", "");
    layer.kernel_size = int_at(object, path, "kernel_size", 3);
    layer.stride = int_at(object, path, "stride", 1);
    layer.transposed = bool_at(object, path, "transposed", false);
    layer.out_channels = int_at(object, path, "out_channels", 0);
    layer.batch_norm = bool_at(object, path, "batch_norm", true);
    layer.relu = bool_at(object, path, "relu", true);
    layer.bias = bool_at(object, path, "bias", false);
    layer.residual = text_at(object, path, "residual", "");
    const auto inputs = object.find("inputs");
    if (inputs == object.end()) {
      layer.inputs = {before.layers.empty() ? "input" : before.layers.back().name};
    } else if (!inputs->is_array()) {
      fault(path + ".inputs", "expected an array of names");
    } else {
      for (const Json& input : *inputs) {
        if (input.is_string()) {
          layer.inputs.push_back(input.get<std::string>());
        } else {
          fault(path + ".inputs", "expected an array of names");
        }
      }
    }
    std::int64_t sum = 0;  // in_channels is optional. If it is missing, it is computed from the inputs.
    for (const auto& input : layer.inputs) {
      const int index = before.index_of(input);
      sum += index < 0 ? before.in_channels : before.layers[static_cast<std::size_t>(index)].out_channels;
    }
    constexpr std::int64_t limit = 1'000'000'000;
    layer.in_channels =
        int_at(object, path, "in_channels", static_cast<int>(std::clamp<std::int64_t>(sum, -limit, limit)));
    return layer;
  }

  std::string file_name_;
  std::vector<std::string> faults_;
};

}  // namespace

Network parse_network(std::string_view json, std::string_view file_name) {
  return Reader(std::string(file_name)).read(json);
}

Network read_network(const std::filesystem::path& file) {
  constexpr std::uint64_t max_bytes = 16ULL << 20U;
  return parse_network(read_text_file(file, max_bytes), file.string());
}

std::string network_json(const Network& network) {
  nlohmann::ordered_json document;
  document["schema"] = schema_name;
  document["name"] = network.name;
  document["title"] = network.title;
  document["in_channels"] = network.in_channels;
  document["layers"] = nlohmann::ordered_json::array();
  for (const Layer& layer : network.layers) {
    nlohmann::ordered_json row;
    row["name"] = layer.name;
    row["inputs"] = layer.inputs;
    row["kernel_size"] = layer.kernel_size;
    row["stride"] = layer.stride;
    if (layer.transposed) row["transposed"] = true;
    row["in_channels"] = layer.in_channels;
    row["out_channels"] = layer.out_channels;
    row["batch_norm"] = layer.batch_norm;
    row["relu"] = layer.relu;
    if (layer.bias) row["bias"] = true;
    if (!layer.residual.empty()) row["residual"] = layer.residual;
    document["layers"].push_back(row);
  }
  return document.dump(1) + "\n";
}

}  // namespace spira

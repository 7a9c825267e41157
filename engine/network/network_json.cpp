// Reads and writes networks as JSON. Messages about faults contain the position in the document.
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <span>

namespace spira {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_layers = 10'000;
constexpr std::string_view first_schema = "spira.network 1", second_schema = "spira.network 2";

class Reader {
 public:
  explicit Reader(std::string file_name) : file_name_(std::move(file_name)) {}

  Network read(std::string_view text) {
    const Json document = parse_json_object(text, file_name_);
    Network network;
    const std::string schema = text_at(document, "", "schema", std::string(first_schema));
    second_ = schema == second_schema;
    if (!second_ && schema != first_schema)
      fault("schema",
            "expected \"" + std::string(first_schema) + "\" or \"" + std::string(second_schema) + "\"");
    std::set<std::string> known{"schema", "name", "title", "in_channels", "layers"};
    if (second_) known.insert("input");
    only_keys(document, "", known);
    network.name = text_at(document, "", "name", "");
    network.title = text_at(document, "", "title", network.name);
    network.in_channels = int_at(document, "", "in_channels", 4);
    if (const auto input = document.find("input"); second_ && input != document.end())
      read_input(*input, network);
    if (!network.features.empty() && !document.contains("in_channels"))
      network.in_channels = static_cast<int>(network.features.size());
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
  /// Reads a whole number for all axes, or an array of three.
  PerAxis per_axis_at(const Json& object, const std::string& path, const std::string& key,
                      PerAxis otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    if (!second_ || !found->is_array()) return int_at(object, path, key, 0);
    const auto numbers = three_at(object, path, key);
    return {static_cast<int>(numbers[0]), static_cast<int>(numbers[1]), static_cast<int>(numbers[2])};
  }
  /// Reads an array of three whole numbers, for x, y and z.
  std::array<std::int64_t, 3> three_at(const Json& object, const std::string& path, const std::string& key) {
    std::array<std::int64_t, 3> numbers{1, 1, 1};
    const Json& array = object.at(key);
    if (!array.is_array() || array.size() != 3) {
      fault(join(path, key), "expected three whole numbers, for x, y and z");
      return numbers;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr std::int64_t most = std::int64_t{1} << 30U;
      const Json& number = array[axis];
      const bool fits = number.is_number_unsigned()
                            ? number.get<std::uint64_t>() <= std::uint64_t{most}
                            : number.is_number_integer() && number.get<std::int64_t>() >= -most;
      if (fits) {
        numbers.at(axis) = number.get<std::int64_t>();
      } else {
        fault(join(path, key) + "[" + std::to_string(axis) + "]",
              "expected a whole number from -2^30 to 2^30");
      }
    }
    return numbers;
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

  double number_at(const Json& object, const std::string& path, const std::string& key, double otherwise,
                   double low, double high) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    if (value >= low && value <= high) return value;
    fault(join(path, key), "expected a number from " + shortest(low) + " to " + shortest(high));
    return otherwise;
  }
  /// Returns the value whose name is the text of a key. `all` contains every value of the enumeration.
  template <class Value>
  Value name_at(const Json& object, const std::string& path, const std::string& key, Value otherwise,
                std::span<const Value> all) {
    const std::string text = text_at(object, path, key, std::string(text_of(otherwise)));
    std::string names;
    for (const Value value : all) {
      if (text_of(value) == text) return value;
      names += (names.empty() ? "" : ", ") + std::string(text_of(value));
    }
    fault(join(path, key), "'" + shortened(text) + "' is not one of " + names);
    return otherwise;
  }

  void read_input(const Json& input, Network& network) {
    if (!input.is_object()) return fault("input", "expected an object");
    only_keys(input, "input", {"features"});
    const auto features = input.find("features");
    if (features == input.end()) return;
    network.features_from_file = features->is_string() && features->get<std::string>() == "file";
    if (network.features_from_file) return;
    constexpr std::size_t max_features = 4'096;
    if (!features->is_array() || features->empty() || features->size() > max_features)
      return fault("input.features", "expected \"file\" or an array of 1 to 4,096 features");
    for (std::size_t at = 0; at < features->size(); ++at)
      network.features.push_back(feature((*features)[at], "input.features[" + std::to_string(at) + "]"));
  }

  InputFeature feature(const Json& json, const std::string& path) {
    using enum PointValue;
    static constexpr std::array values{x, y, z, intensity, red, green, blue, label, count, one};
    static constexpr std::array frames{PointFrame::scene, PointFrame::grid, PointFrame::voxel};
    InputFeature feature;
    const Json object = json.is_string() ? Json{{"value", json}} : json;
    if (!object.is_object() || !object.contains("value")) {
      fault(path, "expected a name such as \"x\", or an object with a value");
      return feature;
    }
    only_keys(object, path, {"value", "frame", "scale", "add"});
    constexpr double most = 1e9;
    feature.value = name_at<PointValue>(object, path, "value", x, values);
    feature.frame = name_at<PointFrame>(object, path, "frame", PointFrame::scene, frames);
    feature.scale = number_at(object, path, "scale", 1, -most, most);
    feature.add = number_at(object, path, "add", 0, -most, most);
    if (feature.frame != PointFrame::scene && feature.value > z)
      fault(path + ".frame", "only x, y and z have a frame");
    return feature;
  }

  /// Reads the keys that replaced "batch_norm" and "relu" in the second version.
  void read_norm_and_activation(const Json& object, const std::string& path, Layer& layer) {
    if (const auto norm = object.find("norm"); norm != object.end()) {
      if (norm->is_object()) {
        only_keys(*norm, path + ".norm", {"eps"});
        constexpr double largest = 1;
        layer.norm_epsilon =
            static_cast<float>(number_at(*norm, path + ".norm", "eps", default_norm_epsilon, 0, largest));
      } else {
        layer.batch_norm = bool_at(object, path, "norm", true);
      }
    }
    const std::string activation = text_at(object, path, "activation", "relu");
    layer.relu = activation == "relu";
    if (!layer.relu && activation != "none")
      fault(path + ".activation", "'" + shortened(activation) + "' is not one of none, relu");
  }

  /// Reads the keys of the second version that determine the outputs and the map of a layer.
  void read_rule(const Json& object, const std::string& path, const Network& before, Layer& layer) {
    static constexpr std::array rules{OutputRule::floor, OutputRule::reached};
    layer.rule = name_at<OutputRule>(object, path, "rule", OutputRule::floor, rules);
    if (object.contains("padding")) layer.padding = per_axis_at(object, path, "padding", 0);
    if (object.contains("cells")) {
      layer.cells = three_at(object, path, "cells");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (layer.cells.at(axis) == 0)
          fault(path + ".cells[" + std::to_string(axis) + "]", "expected a number of at least 1");
      }
    }
    layer.map_of = text_at(object, path, "map_of", "");
    // A layer that uses another map has the padding, the stride and the rule of that map.
    const int owner = layer.map_of.empty() ? -1 : before.index_of(layer.map_of);
    if (owner < 0) return;
    const Layer& from = before.layers[static_cast<std::size_t>(owner)];
    if (!object.contains("padding")) layer.padding = from.padding;
    if (!object.contains("stride")) layer.stride = from.stride;
    if (layer.transposed || from.transposed) return;
    if (!object.contains("rule")) layer.rule = from.rule;
    if (!object.contains("cells")) layer.cells = from.cells;
  }

  Layer layer(const Json& object, const std::string& path, const Network& before) {
    Layer layer;
    if (!object.is_object()) {
      fault(path, "expected an object");
      return layer;
    }
    std::set<std::string> known{"name",        "inputs",       "kernel_size", "stride",  "transposed",
                                "in_channels", "out_channels", "bias",        "residual"};
    known.insert(second_ ? "norm" : "batch_norm");
    known.insert(second_ ? "activation" : "relu");
    if (second_) known.insert({"rule", "padding", "cells", "map_of"});
    only_keys(object, path, known);
    layer.name = text_at(object, path, "name", "");
    layer.kernel_size = per_axis_at(object, path, "kernel_size", 3);
    if (const int size = layer.kernel_size[0]; !second_ && (size == 4 || size == 6))
      fault(path + ".kernel_size", std::to_string(size) + " is not one of 1, 2, 3, 5, 7");
    layer.stride = per_axis_at(object, path, "stride", 1);
    layer.transposed = bool_at(object, path, "transposed", false);
    layer.out_channels = int_at(object, path, "out_channels", 0);
    if (second_) {
      read_norm_and_activation(object, path, layer);
      read_rule(object, path, before, layer);
    } else {
      layer.batch_norm = bool_at(object, path, "batch_norm", true);
      layer.relu = bool_at(object, path, "relu", true);
    }
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
  bool second_ = false;  // true for the schema "spira.network 2"
  std::vector<std::string> faults_;
};

using OrderedJson = nlohmann::ordered_json;

bool fits_first_schema(const Network& network) {
  return network.features.empty() && !network.features_from_file &&
         std::all_of(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
           const int size = layer.kernel_size[0];
           return layer.norm_epsilon == default_norm_epsilon && layer.kernel_size.equal() && size != 4 &&
                  size != 6 && layer.stride.equal() && !layer.padding && layer.map_of.empty() &&
                  layer.rule == OutputRule::floor;
         });
}

/// Returns the shortest decimal number that is read as `value`, so that an epsilon of 0.001 is written as
/// 0.001.
double decimal(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double number = 0;
  std::from_chars(text.data(), end, number);
  return number;
}

OrderedJson json_of(const PerAxis& numbers) {
  if (numbers.equal()) return numbers[0];
  return numbers.values;
}

OrderedJson json_of(const InputFeature& feature) {
  OrderedJson json{{"value", text_of(feature.value)}};
  if (feature.frame != PointFrame::scene) json["frame"] = text_of(feature.frame);
  if (feature.scale != 1) json["scale"] = feature.scale;
  if (feature.add != 0) json["add"] = feature.add;
  return json;
}

}  // namespace

Network parse_network(std::string_view json, std::string_view file_name) {
  return Reader(std::string(file_name)).read(json);
}

Network read_network(const std::filesystem::path& file) {
  constexpr std::uint64_t max_bytes = 16ULL << 20U;
  return parse_network(read_text_file(file, max_bytes), file.string());
}

std::string network_json(const Network& network) {
  OrderedJson document;
  const bool first = fits_first_schema(network);
  document["schema"] = first ? first_schema : second_schema;
  document["name"] = network.name;
  document["title"] = network.title;
  document["in_channels"] = network.in_channels;
  if (network.features_from_file) document["input"]["features"] = "file";
  for (const InputFeature& feature : network.features)
    document["input"]["features"].push_back(json_of(feature));
  document["layers"] = OrderedJson::array();
  for (const Layer& layer : network.layers) {
    OrderedJson row;
    row["name"] = layer.name;
    row["inputs"] = layer.inputs;
    row["kernel_size"] = json_of(layer.kernel_size);
    row["stride"] = json_of(layer.stride);
    if (layer.transposed) row["transposed"] = true;
    if (layer.padding) row["padding"] = json_of(*layer.padding);
    if (layer.rule == OutputRule::reached) row["rule"] = text_of(layer.rule);
    if (layer.cells != std::array<std::int64_t, 3>{}) row["cells"] = layer.cells;
    if (!layer.map_of.empty()) row["map_of"] = layer.map_of;
    row["in_channels"] = layer.in_channels;
    row["out_channels"] = layer.out_channels;
    if (first) {
      row["batch_norm"] = layer.batch_norm;
      row["relu"] = layer.relu;
    } else {
      row["norm"] = layer.batch_norm ? OrderedJson{{"eps", decimal(layer.norm_epsilon)}} : OrderedJson(false);
      row["activation"] = layer.relu ? "relu" : "none";
    }
    if (layer.bias) row["bias"] = true;
    if (!layer.residual.empty()) row["residual"] = layer.residual;
    document["layers"].push_back(row);
  }
  return document.dump(1) + "\n";
}

}  // namespace spira

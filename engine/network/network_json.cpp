// Reads and writes networks as JSON. Messages about faults contain the position in the document.
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/file.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/network/network.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
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
    if (!second_ && schema != first_schema) {
      fault("schema",
            "expected \"" + std::string(first_schema) + "\" or \"" + std::string(second_schema) + "\"");
      fail_all();  // The other keys can have another meaning.
    }
    std::set<std::string> known{"schema", "name", "title", "space", "in_channels", "layers"};
    if (second_) known.insert({"input", "origin", "outputs"});
    only_keys(document, "", known);
    network.name = text_at(document, "", "name", "");
    network.title = text_at(document, "", "title", network.name);
    static constexpr std::array spaces{NetworkSpace::voxels, NetworkSpace::bev};
    network.space = name_at<NetworkSpace>(document, "", "space", NetworkSpace::voxels, spaces);
    network.in_channels = int_at(document, "", "in_channels", 4);
    if (const auto input = document.find("input"); second_ && input != document.end())
      read_input(*input, network);
    if (second_) read_origin_and_outputs(document, network);
    if (!network.features.empty() && !document.contains("in_channels"))
      network.in_channels = static_cast<int>(network.features.size());
    const auto layers = document.find("layers");
    if (layers == document.end() || !layers->is_array()) {
      fault("layers", "expected an array of layers");
    } else if (layers->size() > max_layers) {
      fault("layers", count_text(std::ssize(*layers)) + " layers; the limit is " + count_text(max_layers));
    } else {
      for (std::size_t at = 0; at < layers->size(); ++at) {
        read_layer((*layers)[at], at, network);
      }
    }
    if (faults_.empty()) separate_outputs(network);
    if (faults_.empty() && network.layers.empty() && !network.skipped.empty())
      fault("layers", "no layer can run: '" + shortened(network.skipped.front().layer.name) + "' " +
                          network.skipped.front().why);
    if (faults_.empty() && !second_ && reads_point_features(network))
      fault("layers", "no earlier layer is called 'points'");
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
  /// Returns the value whose name is the text of a key. `all` contains every value of the enumeration. The
  /// message about an unknown name also lists `other_names`.
  template <class Value>
  Value name_at(const Json& object, const std::string& path, const std::string& key, Value otherwise,
                std::span<const Value> all, const std::string& other_names = {}) {
    const std::string text = text_at(object, path, key, std::string(text_of(otherwise)));
    std::string names;
    for (const Value value : all) {
      if (text_of(value) == text) return value;
      names += (names.empty() ? "" : ", ") + std::string(text_of(value));
    }
    fault(join(path, key), "'" + shortened(text) + "' is not one of " + names + other_names);
    return otherwise;
  }

  void read_input(const Json& input, Network& network) {
    if (!input.is_object()) return fault("input", "expected an object");
    only_keys(input, "input", {"features", "grid"});
    read_features(input, network);
    if (const auto grid = input.find("grid"); grid != input.end()) read_grid(*grid, network);
  }

  void read_features(const Json& input, Network& network) {
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
      fault(path + ".frame", "only x, y and z can have a frame");
    return feature;
  }

  void read_grid(const Json& object, Network& network) {
    const std::string path = "input.grid";
    if (!object.is_object()) return fault(path, "expected an object");
    only_keys(object, path, {"voxel_m", "low_m", "cells", "round", "reduce", "most_points"});
    InputGrid& grid = network.grid.emplace();
    constexpr double smallest = 1e-6, largest = 1e6, farthest = 1e9;
    if (const auto voxel = object.find("voxel_m"); voxel != object.end() && !voxel->is_array()) {
      const double size = number_at(object, path, "voxel_m", 1, smallest, largest);
      grid.voxel_m = {size, size, size};
    } else if (voxel != object.end()) {
      grid.voxel_m = three_numbers_at(object, path, "voxel_m", smallest, largest);
    }
    if (object.contains("low_m")) grid.low_m = three_numbers_at(object, path, "low_m", -farthest, farthest);
    if (const auto cells = object.find("cells"); cells != object.end() && !cells->is_null()) {
      grid.cells = three_at(object, path, "cells");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (grid.cells.at(axis) < 1)
          fault(path + ".cells[" + std::to_string(axis) + "]", "expected a number of at least 1");
      }
    }
    static constexpr std::array roundings{CellRounding::floor, CellRounding::nearest};
    grid.rounding = name_at<CellRounding>(object, path, "round", CellRounding::floor, roundings);
    static constexpr std::array reductions{VoxelReduction::mean, VoxelReduction::first, VoxelReduction::max};
    grid.reduction = name_at<VoxelReduction>(object, path, "reduce", VoxelReduction::mean, reductions);
    if (const auto most = object.find("most_points"); most != object.end() && !most->is_null()) {
      grid.most_points = int_at(object, path, "most_points", 1);
      if (grid.most_points < 1) fault(path + ".most_points", "expected a number of at least 1");
    }
    if (!grid.has_voxel_size() && !network.features_from_file)
      fault(path + ".voxel_m", "is missing; only a network with \"features\": \"file\" can omit it");
  }

  /// Reads an array of three numbers, for x, y and z.
  std::array<double, 3> three_numbers_at(const Json& object, const std::string& path, const std::string& key,
                                         double low, double high) {
    std::array<double, 3> numbers{1, 1, 1};
    const Json& array = object.at(key);
    if (!array.is_array() || array.size() != 3) {
      fault(join(path, key), "expected three numbers, for x, y and z");
      return numbers;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double value = array[axis].is_number() ? array[axis].get<double>() : std::nan("");
      if (value >= low && value <= high) {
        numbers.at(axis) = value;
      } else {
        fault(join(path, key) + "[" + std::to_string(axis) + "]",
              "expected a number from " + shortest(low) + " to " + shortest(high));
      }
    }
    return numbers;
  }

  void read_origin_and_outputs(const Json& document, Network& network) {
    if (const auto origin = document.find("origin"); origin != document.end()) {
      constexpr std::size_t max_facts = 32;
      if (origin->is_string()) {
        network.origin.push_back({"", text_at(document, "", "origin", "")});
      } else if (!origin->is_object() || origin->size() > max_facts) {
        fault("origin", "expected a string, or an object of up to 32 strings");
      } else {
        for (const auto& [key, value] : origin->items()) {
          if (key.empty()) fault("origin", "a key is empty");
          network.origin.push_back({key, text_at(*origin, "origin", key, "")});
        }
      }
    }
    const auto outputs = document.find("outputs");
    if (outputs == document.end()) return;
    if (!outputs->is_array() || outputs->empty() || outputs->size() > max_layers)
      return fault("outputs", "expected an array of at least one name");
    for (const Json& name : *outputs) {
      if (name.is_string()) {
        network.outputs.push_back(name.get<std::string>());
      } else {
        fault("outputs", "expected an array of names");
      }
    }
  }

  /// Reads the keys that replaced "batch_norm" and "relu" in the second version of the format.
  void read_norm_and_activation(const Json& object, const std::string& path, Layer& layer) {
    if (const auto norm = object.find("norm"); norm != object.end()) {
      if (norm->is_object()) {
        only_keys(*norm, path + ".norm", {"eps"});
        layer.norm_epsilon = epsilon_at(*norm, path + ".norm");
      } else {
        layer.batch_norm = bool_at(object, path, "norm", true);
      }
    }
    read_activation(object, path, layer);
    if (object.contains("order")) read_order(object.at("order"), path + ".order", layer);
  }

  void read_activation(const Json& object, const std::string& path, Layer& layer) {
    using enum Activation;
    static constexpr std::array all{none, relu, leaky_relu, sigmoid, spira::Activation::tanh,
                                    silu, elu,  gelu};
    layer.activation = name_at<Activation>(object, path, "activation", layer.activation, all);
    constexpr double most = 1e6;
    layer.slope = static_cast<float>(number_at(object, path, "slope", layer.slope, -most, most));
    if (object.contains("slope") && layer.activation != leaky_relu)
      fault(path + ".slope", "only the activation leaky_relu has a slope");
  }

  /// Reads the order of the steps of a layer. The list must contain every step that the layer has.
  void read_order(const Json& list, const std::string& path, Layer& layer) {
    std::vector<LayerStep> read;
    const bool is_list = list.is_array() && list.size() <= usual_order.size();
    for (std::size_t at = 0; is_list && at < list.size(); ++at) {
      for (const LayerStep step : usual_order) {
        const bool repeated = std::find(read.begin(), read.end(), step) != read.end();
        if (list[at] == text_of(step) && !repeated) read.push_back(step);
      }
    }
    if (!is_list || read.size() != list.size())
      return fault(path, R"(expected an array of "norm", "add" and "activation", each at most once)");
    for (const LayerStep step : usual_order) {
      if (std::find(read.begin(), read.end(), step) != read.end()) continue;
      const bool present = step == LayerStep::norm  ? layer.batch_norm
                           : step == LayerStep::add ? !layer.residual.empty()
                                                    : layer.activation != Activation::none;
      if (present) fault(path, "lacks the step " + std::string(text_of(step)) + " of the layer");
      read.push_back(step);
    }
    std::copy(read.begin(), read.end(), layer.order.begin());
  }

  /// Reads the keys of the second format version that determine the outputs and the map of a layer.
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
    if (!from.has_map()) return;
    if (!object.contains("padding")) layer.padding = from.padding;
    if (!object.contains("stride")) layer.stride = from.stride;
    if (!object.contains("kernel_size")) layer.kernel_size = from.kernel_size;
    if (layer.transposed || from.transposed) return;
    if (layer.kernel_size != from.kernel_size) {
      if (object.contains("padding"))
        fault(path + ".padding",
              "this layer uses the padding of '" + shortened(layer.map_of) +
                  "', because map_of names a layer with another kernel size; remove this key");
      layer.stored_kernel_size = layer.kernel_size;
      layer.kernel_size = from.kernel_size;
    }
    if (!object.contains("rule")) layer.rule = from.rule;
    if (!object.contains("cells")) layer.cells = from.cells;
  }

  /// Reads the neighbourhood of a convolution. A layer without these keys has the neighbourhood of the layer
  /// whose map it uses.
  void read_neighbourhood(const Json& object, const std::string& path, const Network& before, Layer& layer) {
    static constexpr std::array shapes{NeighbourShape::voxels, NeighbourShape::cube, NeighbourShape::ball};
    layer.neighbourhood.shape =
        name_at<NeighbourShape>(object, path, "neighbours", NeighbourShape::voxels, shapes);
    layer.neighbourhood.cell = int_at(object, path, "cell", 1);
    if (const auto radius = object.find("radius"); radius != object.end()) {
      layer.neighbourhood.radius = radius->is_number() ? radius->get<double>() : 0;
      if (layer.neighbourhood.radius <= 0)
        fault(path + ".radius",
              "expected a number greater than 0; remove this key for a ball with the volume of the kernel");
    }
    const bool given = object.contains("neighbours") || object.contains("cell") || object.contains("radius");
    if (!given) layer.neighbourhood = neighbourhood_of_map(before, layer);
  }
  /// Returns the neighbourhood of the map that a layer reuses. Returns that of voxels if the layer has its
  /// own map, or if several earlier layers with other neighbourhoods can have the map of a transposed layer.
  static Neighbourhood neighbourhood_of_map(const Network& before, const Layer& layer) {
    if (!layer.map_of.empty()) {
      const int owner = before.index_of(layer.map_of);
      return owner < 0 ? Neighbourhood{} : before.layers[static_cast<std::size_t>(owner)].neighbourhood;
    }
    const Layer* found = nullptr;
    for (const Layer& down : before.layers) {
      if (!layer.transposed || !down.has_map() || down.transposed || down.stride != layer.stride ||
          down.kernel_size != layer.kernel_size)
        continue;
      if (found != nullptr && found->neighbourhood != down.neighbourhood) return {};
      found = &down;
    }
    return found == nullptr ? Neighbourhood{} : found->neighbourhood;
  }

  /// Reads the keys of a layer that is not a convolution.
  void read_operation(const Json& object, const std::string& path, const Network& before, Layer& layer) {
    std::set<std::string> known{"name",         "op",         "inputs", "in_channels",
                                "out_channels", "activation", "slope",  "multiply_adds"};
    if (layer.op == LayerOp::dense) known.insert({"cells", "axes", "shape"});
    if (layer.op == LayerOp::pool)
      known.insert({"kernel_size", "stride", "padding", "rule", "cells", "map_of", "reduce"});
    if (layer.op == LayerOp::to_points) known.insert("mode");
    if (layer.op == LayerOp::to_voxels) known.insert("voxels_of");
    const bool norm = layer.op == LayerOp::layer_norm || layer.op == LayerOp::instance_norm;
    if (norm) known.insert("eps");
    only_keys(object, path, known);
    layer.kernel_size = 1;
    layer.batch_norm = false;
    layer.activation = Activation::none;
    read_activation(object, path, layer);
    read_inputs(object, path, layer);
    const bool sums =
        layer.op == LayerOp::add || layer.op == LayerOp::multiply || layer.op == LayerOp::union_add;
    const int first = layer.inputs.empty() ? 0 : channels_of(before, layer.inputs.front());
    layer.in_channels = int_at(object, path, "in_channels", sums ? first : sum_of_channels(before, layer));
    layer.out_channels = layer.op == LayerOp::group_sum
                             ? channels_at(object, path)
                             : int_at(object, path, "out_channels", layer.in_channels);
    if (layer.op == LayerOp::dense) read_dense(object, path, layer);
    if (layer.op == LayerOp::pool) read_pool(object, path, before, layer);
    if (norm) layer.norm_epsilon = epsilon_at(object, path);
    if (layer.op == LayerOp::to_points) {
      static constexpr std::array modes{PointMode::trilinear, PointMode::nearest};
      layer.mode = name_at<PointMode>(object, path, "mode", PointMode::trilinear, modes);
    }
    if (layer.op == LayerOp::to_voxels) {
      layer.mode = PointMode::mean;
      layer.voxels_of = text_at(object, path, "voxels_of", "");
      if (!object.contains("voxels_of"))
        fault(path + ".voxels_of", "is missing; expected the name of an earlier layer, or \"input\"");
    }
  }

  void read_pool(const Json& object, const std::string& path, const Network& before, Layer& layer) {
    using enum PoolReduction;
    static constexpr std::array all{max, sum, mean, mean_of_cells};
    if (!object.contains("reduce"))
      fault(path + ".reduce", "is missing; expected one of max, sum, mean, mean_of_cells");
    layer.reduction = name_at<PoolReduction>(object, path, "reduce", max, all);
    layer.kernel_size = per_axis_at(object, path, "kernel_size", 3);
    layer.stride = per_axis_at(object, path, "stride", 1);
    read_rule(object, path, before, layer);
  }
  /// Returns the epsilon of a norm.
  float epsilon_at(const Json& object, const std::string& path) {
    constexpr double largest = 1;
    return static_cast<float>(number_at(object, path, "eps", default_norm_epsilon, 0, largest));
  }

  void read_dense(const Json& object, const std::string& path, Layer& layer) {
    if (!object.contains("cells"))
      return fault(path + ".cells", "a dense output needs a size: three numbers, for x, y and z");
    layer.cells = three_at(object, path, "cells");
    const std::string axes = text_at(object, path, "axes", "zyx");
    layer.dense_zyx = axes == "zyx";
    if (axes != "zyx" && axes != "xyz")
      fault(path + ".axes", "'" + shortened(axes) + "' is not one of zyx, xyz");
    const auto& cells = layer.cells;
    layer.dense_shape = {layer.out_channels, cells[0], cells[1], cells[2]};
    if (layer.dense_zyx) std::swap(layer.dense_shape[1], layer.dense_shape[3]);
    const auto shape = object.find("shape");
    if (shape == object.end()) return;
    const auto is_size = [](const Json& one) {
      return one.is_number_unsigned() && one.get<std::uint64_t>() <= std::uint64_t{1} << 40U;
    };
    if (!shape->is_array() || !std::all_of(shape->begin(), shape->end(), is_size))
      return fault(path + ".shape", "expected an array of whole numbers");
    layer.dense_shape = shape->get<std::vector<std::int64_t>>();
  }

  void read_inputs(const Json& object, const std::string& path, Layer& layer) {
    const auto inputs = object.find("inputs");
    if (inputs == object.end()) {
      layer.inputs = {previous_};
      return;
    }
    const bool names = inputs->is_array() && std::all_of(inputs->begin(), inputs->end(),
                                                         [](const Json& input) { return input.is_string(); });
    if (!names) return fault(path + ".inputs", "expected an array of names");
    layer.inputs = inputs->get<std::vector<std::string>>();
  }
  int channels_at(const Json& object, const std::string& path) {
    if (!object.contains("out_channels")) fault(path + ".out_channels", "is missing");
    return int_at(object, path, "out_channels", 0);
  }
  [[nodiscard]] int channels_of(const Network& before, const std::string& name) const {
    if (const auto skipped = skipped_.find(name); skipped != skipped_.end()) return skipped->second;
    const int index = before.index_of(name);
    return index < 0 ? before.in_channels : before.layers[static_cast<std::size_t>(index)].out_channels;
  }
  [[nodiscard]] int sum_of_channels(const Network& before, const Layer& layer) const {
    std::int64_t sum = 0;
    for (const auto& input : layer.inputs)
      sum += channels_of(before, input);
    constexpr std::int64_t limit = 1'000'000'000;
    return static_cast<int>(std::clamp<std::int64_t>(sum, -limit, limit));
  }

  /// Reads the operation of a layer. "linear" is a convolution whose kernel has one cell.
  LayerOp operation(const Json& object, const std::string& path) {
    using enum LayerOp;
    static constexpr std::array all{convolution,   concat,    add,       multiply,  affine,
                                    activation,    group_sum, dense,     pool,      layer_norm,
                                    instance_norm, union_add, drop_axis, to_points, to_voxels};
    if (!second_ || object.value("op", Json()) == "linear") return convolution;
    return name_at<LayerOp>(object, path, "op", convolution, all, ", linear, opaque");
  }

  /// Reads a layer. Adds it to the layers that run, or to the layers that do not run.
  void read_layer(const Json& object, std::size_t at, Network& network) {
    const std::string path = "layers[" + std::to_string(at) + "]";
    const bool opaque = second_ && object.is_object() && object.value("op", Json()) == "opaque";
    SkippedLayer read;
    read.opaque = opaque;
    read.layer = opaque ? opaque_layer(object, path, network, read) : layer(object, path, network);
    if (!opaque && skipped_.empty()) {
      network.layers.push_back(std::move(read.layer));
      previous_ = network.layers.back().name;
      return;
    }
    const Layer& own = read.layer;
    if (!opaque) read.why = why_skipped(own);
    const bool used = own.name == "input" || network.index_of(own.name) >= 0;
    // spira::faults() checks the names of the layers that run.
    if (skipped_.contains(own.name) || (used && !read.why.empty()))
      fault(path + ".name", "'" + shortened(own.name) + "' is already used");
    previous_ = own.name;
    if (read.why.empty()) {
      network.layers.push_back(std::move(read.layer));
      return;
    }
    if (own.name.empty()) fault(path + ".name", "must not be empty");
    check_sources(own, path, network);
    skipped_.emplace(own.name, own.out_channels);
    read.position = at;
    read.json = object.dump();
    network.skipped.push_back(std::move(read));
  }

  /// Returns why a layer that is not opaque does not run, or an empty text.
  [[nodiscard]] std::string why_skipped(const Layer& layer) const {
    for (const std::string& input : layer.inputs) {
      if (skipped_.contains(input)) return "reads '" + shortened(input) + "', which does not run";
    }
    if (skipped_.contains(layer.residual))
      return "has the residual '" + shortened(layer.residual) + "', which does not run";
    if (skipped_.contains(layer.map_of))
      return "uses the kernel map of '" + shortened(layer.map_of) + "', which does not run";
    if (skipped_.contains(layer.voxels_of))
      return "uses the voxels of '" + shortened(layer.voxels_of) + "', which does not run";
    return {};
  }

  /// Checks the names that a skipped layer refers to. Its other values are not checked, because it does not
  /// run.
  void check_sources(const Layer& layer, const std::string& path, const Network& network) {
    std::vector<std::string> names = layer.inputs;
    for (const std::string* name : {&layer.residual, &layer.map_of, &layer.voxels_of}) {
      if (!name->empty()) names.push_back(*name);
    }
    for (const std::string& name : names) {
      if (name != "input" && name != points_source && !skipped_.contains(name) && network.index_of(name) < 0)
        fault(path + ".inputs", "no earlier layer is called '" + shortened(name) + "'");
    }
  }

  /// Reads an operation that the exporter does not know.
  Layer opaque_layer(const Json& object, const std::string& path, const Network& before, SkippedLayer& read) {
    only_keys(object, path,
              {"name", "op", "inputs", "operation", "input_shapes", "output_shape", "in_channels",
               "out_channels", "multiply_adds"});
    Layer layer;
    layer.name = text_at(object, path, "name", "");
    read_inputs(object, path, layer);
    layer.kernel_size = 1;
    layer.multiply_adds = multiply_adds_at(object, path);
    const auto shape = object.find("output_shape");
    const bool known =
        shape != object.end() && shape->is_array() && !shape->empty() && shape->back().is_number_unsigned();
    constexpr std::uint64_t most = 1'000'000;
    const int last = known && shape->back() <= most ? shape->back().get<int>() : 0;
    layer.in_channels = int_at(object, path, "in_channels", sum_of_channels(before, layer));
    layer.out_channels = int_at(object, path, "out_channels", last);
    read.operation = text_at(object, path, "operation", "");
    read.why =
        "is opaque" + (read.operation.empty() ? std::string() : " (" + shortened(read.operation) + ")");
    return layer;
  }

  std::int64_t multiply_adds_at(const Json& object, const std::string& path) {
    const auto found = object.find("multiply_adds");
    if (found == object.end()) return -1;
    constexpr std::uint64_t most = std::uint64_t{1} << 53U;
    if (found->is_number_unsigned() && *found <= most) return found->get<std::int64_t>();
    fault(path + ".multiply_adds", "expected a whole number from 0 to 2^53");
    return -1;
  }

  /// Moves the outputs that do not run to the skipped layers.
  static void separate_outputs(Network& network) {
    for (SkippedLayer& skipped : network.skipped)
      skipped.output = std::erase(network.outputs, skipped.layer.name) > 0;
  }

  Layer layer(const Json& object, const std::string& path, const Network& before) {
    Layer layer;
    if (!object.is_object()) {
      fault(path, "expected an object");
      return layer;
    }
    layer.name = text_at(object, path, "name", "");
    layer.op = operation(object, path);
    if (second_) layer.multiply_adds = multiply_adds_at(object, path);
    if (!layer.convolution()) {
      read_operation(object, path, before, layer);
      return layer;
    }
    std::set<std::string> known{"name",        "inputs",       "kernel_size", "stride",   "transposed",
                                "in_channels", "out_channels", "bias",        "residual", "neighbours",
                                "cell",        "radius",       "unit"};
    known.insert(second_ ? "norm" : "batch_norm");
    known.insert(second_ ? "activation" : "relu");
    if (second_)
      known.insert({"op", "rule", "padding", "cells", "map_of", "slope", "order", "multiply_adds"});
    if (second_ && object.contains("dilation")) {
      known.insert("dilation");
      fault(path + ".dilation", "kernels with dilation cannot run");
    }
    only_keys(object, path, known);
    const bool linear = second_ && object.value("op", Json()) == "linear";
    layer.kernel_size = per_axis_at(object, path, "kernel_size", linear ? 1 : 3);
    if (linear && layer.kernel_size != PerAxis(1))
      fault(path + ".kernel_size", "the kernel of the operation linear must have one cell");
    if (const int size = layer.kernel_size[0]; !second_ && (size == 4 || size == 6))
      fault(path + ".kernel_size", std::to_string(size) + " is not one of 1, 2, 3, 5, 7");
    layer.stride = per_axis_at(object, path, "stride", 1);
    if (!second_ && layer.kernel_size == PerAxis(1) && layer.stride != PerAxis(1))
      fault(path + ".stride", "a layer with kernel size 1 must have stride 1");
    if (before.space == NetworkSpace::bev) {
      // A single number is the size along x and along y.
      if (layer.kernel_size.equal()) layer.kernel_size = {layer.kernel_size[0], layer.kernel_size[0], 1};
      if (layer.stride.equal()) layer.stride = {layer.stride[0], layer.stride[0], 1};
    }
    layer.unit = text_at(object, path, "unit", "");
    layer.transposed = bool_at(object, path, "transposed", false);
    layer.out_channels = channels_at(object, path);
    layer.bias = bool_at(object, path, "bias", false);
    layer.residual = text_at(object, path, "residual", "");
    if (second_) {
      read_norm_and_activation(object, path, layer);
      read_rule(object, path, before, layer);
    } else {
      layer.batch_norm = bool_at(object, path, "batch_norm", true);
      layer.activation = bool_at(object, path, "relu", true) ? Activation::relu : Activation::none;
    }
    read_neighbourhood(object, path, before, layer);
    read_inputs(object, path, layer);
    layer.in_channels = int_at(object, path, "in_channels", sum_of_channels(before, layer));
    return layer;
  }

  std::string file_name_;
  bool second_ = false;                 // true for the schema "spira.network 2"
  std::string previous_ = "input";      // the name of the previous layer in the file
  std::map<std::string, int> skipped_;  // the channels of the layers that do not run, by name
  std::vector<std::string> faults_;
};

using OrderedJson = nlohmann::ordered_json;

bool fits_first_schema(const Network& network) {
  return network.features.empty() && !network.features_from_file && !reads_point_features(network) &&
         network.origin.empty() && network.outputs.empty() && !network.grid && network.skipped.empty() &&
         std::all_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
           const int size = layer.kernel_size[0];
           const bool one_number =
               network.space == NetworkSpace::bev || (layer.kernel_size.equal() && layer.stride.equal());
           return layer.norm_epsilon == default_norm_epsilon && one_number && size != 4 && size != 6 &&
                  (size != 1 || layer.stride == PerAxis(1)) && !layer.padding && layer.map_of.empty() &&
                  layer.rule == OutputRule::floor && layer.convolution() && layer.order == usual_order &&
                  layer.activation <= Activation::relu && layer.multiply_adds < 0;
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

OrderedJson json_of(const PerAxis& numbers, NetworkSpace space) {
  if (numbers.equal() || space == NetworkSpace::bev) return numbers[0];
  return numbers.values;
}

OrderedJson json_of(const InputFeature& feature) {
  OrderedJson json{{"value", text_of(feature.value)}};
  if (feature.frame != PointFrame::scene) json["frame"] = text_of(feature.frame);
  if (feature.scale != 1) json["scale"] = feature.scale;
  if (feature.add != 0) json["add"] = feature.add;
  return json;
}

void add_activation(const Layer& layer, OrderedJson& row) {
  row["activation"] = text_of(layer.activation);
  if (layer.activation == Activation::leaky_relu) row["slope"] = decimal(layer.slope);
}

void add_kernel(const Layer& layer, NetworkSpace space, OrderedJson& row) {
  row["kernel_size"] = json_of(layer.stored_kernel_size.value_or(layer.kernel_size), space);
  row["stride"] = json_of(layer.stride, space);
  if (layer.transposed) row["transposed"] = true;
  if (layer.padding) row["padding"] = json_of(*layer.padding, space);
  if (layer.rule == OutputRule::reached) row["rule"] = text_of(layer.rule);
  if (layer.cells != std::array<std::int64_t, 3>{}) row["cells"] = layer.cells;
  if (!layer.map_of.empty()) row["map_of"] = layer.map_of;
  add_neighbourhood(row, layer.neighbourhood);
}

OrderedJson operation_json(const Layer& layer) {
  OrderedJson row{{"name", layer.name}, {"op", text_of(layer.op)}, {"inputs", layer.inputs}};
  if (layer.op == LayerOp::pool) {
    row["reduce"] = text_of(layer.reduction);
    add_kernel(layer, NetworkSpace::voxels, row);
  }
  row["in_channels"] = layer.in_channels;
  row["out_channels"] = layer.out_channels;
  if (layer.op == LayerOp::layer_norm || layer.op == LayerOp::instance_norm)
    row["eps"] = decimal(layer.norm_epsilon);
  if (layer.op == LayerOp::to_points) row["mode"] = text_of(layer.mode);
  if (layer.op == LayerOp::to_voxels) row["voxels_of"] = layer.voxels_of;
  if (layer.activation != Activation::none) add_activation(layer, row);
  if (layer.multiply_adds >= 0) row["multiply_adds"] = layer.multiply_adds;
  if (layer.op != LayerOp::dense) return row;
  row["cells"] = layer.cells;
  row["axes"] = layer.dense_zyx ? "zyx" : "xyz";
  row["shape"] = layer.dense_shape;
  return row;
}

/// Writes a convolution in the first or in the second version of the format.
OrderedJson convolution_json(const Layer& layer, NetworkSpace space, bool first) {
  OrderedJson row;
  row["name"] = layer.name;
  row["inputs"] = layer.inputs;
  add_kernel(layer, space, row);
  row["in_channels"] = layer.in_channels;
  row["out_channels"] = layer.out_channels;
  if (first) {
    row["batch_norm"] = layer.batch_norm;
    row["relu"] = layer.activation == Activation::relu;
  } else {
    row["norm"] = layer.batch_norm ? OrderedJson{{"eps", decimal(layer.norm_epsilon)}} : OrderedJson(false);
    add_activation(layer, row);
  }
  if (layer.order != usual_order) {
    for (const LayerStep step : layer.order)
      row["order"].push_back(text_of(step));
  }
  if (layer.bias) row["bias"] = true;
  if (!layer.residual.empty()) row["residual"] = layer.residual;
  if (!layer.unit.empty()) row["unit"] = layer.unit;
  if (layer.multiply_adds >= 0) row["multiply_adds"] = layer.multiply_adds;
  return row;
}

OrderedJson json_of(const InputGrid& grid) {
  OrderedJson json = OrderedJson::object();
  const auto& size = grid.voxel_m;
  if (grid.has_voxel_size()) {
    json["voxel_m"] = size;
    if (size[0] == size[1] && size[1] == size[2]) json["voxel_m"] = size[0];
  }
  if (grid.low_m != std::array<double, 3>{}) json["low_m"] = grid.low_m;
  if (grid.limited()) json["cells"] = grid.cells;
  if (grid.rounding != CellRounding::floor) json["round"] = text_of(grid.rounding);
  if (grid.reduction != VoxelReduction::mean) json["reduce"] = text_of(grid.reduction);
  if (grid.most_points != 0) json["most_points"] = grid.most_points;
  return json;
}

OrderedJson json_of(const std::vector<OriginFact>& origin) {
  if (origin.size() == 1 && origin.front().key.empty()) return origin.front().text;
  OrderedJson json;
  for (const OriginFact& fact : origin)
    json[fact.key] = fact.text;
  return json;
}

}  // namespace

Network parse_network(std::string_view json, std::string_view file_name) {
  return Reader(std::string(file_name)).read(json);
}

Network read_network(const std::filesystem::path& file) {
  constexpr std::uint64_t max_bytes = 16ULL << 20U;
  if (const std::string fault = checkpoint_fault(file); !fault.empty())
    throw Error(ErrorKind::input, file.string() + ": " + fault);
  return parse_network(read_text_file(file, max_bytes), file.string());
}

std::string network_json(const Network& network) {
  OrderedJson document;
  const bool first = fits_first_schema(network);
  document["schema"] = first ? first_schema : second_schema;
  document["name"] = network.name;
  document["title"] = network.title;
  if (network.space == NetworkSpace::bev) document["space"] = text_of(network.space);
  document["in_channels"] = network.in_channels;
  if (network.features_from_file) document["input"]["features"] = "file";
  for (const InputFeature& feature : network.features)
    document["input"]["features"].push_back(json_of(feature));
  if (network.grid) document["input"]["grid"] = json_of(*network.grid);
  if (!network.origin.empty()) document["origin"] = json_of(network.origin);
  if (!network.outputs.empty()) document["outputs"] = network.outputs;
  for (const SkippedLayer& skipped : network.skipped) {
    if (skipped.output) document["outputs"].push_back(skipped.layer.name);
  }
  OrderedJson& rows = document["layers"] = OrderedJson::array();
  auto skipped = network.skipped.begin();
  const auto add_skipped = [&] {
    for (; skipped != network.skipped.end() && skipped->position == rows.size(); ++skipped)
      rows.push_back(OrderedJson::parse(skipped->json));
  };
  for (const Layer& layer : network.layers) {
    add_skipped();
    rows.push_back(layer.convolution() ? convolution_json(layer, network.space, first)
                                       : operation_json(layer));
  }
  add_skipped();
  return document.dump(1) + "\n";
}

std::string network_identity(const Network& network) {
  Network bare = network;
  bare.origin.clear();
  bare.outputs.clear();
  bare.skipped.clear();
  for (Layer& layer : bare.layers)
    layer.multiply_adds = -1;
  return network_json(bare);
}

}  // namespace spira

#include "engine/network/network.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace spira {
namespace {

/// The number of channels and the level of a source, which is the output of a layer or the input of the
/// network.
struct Source {
  int channels = 0, level = 1;
};

/// Assigns numbers to levels and finds the maps of layers, in the order of the layers.
class LevelBook {
 public:
  LevelBook() { sets_.emplace_back(); }

  /// Returns the number of the level with this rule.
  int number_of(const LevelRule& rule) {
    const auto known =
        std::find_if(sets_.begin(), sets_.end(), [&](const SceneLevel& set) { return set.rule == rule; });
    if (known != sets_.end()) return known->number;
    const PerAxis stride = rule.stride();
    // LevelRule::floor() is false for points, so their number is not a stride.
    const int number = rule.floor() && stride.equal() ? stride[0] : first_numbered_level + numbered_++;
    sets_.emplace_back(number, rule);
    return number;
  }
  [[nodiscard]] const LevelRule& rule(int number) const {
    return std::find_if(sets_.begin(), sets_.end(),
                        [&](const SceneLevel& set) { return set.number == number; })
        ->rule;
  }
  [[nodiscard]] bool is_points(int number) const { return rule(number).is_points(); }
  [[nodiscard]] std::string text(int number) const {
    return is_points(number) ? "points" : "stride " + level_text(sets_, number);
  }
  /// Returns the level of the points of the scene.
  int points() { return number_of(LevelRule::of_points()); }
  /// Returns the level that `layer` produces from the level `in`. The layer must not be transposed.
  int output_level(const Layer& layer, int in) {
    if (layer.submanifold()) return in;
    return number_of(
        rule(in).after(layer.rule, layer.kernel_size, layer.stride, layer.kernel().padding, layer.cells));
  }
  /// Returns the level that a union_add or drop_axis produces from the levels of its inputs.
  int combined_level(const Layer& layer, const std::vector<int>& in) {
    std::vector<LevelRule> rules;
    for (const int level : in)
      rules.push_back(rule(level));
    return number_of(layer.op == LayerOp::union_add ? LevelRule::joined(rules) : rules.front().flattened());
  }
  void add_map(const Layer& layer, const MapKey& map) { maps_.emplace_back(&layer, map); }
  /// Returns the map of the earlier layer with this name. Returns `nullptr` if no earlier layer has this
  /// name.
  [[nodiscard]] const MapKey* map_of(std::string_view layer) const {
    const auto found =
        std::find_if(maps_.begin(), maps_.end(), [&](const auto& one) { return one.first->name == layer; });
    return found == maps_.end() ? nullptr : &found->second;
  }
  /// Returns the layer that added the map of `layer`. map_of() must return a map for `layer`.
  [[nodiscard]] const Layer* owner_of(std::string_view layer) const {
    return std::find_if(maps_.begin(), maps_.end(), [&](const auto& one) { return one.first->name == layer; })
        ->first;
  }
  /// Returns the maps of earlier layers that a transposed layer on the level `in` can use.
  [[nodiscard]] std::vector<MapKey> maps_back(const Layer& layer, int in) const {
    std::vector<MapKey> found;
    for (const auto& [owner, map] : maps_) {
      if (!leads_back(*owner, map, layer, in) || map.kernel.neighbourhood != layer.neighbourhood) continue;
      if (std::find(found.begin(), found.end(), map) == found.end()) found.push_back(map);
    }
    return found;
  }
  /// Returns the neighbourhood of a map that only its neighbourhood prevents a transposed layer from using.
  [[nodiscard]] std::optional<Neighbourhood> neighbours_back(const Layer& layer, int in) const {
    const auto found = std::find_if(maps_.begin(), maps_.end(), [&](const auto& one) {
      return leads_back(*one.first, one.second, layer, in);
    });
    return found == maps_.end() ? std::nullopt : std::optional(found->second.kernel.neighbourhood);
  }
  [[nodiscard]] const std::vector<SceneLevel>& sets() const noexcept { return sets_; }

 private:
  /// Returns true if the map of `owner` has the shape and the levels that the transposed layer `layer` needs.
  static bool leads_back(const Layer& owner, const MapKey& map, const Layer& layer, int in) {
    return !owner.transposed && !map.submanifold() && map.stride_out == in &&
           map.kernel.size == layer.kernel_size && owner.stride == layer.stride;
  }

  std::vector<SceneLevel> sets_;
  std::vector<std::pair<const Layer*, MapKey>> maps_;
  int numbered_ = 0;
};

/// Returns the map of a layer, or an empty optional if a fault of the layer prevents this.
std::optional<MapKey> map_of(const Layer& layer, int in, LevelBook& book) {
  if (!layer.has_map()) return MapKey{KernelShape(1), in, in};
  if (!layer.map_of.empty()) {
    const MapKey* map = book.map_of(layer.map_of);
    return map == nullptr ? std::nullopt : std::optional(*map);
  }
  if (layer.transposed) {
    const auto found = book.maps_back(layer, in);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
  }
  return MapKey{layer.kernel(), in, book.output_level(layer, in)};
}

class Checker {
 public:
  explicit Checker(const Network& network) : network_(network) {
    sources_["input"] = {network.in_channels, 1};
  }

  std::vector<std::string> run() {
    check_input();
    if (network_.layers.empty()) fault("layers", "a network needs at least one layer");
    std::size_t position = 0;  // in the list of layers of the file
    auto skipped = network_.skipped.begin();
    for (const Layer& layer : network_.layers) {
      for (; skipped != network_.skipped.end() && skipped->position == position; ++skipped)
        ++position;
      check(layer, position++);
    }
    check_outputs();
    if (network_.space == NetworkSpace::bev) check_units();
    return faults_;
  }

 private:
  void fault(const std::string& path, const std::string& text) { faults_.push_back(path + ": " + text); }

  void check_input() {
    const auto listed = static_cast<int>(network_.features.size());
    constexpr int max_channels = 4'096, min_image_channels = 4;
    if (network_.space == NetworkSpace::bev) {
      if (network_.in_channels < min_image_channels || network_.in_channels > max_channels)
        fault("in_channels", count_text(network_.in_channels) + " is not in the range 4 to 4,096");
      if (listed > 0 || network_.features_from_file)
        fault("input.features", "a bird's-eye view has its own input image; remove this key");
    } else if (network_.features_from_file) {
      if (network_.in_channels < 1 || network_.in_channels > max_channels)
        fault("in_channels", count_text(network_.in_channels) + " is not in the range 1 to 4,096");
    } else if (listed > 0 && network_.in_channels != listed) {
      fault("in_channels",
            std::to_string(network_.in_channels) + ", but input.features lists " + std::to_string(listed));
    } else if (listed == 0 && network_.in_channels != 4) {
      fault("in_channels",
            std::to_string(network_.in_channels) +
                ", but without input.features a network reads 4 features (x, y, z, intensity)");
    }
  }

  void check_outputs() {
    std::set<std::string_view> before;
    for (std::size_t at = 0; at < network_.outputs.size(); ++at) {
      const std::string &name = network_.outputs[at], path = "outputs[" + std::to_string(at) + "]";
      if (name == "input" || !sources_.contains(name)) {
        fault(path, "no layer is called '" + shortened(name) + "'");
      } else if (!before.insert(name).second) {
        fault(path, "'" + shortened(name) + "' is listed twice");
      }
    }
  }

  void check(const Layer& layer, std::size_t at) {
    const std::string path = "layers[" + std::to_string(at) + "]";
    if (layer.name.empty()) fault(path + ".name", "must not be empty");
    if (sources_.contains(layer.name))
      fault(path + ".name", "'" + shortened(layer.name) + "' is already used");
    constexpr int max_channels = 65'536;
    if (layer.out_channels < 1 || layer.out_channels > max_channels) {
      fault(path + ".out_channels", count_text(layer.out_channels) + " is not in the range 1 to 65,536");
    }
    const int in = check_inputs(layer, path);
    if (network_.space == NetworkSpace::bev && !check_image_layer(layer, path, in)) {
      sources_[layer.name] = {layer.out_channels, in};
      return;
    }
    if (network_.space == NetworkSpace::voxels && !layer.unit.empty())
      fault(path + ".unit", R"(only a network with "space": "bev" has units; remove this key)");
    if (!layer.convolution()) check_operation(layer, path, in);
    const bool possible = !book_.is_points(in) || check_points(layer, path);
    const int out = !possible                                      ? in
                    : layer.changes_set()                          ? check_set(layer, path, in)
                    : layer.has_map() && check_kernel(layer, path) ? check_levels(layer, path, in)
                                                                   : in;
    check_residual(layer, path, out);
    sources_[layer.name] = {layer.out_channels, out};
  }

  /// Checks that a layer can run on a bird's-eye view. Returns false if it cannot.
  bool check_image_layer(const Layer& layer, const std::string& path, int in) {
    const std::size_t before = faults_.size();
    const std::string whose = "a layer of a bird's-eye view ";
    const int size = layer.kernel_size[0], stride = layer.stride[0];
    if (!layer.convolution()) {
      fault(path + ".op", whose + "must be a convolution");
    } else if (layer.transposed) {
      fault(path + ".transposed", whose + "cannot be transposed");
    } else if (layer.kernel_size != PerAxis(size, size, 1)) {
      fault(path + ".kernel_size", text_of(layer.kernel_size) + "; expected one number, for x and y");
    } else if (size % 2 == 0) {
      fault(path + ".kernel_size", std::to_string(size) + " is not one of 1, 3, 5, 7");
    } else if (layer.stride != PerAxis(stride, stride, 1)) {
      fault(path + ".stride", text_of(layer.stride) + "; expected one number, for x and y");
    } else if (layer.rule != OutputRule::floor || layer.padding || !layer.map_of.empty()) {
      fault(path + ".rule", whose + "has the rule floor and the usual padding, and cannot use another map");
    } else if (layer.neighbourhood.native()) {
      fault(path + ".neighbours", whose + "cannot have native neighbours; remove this key");
    } else if (layer.activation > Activation::relu || layer.order != usual_order) {
      fault(path + ".activation", whose + "can only have a ReLU, after the norm and the residual");
    } else if (layer.inputs.size() > 1) {
      fault(path + ".inputs", whose + "must have exactly one input");
    } else if (book_.is_points(in)) {
      fault(path + ".inputs", "a bird's-eye view has no points; use 'input'");
    }
    return faults_.size() == before;
  }

  /// Checks the layers of each unit against each other.
  void check_units() {
    std::set<std::string_view> units;
    for (std::size_t at = 0; at < network_.layers.size(); ++at) {
      const Layer& layer = network_.layers[at];
      const std::string path = "layers[" + std::to_string(at) + "]";
      const Layer* const before = at == 0 ? nullptr : &network_.layers[at - 1];
      const bool first = layer.unit.empty() || before == nullptr || before->unit != layer.unit;
      if (!layer.unit.empty() && first && !units.insert(layer.unit).second)
        fault(path + ".unit",
              "'" + shortened(layer.unit) + "' is already used; the layers of a unit must be adjacent");
      if (first) first_of_unit_ = at;
      if (!first && layer.inputs != std::vector{before->name})
        fault(path + ".inputs", "must be '" + shortened(before->name) + "', the previous layer of the unit");
      if (!first && layer.stride != PerAxis(1))
        fault(path + ".stride", "only the first layer of a unit can have a stride above 1");
      check_unit_residual(layer, at, path);
    }
    check_readers_of_units();
  }

  void check_unit_residual(const Layer& layer, std::size_t at, const std::string& path) {
    if (layer.residual.empty()) return;
    const Layer& first = network_.layers[first_of_unit_];
    const bool last =
        at + 1 == network_.layers.size() || layer.unit.empty() || network_.layers[at + 1].unit != layer.unit;
    if (!last) fault(path + ".residual", "only the last layer of a unit can have a residual");
    if (first.inputs.empty() || layer.residual != first.inputs.front())
      fault(path + ".residual", "'" + shortened(layer.residual) + "' is not the input of the unit");
  }

  /// Checks that no layer outside a unit reads its inner layers, because a unit only writes its last output.
  void check_readers_of_units() {
    for (std::size_t at = 0; at < network_.layers.size(); ++at) {
      for (const std::string& input : network_.layers[at].inputs) {
        const int source = network_.index_of(input);
        if (source >= 0 && is_inner(static_cast<std::size_t>(source)) && source + 1 != static_cast<int>(at))
          fault("layers[" + std::to_string(at) + "].inputs[0]",
                "'" + shortened(input) + "' is an inner layer of a unit, whose output is not stored");
      }
    }
    for (std::size_t at = 0; at < network_.outputs.size(); ++at) {
      const int source = network_.index_of(network_.outputs[at]);
      if (source >= 0 && is_inner(static_cast<std::size_t>(source)))
        fault("outputs[" + std::to_string(at) + "]",
              "'" + shortened(network_.outputs[at]) +
                  "' is an inner layer of a unit, whose output is not stored");
    }
  }
  /// Returns true if the next layer belongs to the same unit.
  [[nodiscard]] bool is_inner(std::size_t layer) const {
    const auto& layers = network_.layers;
    return !layers[layer].unit.empty() && layer + 1 < layers.size() &&
           layers[layer + 1].unit == layers[layer].unit;
  }

  int check_inputs(const Layer& layer, const std::string& path) {
    if (layer.inputs.empty()) {
      fault(path + ".inputs", "a layer needs at least one input");
      return 1;
    }
    constexpr std::size_t max_inputs = 64;
    if (layer.inputs.size() > max_inputs) {
      fault(path + ".inputs", std::to_string(layer.inputs.size()) + " inputs; the limit is 64");
      return 1;
    }
    int channels = 0, level = 0;
    for (std::size_t at = 0; at < layer.inputs.size(); ++at) {
      const auto here = path + ".inputs[" + std::to_string(at) + "]";
      if (layer.inputs[at] == points_source) add_points_source();
      const auto found = sources_.find(layer.inputs[at]);
      if (found == sources_.end()) {
        fault(here, "no earlier layer is called '" + shortened(layer.inputs[at]) + "'");
        return 1;
      }
      channels += found->second.channels;
      if (layer.op == LayerOp::union_add && book_.is_points(found->second.level))
        fault(here, "'" + shortened(layer.inputs[at]) + "' has points; union_add joins levels of voxels");
      if (level != 0 && level != found->second.level && layer.op != LayerOp::union_add) {
        fault(here, "'" + shortened(layer.inputs[at]) + "' has " + book_.text(found->second.level) +
                        ", but the previous inputs have " + book_.text(level));
      }
      if (level == 0 || layer.op != LayerOp::union_add) level = found->second.level;
    }
    const bool sums =
        layer.op == LayerOp::add || layer.op == LayerOp::multiply || layer.op == LayerOp::union_add;
    if (sums) channels = check_equal_channels(layer, path);
    if (layer.in_channels != channels) {
      fault(path + ".in_channels", std::to_string(layer.in_channels) + ", but its inputs have " +
                                       std::to_string(channels) + " channels in total");
    }
    return std::max(1, level);
  }

  /// Checks that all inputs of a sum or product have the same number of channels. Returns this number.
  int check_equal_channels(const Layer& layer, const std::string& path) {
    const int first = sources_.at(layer.inputs.front()).channels;
    for (std::size_t at = 1; at < layer.inputs.size(); ++at) {
      const int here = sources_.at(layer.inputs[at]).channels;
      if (here != first)
        fault(path + ".inputs[" + std::to_string(at) + "]",
              "'" + shortened(layer.inputs[at]) + "' has " + std::to_string(here) +
                  " channels, but the first input has " + std::to_string(first));
    }
    if (layer.inputs.size() < 2)
      fault(path + ".inputs",
            "the operation " + std::string(text_of(layer.op)) + " needs two inputs or more");
    return first;
  }

  /// Adds the features of the points of the scene to the sources, unless a layer has their name.
  void add_points_source() {
    const std::string name(points_source);
    if (!sources_.contains(name)) sources_[name] = {network_.in_channels, book_.points()};
  }

  /// Checks that a layer can read points. Returns false if it cannot.
  bool check_points(const Layer& layer, const std::string& path) {
    const std::string name = "'" + shortened(layer.name) + "' reads points, ";
    const bool one_cell = layer.kernel_size == PerAxis(1) && layer.stride == PerAxis(1) &&
                          !layer.transposed && layer.rule == OutputRule::floor && layer.map_of.empty();
    if (layer.convolution() && !one_cell) {
      fault(path + ".op", name + "which have no neighbours; only a linear layer can read them");
      return false;
    }
    const bool voxels_only = layer.op == LayerOp::pool || layer.op == LayerOp::drop_axis ||
                             layer.op == LayerOp::dense || layer.op == LayerOp::to_points;
    if (voxels_only)
      fault(path + ".op", name + "but the operation " + std::string(text_of(layer.op)) + " needs voxels");
    return !voxels_only && layer.op != LayerOp::union_add;
  }

  /// Checks the level of a to_points or to_voxels. Returns it.
  int check_moved(const Layer& layer, const std::string& path, int in) {
    int voxels = in;
    if (layer.op == LayerOp::to_voxels) {
      if (!book_.is_points(in))
        fault(path + ".inputs", "'" + shortened(layer.name) + "' needs points, but '" +
                                    (layer.inputs.empty() ? std::string() : shortened(layer.inputs.front())) +
                                    "' has " + book_.text(in));
      const auto found = sources_.find(layer.voxels_of);
      if (found == sources_.end()) {
        fault(path + ".voxels_of", "no earlier layer is called '" + shortened(layer.voxels_of) + "'");
        return in;
      }
      voxels = found->second.level;
      if (book_.is_points(voxels)) {
        fault(path + ".voxels_of", "'" + shortened(layer.voxels_of) + "' has points, not voxels");
        return in;
      }
    }
    const LevelRule& rule = book_.rule(voxels);
    if (rule.is_flat() || !rule.parts().empty())
      fault(path + ".op", "'" + shortened(layer.name) + "' moves features between points and voxels of " +
                              book_.text(voxels) + "; this is not possible for joined or flat levels");
    return layer.op == LayerOp::to_voxels ? voxels : book_.points();
  }

  /// Checks the level of a union_add, drop_axis, to_points or to_voxels. Returns it.
  int check_set(const Layer& layer, const std::string& path, int in) {
    if (layer.moves_points()) return check_moved(layer, path, in);
    constexpr std::size_t max_parts = 64;
    std::vector<int> levels;
    std::size_t parts = 0;
    for (const std::string& input : layer.inputs) {
      const auto found = sources_.find(input);
      if (found == sources_.end()) return in;  // The check of the inputs reports the missing layer.
      levels.push_back(found->second.level);
      parts += book_.rule(found->second.level).size();
    }
    if (levels.empty() || levels.size() > max_parts) return in;
    constexpr std::size_t max_steps = 16;
    if (layer.op == LayerOp::drop_axis && book_.rule(in).steps(2).size() >= max_steps) {
      fault(path + ".op", "the level would depend on more than 16 strided layers");
      return in;
    }
    if (parts > max_parts) {
      fault(path + ".inputs", "the level would depend on more than 64 other levels");
      return in;
    }
    return book_.combined_level(layer, levels);
  }

  /// Checks a layer that is not a convolution.
  void check_operation(const Layer& layer, const std::string& path, int in) {
    const bool several = layer.op == LayerOp::concat || layer.op == LayerOp::add ||
                         layer.op == LayerOp::multiply || layer.op == LayerOp::union_add;
    if (!several && layer.inputs.size() != 1)
      fault(path + ".inputs",
            "the operation " + std::string(text_of(layer.op)) + " must have exactly one input");
    if (layer.op == LayerOp::activation && layer.activation == Activation::none)
      fault(path + ".activation", "the operation activation needs an activation function");
    if (layer.op == LayerOp::group_sum) {
      if (layer.out_channels > 0 && layer.in_channels % layer.out_channels != 0)
        fault(path + ".out_channels", std::to_string(layer.in_channels) +
                                          " input channels are not a multiple of " +
                                          std::to_string(layer.out_channels));
    } else if (layer.out_channels != layer.in_channels) {
      fault(path + ".out_channels", std::to_string(layer.out_channels) + ", but the inputs give " +
                                        std::to_string(layer.in_channels));
    }
    if (layer.op == LayerOp::dense) check_dense(layer, path, in);
    if (layer.stored_kernel_size)
      fault(path + ".kernel_size", "a pool uses the kernel size of its map; remove this key");
  }

  /// Checks the size of a dense output.
  void check_dense(const Layer& layer, const std::string& path, int in) {
    constexpr std::int64_t max_values = std::int64_t{1} << 32U;
    std::int64_t values = layer.out_channels;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& steps = book_.rule(in).steps(axis);
      const std::int64_t cells = layer.cells.at(axis), limit = steps.empty() ? 0 : steps.back().cells;
      if (cells < 1 || cells > max_values)
        return fault(path + ".cells", "a dense output needs a size of at least 1 on each axis");
      if (limit != 0 && cells < limit)
        return fault(path + ".cells", std::to_string(cells) + ", but " + book_.text(in) + " has " +
                                          std::to_string(limit) + " cells");
      values = cells > max_values / std::max<std::int64_t>(1, values) ? max_values + 1 : values * cells;
    }
    if (values > max_values)
      return fault(path + ".cells", "the dense output would have more than 2^32 values");
    std::int64_t shaped = layer.dense_shape.size() > 8 ? 0 : 1;
    for (const std::int64_t size : layer.dense_shape)
      shaped = size < 1 || shaped > max_values / size ? 0 : shaped * size;
    if (shaped != values)
      fault(path + ".shape",
            "expected " + count_text(values) + " values, the number of cells times the number of channels");
  }

  /// Checks the numbers that describe a kernel. Returns true if they are valid.
  bool check_kernel(const Layer& layer, const std::string& path) {
    const std::size_t before = faults_.size();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int size = layer.kernel_size[axis], stride = layer.stride[axis];
      if (size < 1 || size > largest_kernel_size) {
        fault(path + ".kernel_size", count_text(size) + " is not in the range 1 to 7");
        break;
      }
      if (stride < 1 || stride > max_level_stride || !std::has_single_bit(static_cast<unsigned>(stride))) {
        fault(path + ".stride", std::to_string(stride) + " is not one of 1, 2, 4, 8, 16, 32, 64");
        break;
      }
      if (layer.padding && ((*layer.padding)[axis] < 0 || (*layer.padding)[axis] >= size)) {
        fault(path + ".padding",
              count_text((*layer.padding)[axis]) + " is not in the range 0 to " + std::to_string(size - 1));
        break;
      }
      constexpr std::int64_t max_cells = std::int64_t{1} << 30U;
      if (layer.cells.at(axis) < 0 || layer.cells.at(axis) > max_cells) {
        fault(path + ".cells",
              count_text(layer.cells.at(axis)) + " is not in the range 1 to " + count_text(max_cells));
        break;
      }
    }
    if (layer.cells != std::array<std::int64_t, 3>{} && layer.rule == OutputRule::floor)
      fault(path + ".cells", "only a layer with the rule \"reached\" can have cells");
    check_neighbourhood(layer, path);
    if (layer.rule == OutputRule::reached && layer.transposed)
      fault(path + ".rule", "a transposed layer has no rule: its outputs are the inputs of an earlier layer");
    if (layer.transposed && layer.stride == PerAxis(1) && layer.map_of.empty())
      fault(path + ".stride", "a transposed layer needs a stride of 2 or more, or map_of");
    return faults_.size() == before;
  }

  void check_neighbourhood(const Layer& layer, const std::string& path) {
    if (const std::string why = why_not(layer.neighbourhood, layer.kernel_size); !why.empty())
      faults_.push_back(path + "." + why);
    if (!layer.neighbourhood.native()) return;
    if (!layer.convolution())
      fault(path + ".neighbours", "only a convolution has native neighbours; remove this key");
    if (layer.rule == OutputRule::reached || !layer.kernel().centred())
      fault(path + ".neighbours",
            "'" + std::string(text_of(layer.neighbourhood.shape)) +
                "' needs the rule floor and the usual padding; use 'voxels' for this layer");
  }

  /// Checks that rows of the levels of a native map have positions.
  void check_native_levels(const std::string& path, const MapKey& map) {
    if (!map.kernel.native()) return;
    for (const int level : {map.stride_in, map.stride_out}) {
      const LevelRule& rule = book_.rule(level);
      const PerAxis stride = rule.stride();
      if (rule.floor() && stride.equal() && stride[0] <= most_native_stride) continue;
      fault(path + ".neighbours",
            "points have no positions at " + book_.text(level) +
                ", only at strides up to 16 with the rule floor; use 'voxels' for this layer");
      return;
    }
  }

  /// Checks the limits of the outputs against the limits of the inputs: (cells + 2 * padding - kernel) /
  /// stride
  /// + 1. The scene can have fewer cells than the tensor of the library: SECOND adds one cell along z.
  void check_limits(const Layer& layer, const std::string& path, int in) {
    if (layer.transposed || !layer.map_of.empty()) return;
    const LevelRule& rule = book_.rule(in);
    const bool scene = rule == LevelRule();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t limit = rule.steps(axis).empty() ? 0 : rule.steps(axis).back().cells;
      if (scene && network_.grid) limit = network_.grid->cells.at(axis);
      const std::int64_t cells = layer.cells.at(axis),
                         room = limit + (std::int64_t{2} * layer.kernel().padding[axis]) -
                                layer.kernel_size[axis];
      if (limit == 0 || cells == 0 || room < 0) continue;
      const std::int64_t wanted = (room / layer.stride[axis]) + 1;
      if (scene ? cells < wanted : cells != wanted)
        return fault(path + ".cells", count_text(cells) + " cells along " + "xyz"[axis] + ", but " +
                                          count_text(limit) + " cells of the input give " +
                                          (scene ? "at least " : "") + count_text(wanted));
    }
  }

  /// Checks the levels and the map of a layer. Returns the level of its output.
  int check_levels(const Layer& layer, const std::string& path, int in) {
    if (!layer.transposed && layer.map_of.empty()) {
      const PerAxis from = book_.rule(in).stride();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int out = from[axis] * layer.stride[axis];
        if (out <= max_level_stride) continue;
        fault(path + ".stride", "the output would have stride " + std::to_string(out) + "; the limit is 64");
        return in;
      }
      constexpr std::size_t max_steps = 16;
      for (std::size_t axis = 0; axis < 3 && !layer.submanifold(); ++axis) {
        if (book_.rule(in).steps(axis).size() < max_steps) continue;
        fault(path + ".rule", "the level would depend on more than 16 strided layers");
        return in;
      }
    }
    check_limits(layer, path, in);
    const auto map = map_of(layer, in, book_);
    if (!map) {
      if (!layer.map_of.empty()) {
        fault(path + ".map_of",
              layer.map_of != "input" && sources_.contains(layer.map_of)
                  ? "'" + shortened(layer.map_of) + "' is not a convolution or pool, so it has no kernel map"
                  : "no earlier layer is called '" + shortened(layer.map_of) + "'");
      } else if (const auto neighbours = book_.neighbours_back(layer, in);
                 book_.maps_back(layer, in).empty() && neighbours) {
        fault(path + ".neighbours", "'" + text_of(layer.neighbourhood) + "', but the map at " +
                                        book_.text(in) + " that this layer could use has '" +
                                        text_of(*neighbours) +
                                        "'; set the same neighbours, or name a layer in map_of");
      } else if (book_.maps_back(layer, in).empty()) {
        fault(path + ".transposed", "no earlier layer of kernel size " + text_of(layer.kernel_size) +
                                        " and stride " + text_of(layer.stride) + " has outputs at " +
                                        book_.text(in) + ", so no kernel map can be reused");
      } else {
        fault(path + ".transposed", "the outputs of several earlier layers are at " + book_.text(in) +
                                        "; name one of these layers in map_of");
      }
      return in;
    }
    if (!layer.map_of.empty()) check_reused_map(layer, path, in, *map);
    check_native_levels(path, *map);
    book_.add_map(layer, *map);
    return layer.transposed ? map->stride_in : map->stride_out;
  }

  void check_reused_map(const Layer& layer, const std::string& path, int in, const MapKey& map) {
    const int needed = layer.transposed ? map.stride_out : map.stride_in;
    if (needed != in)
      fault(path + ".map_of", "the map of '" + shortened(layer.map_of) + "' needs an input of " +
                                  book_.text(needed) + ", but this layer has " + book_.text(in));
    const Layer& owner = *book_.owner_of(layer.map_of);
    if (layer.stored_kernel_size && layer.stored_kernel_size->product() < map.kernel.columns())
      fault(path + ".kernel_size", text_of(*layer.stored_kernel_size) + " has fewer cells than the map of '" +
                                       shortened(layer.map_of) + "' (" + text_of(map.kernel.size) + ")");
    if (layer.neighbourhood != map.kernel.neighbourhood)
      fault(path + ".neighbours", "'" + text_of(layer.neighbourhood) + "', but the map of '" +
                                      shortened(layer.map_of) + "' has '" +
                                      text_of(map.kernel.neighbourhood) +
                                      (layer.convolution() ? "'; set the same neighbours"
                                                           : "', and only convolutions can have them"));
    if (layer.kernel_size == map.kernel.size && layer.kernel().padding != map.kernel.padding)
      fault(path + ".padding", text_of(layer.kernel().padding) + ", but the map of '" +
                                   shortened(layer.map_of) + "' has " + text_of(map.kernel.padding));
    if (layer.stride != owner.stride)
      fault(path + ".stride", text_of(layer.stride) + ", but the map of '" + shortened(layer.map_of) +
                                  "' has stride " + text_of(owner.stride));
    if (!layer.transposed && (layer.rule != owner.rule || layer.cells != owner.cells))
      fault(path + ".rule",
            "differs from the rule of '" + shortened(layer.map_of) + "', whose map this layer uses");
    if (layer.kernel_size != map.kernel.size)
      fault(path + ".kernel_size", text_of(layer.kernel_size) + ", but the map of '" +
                                       shortened(layer.map_of) + "' has " + text_of(map.kernel.size));
  }

  void check_residual(const Layer& layer, const std::string& path, int out) {
    if (layer.residual.empty()) return;
    if (layer.residual == points_source) add_points_source();
    const auto found = sources_.find(layer.residual);
    if (found == sources_.end()) {
      fault(path + ".residual", "no earlier layer is called '" + shortened(layer.residual) + "'");
    } else if (found->second.channels != layer.out_channels || found->second.level != out) {
      fault(path + ".residual", "'" + shortened(layer.residual) + "' has " +
                                    std::to_string(found->second.channels) + " channels at " +
                                    book_.text(found->second.level) + ", but this layer has " +
                                    std::to_string(layer.out_channels) + " at " + book_.text(out));
    }
  }

  const Network& network_;
  std::size_t first_of_unit_ = 0;  // index of the first layer of the current unit, in check_units()
  std::map<std::string, Source> sources_;
  LevelBook book_;
  std::vector<std::string> faults_;
};

}  // namespace

std::string_view text_of(LayerOp op) noexcept {
  switch (op) {
    case LayerOp::convolution:
      return "conv";
    case LayerOp::concat:
      return "concat";
    case LayerOp::add:
      return "add";
    case LayerOp::multiply:
      return "multiply";
    case LayerOp::affine:
      return "affine";
    case LayerOp::activation:
      return "activation";
    case LayerOp::group_sum:
      return "group_sum";
    case LayerOp::dense:
      return "dense";
    case LayerOp::pool:
      return "pool";
    case LayerOp::layer_norm:
      return "layer_norm";
    case LayerOp::instance_norm:
      return "instance_norm";
    case LayerOp::union_add:
      return "union_add";
    case LayerOp::drop_axis:
      return "drop_axis";
    case LayerOp::to_points:
      return "to_points";
    case LayerOp::to_voxels:
      break;
  }
  return "to_voxels";
}

std::string_view text_of(NetworkSpace space) noexcept {
  return space == NetworkSpace::bev ? "bev" : "voxels";
}

std::string_view text_of(PointMode mode) noexcept {
  switch (mode) {
    case PointMode::trilinear:
      return "trilinear";
    case PointMode::nearest:
      return "nearest";
    case PointMode::mean:
      break;
  }
  return "mean";
}

std::string_view text_of(PoolReduction reduction) noexcept {
  switch (reduction) {
    case PoolReduction::max:
      return "max";
    case PoolReduction::sum:
      return "sum";
    case PoolReduction::mean:
      return "mean";
    case PoolReduction::mean_of_cells:
      break;
  }
  return "mean_of_cells";
}

std::string_view text_of(Activation activation) noexcept {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::relu:
      return "relu";
    case Activation::leaky_relu:
      return "leaky_relu";
    case Activation::sigmoid:
      return "sigmoid";
    case Activation::tanh:
      return "tanh";
    case Activation::silu:
      return "silu";
    case Activation::elu:
      return "elu";
    case Activation::gelu:
      break;
  }
  return "gelu";
}

std::string_view text_of(LayerStep step) noexcept {
  return step == LayerStep::norm ? "norm" : step == LayerStep::add ? "add" : "activation";
}

std::vector<LayerStep> Layer::steps() const {
  std::vector<LayerStep> all;
  for (const LayerStep step : order) {
    const bool present = step == LayerStep::norm  ? has_scale()
                         : step == LayerStep::add ? !residual.empty()
                                                  : activation != Activation::none;
    if (present) all.push_back(step);
  }
  return all;
}

bool Layer::folds_norm() const noexcept {
  for (const LayerStep step : order) {
    if (step == LayerStep::norm) return true;
    if (step == LayerStep::add ? !residual.empty() : activation != Activation::none) return false;
  }
  return true;
}

int Network::index_of(std::string_view layer) const noexcept {
  const auto found =
      std::find_if(layers.begin(), layers.end(), [&](const Layer& l) { return l.name == layer; });
  return found == layers.end() ? -1 : static_cast<int>(found - layers.begin());
}

void set_neighbourhood(Network& network, const Neighbourhood& neighbourhood) {
  bool any = false;
  for (Layer& layer : network.layers) {
    // A kernel that can have no cube keeps its voxels.
    if (!layer.convolution() || !why_not({NeighbourShape::cube}, layer.kernel_size).empty()) continue;
    if (const std::string why = why_not(neighbourhood, layer.kernel_size); !why.empty())
      throw Error(ErrorKind::usage, "layer " + layer.name + ": " + why);
    layer.neighbourhood = neighbourhood;
    any = true;
  }
  if (!any && neighbourhood.native())
    throw Error(ErrorKind::usage, "network " + network.name +
                                      ": no convolution has the kernel size 3, 5 or 7, so '" +
                                      text_of(neighbourhood) + "' changes nothing; use 'voxels'");
}

bool has_native_layers(const Network& network) noexcept {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const Layer& layer) { return layer.neighbourhood.native(); });
}

bool reads_point_features(const Network& network) {
  return network.index_of(points_source) < 0 &&
         std::any_of(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
           return layer.residual == points_source ||
                  std::find(layer.inputs.begin(), layer.inputs.end(), points_source) != layer.inputs.end();
         });
}

std::vector<std::string> faults(const Network& network) {
  return Checker(network).run();
}

std::string origin_text(const Network& network) {
  std::string text;
  for (const OriginFact& fact : network.origin)
    text += (text.empty() ? "" : ", ") + fact.key + (fact.key.empty() ? "" : " ") + fact.text;
  return text;
}

std::string partial_text(const Network& network) {
  if (network.skipped.empty()) return {};
  const auto run = std::ssize(network.layers);
  return "partial: " + count_text(run) + " of " +
         counted_text(run + std::ssize(network.skipped), "layer", "layers") + "; no total of the network";
}

KnownWork known_work(const Network& network) {
  KnownWork work;
  const auto add = [&work](const Layer& layer, bool works, std::int64_t& sum) {
    sum += std::max<std::int64_t>(0, layer.multiply_adds);
    work.unknown += works && layer.multiply_adds < 0 ? 1 : 0;
  };
  for (const Layer& layer : network.layers)
    add(layer, layer.convolution(), work.run);
  for (const SkippedLayer& skipped : network.skipped)
    add(skipped.layer, skipped.layer.convolution(), work.skipped);
  return work;
}

std::vector<int> last_readers(const Network& network) {
  std::vector<int> last(network.layers.size(), -1);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    auto names = network.layers[at].inputs;
    names.push_back(network.layers[at].residual);
    for (const auto& name : names) {
      if (const int input = network.index_of(name); input >= 0)
        last[static_cast<std::size_t>(input)] = static_cast<int>(at);
    }
  }
  for (const std::string& output : network.outputs) {
    if (const int layer = network.index_of(output); layer >= 0) last[static_cast<std::size_t>(layer)] = -1;
  }
  return last;
}

namespace {

/// Returns the guard cells that the kernel maps need on each axis.
std::array<std::int64_t, 3> guard_of(const Levels& levels) {
  std::array<std::int64_t, 3> guard{};
  for (const MapKey& map : levels.maps) {
    const SearchedCells cells = searched_cells(map.kernel);
    const auto own = guard_cells(cells.below, cells.above, levels.set(map.stride_in).rule.stride());
    for (std::size_t axis = 0; axis < 3; ++axis)
      guard.at(axis) = std::max(guard.at(axis), own.at(axis));
  }
  return guard;
}

int window_of(const KernelShape& kernel) {
  return kernel.native() ? kernel.neighbourhood.window(kernel.size[0]) : 0;
}

std::string window_text(int window) {
  return window > 0 ? ", neighbours up to " + std::to_string(window) + " cells away" : "";
}

}  // namespace

PackNeeds needs_of(const MapKey& map) {
  PackNeeds needs(map.kernel.size.largest(), map.stride_out);
  if (!map.kernel.native()) return needs;
  const SearchedCells cells = searched_cells(map.kernel);
  needs.guard = guard_cells(cells.below, cells.above, map.stride_in);
  needs.text = "K = " + text_of(map.kernel) + window_text(window_of(map.kernel)) + ", strides up to " +
               std::to_string(map.stride_out);
  return needs;
}

Levels levels_of(const Network& network) {
  if (const auto found = faults(network); !found.empty()) {
    throw Error(ErrorKind::input, "network " + network.name + ": " + found.front());
  }
  Levels levels;
  LevelBook book;
  bool usual = true;
  std::unordered_map<std::string_view, int> level_of{{"input", 1}};
  if (reads_point_features(network)) level_of[points_source] = book.points();
  for (const Layer& layer : network.layers) {
    LayerLevels here;
    for (const std::string& input : layer.inputs)
      here.inputs.push_back(level_of.at(input));
    here.stride_in = here.inputs.front();
    here.transposed = layer.transposed;
    if (layer.changes_set()) {
      // No map leads to the new level. Views show it with the map of one cell.
      here.stride_out = layer.op == LayerOp::to_voxels   ? level_of.at(layer.voxels_of)
                        : layer.op == LayerOp::to_points ? book.points()
                                                         : book.combined_level(layer, here.inputs);
      here.map = {KernelShape(1), here.stride_out, here.stride_out};
    } else {
      here.map = map_of(layer, here.stride_in, book).value();  // faults() has checked that there is one.
      here.stride_out = layer.transposed ? here.map.stride_in : here.map.stride_out;
    }
    level_of[layer.name] = here.stride_out;
    if (!layer.has_map()) {
      levels.layers.push_back(here);
      continue;
    }
    book.add_map(layer, here.map);
    if (std::find(levels.maps.begin(), levels.maps.end(), here.map) == levels.maps.end())
      levels.maps.push_back(here.map);
    levels.max_kernel_size = std::max(levels.max_kernel_size, here.map.kernel.size.largest());
    if (here.map.kernel.native())
      levels.native_stride = std::max({levels.native_stride, here.map.stride_in, here.map.stride_out});
    usual = usual && here.map.kernel == KernelShape(here.map.kernel.size[0]);
    levels.layers.push_back(here);
  }
  levels.sets = book.sets();
  std::stable_sort(levels.sets.begin(), levels.sets.end(),
                   [](const SceneLevel& a, const SceneLevel& b) { return a.number < b.number; });
  for (const SceneLevel& set : levels.sets) {
    levels.needs.levels.add(set.rule);
    levels.max_stride = std::max(levels.max_stride, set.rule.stride().largest());
    usual = usual && (set.number < first_numbered_level || set.rule.is_points());
  }
  if (usual) {
    levels.needs = PackNeeds(levels.max_kernel_size, levels.max_stride);
    return levels;
  }
  levels.needs.guard = guard_of(levels);
  int window = 0;
  for (const MapKey& map : levels.maps)
    window = std::max(window, window_of(map.kernel));
  levels.needs.text = "K up to " + std::to_string(levels.max_kernel_size) + window_text(window) +
                      ", strides up to " + std::to_string(levels.max_stride) + ", network " + network.name;
  return levels;
}

const SceneLevel& Levels::set(int number) const {
  return sets[index_of(number)];
}

std::size_t Levels::index_of(int number) const {
  const auto found =
      std::find_if(sets.begin(), sets.end(), [&](const SceneLevel& set) { return set.number == number; });
  SPIRA_ASSERT(found != sets.end(), "the network has no such level");
  return static_cast<std::size_t>(found - sets.begin());
}

bool Levels::has_points() const noexcept {
  return std::any_of(sets.begin(), sets.end(), [](const SceneLevel& one) { return one.rule.is_points(); });
}

std::string level_text(const Levels& levels, int number) {
  return level_text(levels.sets, number);
}

}  // namespace spira

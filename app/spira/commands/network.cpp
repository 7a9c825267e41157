#include "engine/network/network.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/run_table.hpp"
#include "app/spira/table.hpp"
#include "engine/base/text.hpp"
#include "engine/run/layer_work.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>

namespace spira::app {
namespace {

/// Returns the number of trained values of a layer: its weights, its bias, and the scale and shift of its
/// norm.
std::int64_t parameters_of(const Layer& layer) {
  const std::int64_t columns = layer.kernel_size.product(), out = layer.out_channels;
  if (!layer.convolution()) return layer.has_scale() ? 2 * out : 0;
  return (columns * layer.in_channels * out) + (layer.bias ? out : 0) + (layer.batch_norm ? 2 * out : 0);
}

std::string joined_names(const std::vector<std::string>& texts, const std::string& between = "+") {
  std::string all;
  for (const auto& text : texts)
    all += (all.empty() ? "" : between) + text;
  return all;
}

std::string input_text(const Network& network) {
  if (network.features_from_file)
    return counted_text(network.in_channels, "feature", "features") + " from a voxel file";
  if (network.features.empty()) return "x, y, z, intensity";
  std::string names;
  for (const InputFeature& feature : network.features)
    names += (names.empty() ? "" : ", ") + std::string(text_of(feature.value));
  return names;
}

std::string input_grid_text(const InputGrid& grid) {
  std::string low, cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low += (axis == 0 ? "" : ",") + shortest(grid.low_m.at(axis));
    cells += (axis == 0 ? "" : " x ") + count_text(grid.cells.at(axis));
  }
  std::string text = grid.has_voxel_size() ? grid_text(grid.voxel_m) + " m from " + low + "; " : "";
  text += grid.limited() ? cells + " cells" : "no limits";
  if (!grid.has_voxel_size()) return text;
  text += "; " + std::string(text_of(grid.rounding)) + "; " + std::string(text_of(grid.reduction));
  if (grid.most_points > 0)
    text += " of at most " + counted_text(grid.most_points, "point", "points") + " per voxel";
  return text;
}

std::string eps_text(const Layer& layer) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), layer.norm_epsilon).ptr;
  return "eps " + std::string(text.data(), end);
}

std::string norm_text(const Layer& layer) {
  return layer.batch_norm ? eps_text(layer) : "none";
}

/// Returns the levels of the inputs of a layer, such as "8+16 (reached)". Equal levels occur once.
std::string levels_text(const Levels& levels, const LayerLevels& layer) {
  std::vector<std::string> texts;
  for (const int level : layer.inputs) {
    const std::string text = level_text(levels, level);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return joined_names(texts);
}

/// Returns the operation of a layer that is not a convolution, such as "pool max 2".
std::string operation_text(const Layer& layer) {
  std::string text(text_of(layer.op));
  if (layer.op == LayerOp::pool)
    text += " " + std::string(text_of(layer.reduction)) + " " + text_of(layer.kernel_size);
  if (layer.moves_points())
    text += " " + std::string(text_of(layer.mode)) +
            (layer.voxels_of.empty() ? "" : " in the voxels of " + layer.voxels_of);
  return text;
}

/// Returns the activation and, if it is not the usual one, the order of the steps of a layer.
std::string activation_text(const Layer& layer) {
  std::string text(text_of(layer.activation));
  if (layer.order == usual_order) return text;
  std::string steps;
  for (const LayerStep step : layer.order) {
    const bool present = step == LayerStep::norm  ? layer.batch_norm
                         : step == LayerStep::add ? !layer.residual.empty()
                                                  : layer.activation != Activation::none;
    if (present) steps += (steps.empty() ? "" : ", ") + std::string(text_of(step));
  }
  return text + " (" + steps + ")";
}

std::string map_text(const Levels& levels, const MapKey& map) {
  return "K" + text_of(map.kernel) + " " + level_text(levels, map.stride_in) + ">" +
         level_text(levels, map.stride_out);
}

/// Returns the share of the multiply-adds of the exported frame that can run. Returns an empty text if the
/// file gives no multiply-adds.
std::string share_text(const Network& network) {
  const KnownWork work = known_work(network);
  if (work.run + work.skipped == 0) return {};
  return "multiply-adds of the exported frame: " +
         scaled_text(static_cast<double>(work.run + work.skipped), "") + ", of which " +
         percent_text(work.share(work.run)) + " can run" +
         (work.unknown == 0 ? "" : "; unknown for " + counted_text(work.unknown, "layer", "layers")) + "\n";
}

/// Returns the number of cells along x, y and z that a level can have, or zeros if a level has no limits.
std::array<std::int64_t, 3> cell_limits(const LevelRule& rule) {
  std::array<std::int64_t, 3> cells{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!rule.steps(axis).empty()) cells.at(axis) = rule.steps(axis).back().cells;
  }
  // A flat level has one cell along z, even without limits.
  return cells[0] == 0 || cells[1] == 0 ? std::array<std::int64_t, 3>{} : cells;
}

/// Returns the limits of the levels as a line, or an empty text if no level has limits.
std::string limits_text(const Levels& levels) {
  std::string text;
  for (const SceneLevel& set : levels.sets) {
    const auto cells = cell_limits(set.rule);
    if (cells == std::array<std::int64_t, 3>{}) continue;
    text += (text.empty() ? "limits: " : ", ") + level_text(levels, set.number) + " " +
            std::to_string(cells[0]) + "x" + std::to_string(cells[1]) + "x" + std::to_string(cells[2]);
  }
  return text.empty() ? "" : text + " cells\n";
}

void print_network_text(const Network& network, const Levels& levels) {
  std::vector<std::vector<std::string>> rows{
      {"layer", "inputs", "residual", "K", "stride", "channels", "norm", "activation", "parameters", "map"}};
  std::int64_t parameters = 0;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    const LayerLevels& level = levels.layers[at];
    parameters += parameters_of(layer);
    if (!layer.convolution()) {
      const bool moves = layer.has_map() || layer.changes_set();
      rows.push_back(
          {layer.name, joined_names(layer.inputs), layer.residual, operation_text(layer),
           (moves ? levels_text(levels, level) + ">" : "") + level_text(levels, level.stride_out),
           std::to_string(layer.in_channels) + ">" + std::to_string(layer.out_channels),
           layer.op == LayerOp::layer_norm || layer.op == LayerOp::instance_norm ? eps_text(layer) : "none",
           std::string(text_of(layer.activation)), count_text(parameters_of(layer)),
           layer.has_map() ? map_text(levels, level.map) : "none"});
      continue;
    }
    rows.push_back({layer.name, joined_names(layer.inputs), layer.residual, text_of(layer.kernel_size),
                    level_text(levels, level.stride_in) + ">" + level_text(levels, level.stride_out),
                    std::to_string(layer.in_channels) + ">" + std::to_string(layer.out_channels),
                    norm_text(layer), activation_text(layer), count_text(parameters_of(layer)),
                    map_text(levels, level.map) + (layer.transposed ? " transposed" : "")});
  }
  std::cout << printable(network.name) << ": " << printable(network.title) << "\n"
            << counted_text(std::ssize(network.layers), "layer", "layers") << ", " << count_text(parameters)
            << " parameters, " << counted_text(std::ssize(levels.maps), "kernel map", "kernel maps") << "\n"
            << "input: " << input_text(network) << "\n";
  if (network.grid) std::cout << "grid: " << input_grid_text(*network.grid) << "\n";
  if (!network.outputs.empty())
    std::cout << "outputs: " << printable(joined_names(network.outputs, ", ")) << "\n";
  if (!network.origin.empty()) std::cout << "origin: " << printable(origin_text(network)) << "\n";
  if (!network.skipped.empty()) std::cout << partial_text(network) << "\n";
  std::cout << share_text(network) << "levels: stride";
  for (const SceneLevel& set : levels.sets) {
    if (!set.rule.is_points()) std::cout << (set.number == 1 ? " " : ", ") << level_text(levels, set.number);
  }
  std::cout << (levels.has_points() ? "; and the points of the scene\n" : "\n") << limits_text(levels)
            << table_text(rows);
  std::cout << skipped_text(network, network.skipped.size());
  for (const Layer& layer : network.layers) {
    if (layer.op == LayerOp::instance_norm)
      std::cout << printable(layer.name)
                << " normalizes over all voxels, so each output depends on the whole scene\n";
  }
  for (const Layer& layer : network.layers) {
    if (layer.stored_kernel_size)
      std::cout << printable(layer.name) << " uses the map of " << printable(layer.map_of)
                << ", so it needs only " << layer.kernel_size.product() << " of its "
                << layer.stored_kernel_size->product() << " weight matrices\n";
  }
}

void print_network_json(const Network& network, const Levels& levels) {
  nlohmann::ordered_json document{{"network", nlohmann::ordered_json::parse(network_json(network))},
                                  {"levels", nlohmann::ordered_json::array()}};
  for (const SceneLevel& set : levels.sets) {
    document["levels"].push_back(
        {{"number", set.number},
         {"text", level_text(levels, set.number)},
         {"stride", set.rule.stride().values},
         {"rule", set.rule.is_points()  ? "points"
                  : set.rule.is_union() ? "joined"
                  : set.rule.is_flat()
                      ? "flat"
                      : text_of(set.rule.floor() ? OutputRule::floor : OutputRule::reached)}});
    if (const auto cells = cell_limits(set.rule); cells != std::array<std::int64_t, 3>{})
      document["levels"].back()["cells"] = cells;
  }
  document["layers"] = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    document["layers"].push_back({{"name", network.layers[at].name},
                                  {"stride_in", levels.layers[at].stride_in},
                                  {"stride_out", levels.layers[at].stride_out},
                                  {"parameters", parameters_of(network.layers[at])},
                                  {"map", map_text(levels, levels.layers[at].map)}});
  }
  document["partial"] = !network.skipped.empty();
  document["skipped"] = nlohmann::ordered_json::array();
  for (const SkippedLayer& skipped : network.skipped)
    document["skipped"].push_back(
        {{"name", skipped.layer.name}, {"opaque", skipped.opaque}, {"why", skipped.why}});
  std::cout << document.dump(1) << "\n";
}

}  // namespace

void add_network(CLI::App& program, Context& /*context*/) {
  struct Options {
    std::string network;
    OutputOptions output;
  };
  auto* command =
      program.add_subcommand("network", "Describe a network: input, levels, layers and parameters");
  command->footer("Example: spira network net.json");
  auto options = std::make_shared<Options>();
  command->add_option("network", options->network, "resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file")
      ->required()
      ->type_name(network_value());
  options->output.add(*command, false);
  command->callback([options] {
    const Network network = network_by_name_or_file(options->network);
    const Levels levels = levels_of(network);
    options->output.json ? print_network_json(network, levels) : print_network_text(network, levels);
  });
}

}  // namespace spira::app

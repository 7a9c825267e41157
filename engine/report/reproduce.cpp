#include "engine/report/reproduce.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/network/neighbours.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/backward.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace spira {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const std::string& option, const std::string& value) {
  if (value.empty()) return;
  words.push_back(option);
  words.push_back(value);
}

std::string widths(PackSpec pack, char between) {
  return std::to_string(pack.x_bits) + between + std::to_string(pack.y_bits) + between +
         std::to_string(pack.z_bits);
}

Words with_scene(const std::string& command, const MeasuredWith& how, bool with_pack) {
  Words words{"spira", command, how.scene};
  if (!how.batch.empty() && command != "info") words.emplace_back("--batch");
  words.insert(words.end(), how.batch.begin(), how.batch.end());
  add(words, "--format", how.format);
  if (how.facts.every > 1) add(words, "--every", std::to_string(how.facts.every));
  add(words, "--grid", grid_text(how.facts.voxel_m));
  if (how.facts.crop_m) add(words, "--crop", crop_text(*how.facts.crop_m));
  if (with_pack) add(words, "--pack", widths(how.facts.pack, ','));
  return words;
}

void add_weights(Words& words, const std::string& weights) {
  if (const auto seed = seed_of(weights)) {
    add(words, "--seed", std::to_string(*seed));
  } else {
    add(words, "--weights", weights);
  }
}

/// Adds the network, and the neighbours with which it ran.
void add_network(Words& words, const MeasuredWith& how) {
  add(words, "--network", how.network);
  // If the layers have different neighbourhoods, the network file contains them.
  const Neighbourhood common = common_neighbourhood(how.layers).value_or(Neighbourhood{});
  if (common.native()) add(words, "--neighbours", std::string(text_of(common.shape)));
  if (common.cell != 1) add(words, "--cell", std::to_string(common.cell));
  if (common.radius != 0) add(words, "--radius", shortest(common.radius));
  if (has_native_layers(how.layers) && how.positions != PositionKind::nearest)
    add(words, "--positions", std::string(text_of(how.positions)));
}

const std::string& name_of(const MeasuredWith& how, std::size_t layer) {
  return how.layers.layers.at(layer).name;
}

/// Returns the algorithm that most layers use. With this default, the command needs the fewest options for
/// single layers. In a tie, returns the algorithm that occurs first.
MapAlgorithm common_algorithm(const Plan& plan) {
  MapAlgorithm common = MapAlgorithm::z_delta;
  std::ptrdiff_t most = 0;
  for (const LayerPlan& layer : plan.layers) {
    const auto count = std::count_if(plan.layers.begin(), plan.layers.end(), [&](const LayerPlan& other) {
      return other.algorithm == layer.algorithm;
    });
    if (count <= most) continue;
    most = count;
    common = layer.algorithm;
  }
  return common;
}

/// Adds the options for the search algorithm and the layout of maps to `words`. Adds an option for a single
/// layer only if its setting differs from --map or from the default layout.
void add_maps(Words& words, const MeasuredWith& how) {
  const MapAlgorithm common = common_algorithm(how.plan);
  if (common != MapAlgorithm::z_delta) add(words, "--map", std::string(text_of(common)));
  for (std::size_t at = 0; at < how.plan.layers.size(); ++at) {
    const LayerPlan& layer = how.plan.layers[at];
    if (layer.algorithm != common)
      add(words, "--layer-map", name_of(how, at) + "=" + std::string(text_of(layer.algorithm)));
    if (layer.splits != 0 || layer.method != FeatureMethod::by_layout)
      add(words, "--layer-dataflow", name_of(how, at) + "=" + dataflow_text(how.layers.layers.at(at), layer));
    else if (layer.dense_layout != LayerPlan{}.dense_layout)
      add(words, "--layer-layout", name_of(how, at) + "=" + std::string(text_of(layer.dense_layout)));
  }
}

/// Adds all options that define how layers run to `words`. Adds an option for a single layer only if its t
/// differs from --threshold.
void add_engine(Words& words, const MeasuredWith& how) {
  add(words, "--backend", std::string(text_of(how.backend)));
  add(words, "--precision", std::string(text_of(how.plan.precision)));
  add_weights(words, how.weights);
  if (how.threads > 0) add(words, "--threads", std::to_string(how.threads));
  add_maps(words, how);
  if (how.repetitions > 0) add(words, "--repeat", std::to_string(how.repetitions));
  if (how.warmup != SamplingProtocol{}.warmup) add(words, "--warmup", std::to_string(how.warmup));
  // Use the threshold from which the fewest layers differ, so that few options for single layers are needed.
  Plan base = default_plan(how.layers);
  const auto differing = [&](const Plan& plan) {
    std::ptrdiff_t count = 0;
    for (std::size_t at = 0; at < plan.layers.size(); ++at)
      count += plan.layers[at].threshold != how.plan.layers.at(at).threshold ? 1 : 0;
    return count;
  };
  int best = -1;
  constexpr int highest = 10;
  for (int t = 0; t <= highest; ++t) {
    Plan tried = default_plan(how.layers);
    set_threshold(tried, how.layers, t);
    if (differing(tried) >= differing(base)) continue;
    base = tried;
    best = t;
  }
  if (best >= 0) add(words, "--threshold", std::to_string(best));
  for (std::size_t at = 0; at < base.layers.size(); ++at) {
    const LayerPlan& layer = how.plan.layers.at(at);
    const int t = layer.threshold;
    if (layer.splits != 0 || layer.method != FeatureMethod::by_layout) continue;  // Set by --layer-dataflow.
    if (t != base.layers[at].threshold)
      add(words, "--layer-threshold", name_of(how, at) + "=" + std::to_string(t));
  }
}

/// Returns true if `word` names the scene: the path of its file, a built-in scene with seed, or standard
/// input.
bool names_scene(const std::string& word, const SceneFacts& scene) {
  if (scene.format == "generated") return word.substr(0, word.find(':')) == scene.name;
  if (scene.name == standard_input_name) return word == standard_input;
  return std::filesystem::path(word).filename() == scene.name;
}

/// Returns the facts with the name of the first scene if several scenes were joined to a batch.
SceneFacts first_scene(SceneFacts scene) {
  const std::string start = "batch of " + std::to_string(scene.batch) + ": ";
  if (scene.batch > 1 && scene.name.starts_with(start))
    scene.name = scene.name.substr(start.size(), scene.name.find(", ") - start.size());
  return scene;
}

/// Returns the scene as it was named in the command of the report. Because options can be before and after
/// the scene, each word is compared with the name of the scene. A word after an option can be the value of
/// the option (as in -o copy/scan.bin), so it is used only if no other word matches.
std::string scene_of(const Report& report) {
  const SceneFacts scene = first_scene(report.scene);
  const std::string* second = nullptr;
  for (std::size_t at = 1; at < report.command.size(); ++at) {
    const std::string& word = report.command[at];
    if (!names_scene(word, scene)) continue;
    const std::string& before = report.command[at - 1];
    if (!before.starts_with("-") || before == "--") return word;
    if (second == nullptr) second = &word;
  }
  if (second != nullptr) return *second;
  return scene.name == standard_input_name ? std::string(standard_input) : scene.name;
}

/// Returns the value of an option in the command of the report, or an empty string.
std::string value_of_option(const Report& report, const std::string& option) {
  for (std::size_t at = 0; at < report.command.size(); ++at) {
    const std::string& word = report.command[at];
    if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
    if (word == option && at + 1 < report.command.size()) return report.command[at + 1];
  }
  return {};
}

/// Returns the scenes after --batch in the command of the report.
Words batch_of_command(const Report& report) {
  auto word = std::find(report.command.begin(), report.command.end(), "--batch");
  Words scenes;
  if (report.scene.batch == 1 || word == report.command.end()) return scenes;
  while (++word != report.command.end() && (!word->starts_with("-") || *word == standard_input))
    scenes.push_back(*word);
  return scenes;
}

/// Returns the options for the backward passes that did not run with the settings of default_backward().
Words backward_options(const Report& report) {
  Words words;
  const Levels levels = levels_of(report.network);
  for (std::size_t at = 0; at < report.network.layers.size(); ++at) {
    const Layer& layer = report.network.layers[at];
    const auto& measured = report.measurement.layers.at(at).backward;
    if (!measured || !layer.convolution()) continue;
    const BackwardPlan usual =
        default_backward(layer, levels.layers[at], report.measurement.plan.layers.at(at));
    const auto add_pass = [&](const char* option, const std::string& dataflow, const LayerPlan& plan) {
      if (!dataflow.empty() && dataflow != dataflow_text(layer, plan))
        add(words, option, layer.name + "=" + dataflow);
    };
    add_pass("--layer-dgrad", measured->dgrad.dataflow, usual.dgrad);
    add_pass("--layer-wgrad", measured->wgrad.dataflow, usual.wgrad);
  }
  return words;
}

/// Returns the command that measures relational convolutions again. It always measures all layers.
Words command_of_relations(const MeasuredWith& how) {
  Words words{"spira", "relations", how.scene};
  add(words, "--nodes", how.nodes);
  add(words, "--features", how.features);
  std::string channels = std::to_string(how.layers.in_channels);
  for (const Layer& layer : how.layers.layers)
    channels += "," + std::to_string(layer.out_channels);
  add(words, "--layers", channels);
  add(words, "--normalise", std::string(text_of(how.facts.triples->normalise)));
  if (how.facts.triples->inverse) words.emplace_back("--inverse");
  add(words, "--dataflow", dataflow_text(how.layers.layers.at(0), how.plan.layers.at(0)));
  add(words, "--backend", std::string(text_of(how.backend)));
  add(words, "--precision", std::string(text_of(how.plan.precision)));
  add_weights(words, how.weights);
  if (how.threads > 0) add(words, "--threads", std::to_string(how.threads));
  if (how.repetitions > 0) add(words, "--repeat", std::to_string(how.repetitions));
  if (how.warmup != SamplingProtocol{}.warmup) add(words, "--warmup", std::to_string(how.warmup));
  return words;
}

/// Returns the command that measures a bird's-eye view network again. It always measures all units.
Words command_of_bev(const MeasuredWith& how) {
  const BevFacts& view = *how.bev;
  const Area& area = view.area;
  Words words{"spira", "run", how.scene};
  add(words, "--format", how.format);
  if (how.facts.every > 1) add(words, "--every", std::to_string(how.facts.every));
  add(words, "--grid", shortest(area.cell_m));
  Bounds box;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const auto corner = [&](std::int64_t cell) {
      constexpr double per_metre = 1e6;  // Removes the rounding error of the product.
      return std::round(static_cast<double>(cell) * area.cell_m * per_metre) / per_metre;
    };
    box.low.at(axis) = corner(area.first.at(axis));
    box.high.at(axis) = corner(area.first.at(axis) + area.cells.at(axis));
  }
  box.low[2] = area.z_m[0];
  box.high[2] = area.z_m[1];
  add(words, "--crop", crop_text(box));
  add(words, "--z", shortest(area.z_m[0]) + "," + shortest(area.z_m[1]));
  add(words, "--network", how.network);
  add(words, "--mask", view.mask);
  add(words, "--plan", how.unit_plan);
  if (how.unit_plan.empty() && !view.units.empty()) {
    const auto blocks = std::find_if(view.units.begin(), view.units.end(),
                                     [](const UnitFacts& unit) { return unit.plan.core > 0; });
    const UnitPlan& plan = (blocks == view.units.end() ? view.units.front() : *blocks).plan;
    add(words, "--method", std::string(text_of(plan.method)));
    if (plan.core > 0) add(words, "--core", std::to_string(plan.core));
  }
  add(words, "--backend", std::string(text_of(how.backend)));
  add(words, "--precision", std::string(text_of(how.plan.precision)));
  add_weights(words, how.weights);
  if (how.threads > 0) add(words, "--threads", std::to_string(how.threads));
  if (how.repetitions > 0) add(words, "--repeat", std::to_string(how.repetitions));
  if (how.warmup != SamplingProtocol{}.warmup) add(words, "--warmup", std::to_string(how.warmup));
  return words;
}

}  // namespace

std::string preset_of(const Network& network) {
  for (const PresetFacts& preset : network_presets()) {
    if (network_json(network_preset(preset.id)) == network_json(network)) return std::string(preset.id);
  }
  return {};
}

std::string network_argument(const Network& network) {
  Network before_option = network;
  if (common_neighbourhood(network).value_or(Neighbourhood{}).native()) set_neighbourhood(before_option, {});
  std::string preset = preset_of(before_option);
  return preset.empty() ? network.name + ".json" : preset;
}

MeasuredWith measured_with(const Report& report) {
  MeasuredWith how;
  how.scene = scene_of(report);
  how.batch = batch_of_command(report);
  // The scenes of a batch can have different formats.
  if (report.scene.format != "generated" && how.batch.empty()) how.format = report.scene.format;
  how.network = network_argument(report.network);
  if (report.scene.positions) how.positions = report.scene.positions->kind;
  how.facts = report.scene;
  how.layers = report.network;
  how.plan = report.measurement.plan;
  how.backend = report.measurement.device.kind;
  if (how.backend != BackendKind::cuda) how.threads = report.measurement.device.threads;
  how.weights = report.weights;
  how.repetitions = static_cast<int>(report.measurement.repetitions());
  how.warmup = report.measurement.protocol.warmup;
  if (report.scene.triples) {
    how.nodes = value_of_option(report, "--nodes");
    how.features = value_of_option(report, "--features");
  }
  if (report.measurement.bev) {
    how.bev = report.measurement.bev;
    how.unit_plan = value_of_option(report, "--plan");
  }
  if (report.measurement.training) {
    how.loss_scale = report.measurement.training->loss_scale;
    how.gradient = value_of_option(report, "--gradient");
    how.backward = backward_options(report);
  }
  return how;
}

Words command_of_layer(const MeasuredWith& how, int layer) {
  if (how.facts.triples) return command_of_relations(how);
  if (how.bev) return command_of_bev(how);
  Words words = with_scene("run", how, true);
  add_network(words, how);
  add_engine(words, how);
  if (how.loss_scale > 0) {
    words.emplace_back("--training");
    add(words, "--loss-scale", std::to_string(how.loss_scale));
    if (!how.gradient.empty()) add(words, "--gradient", how.gradient);
    words.insert(words.end(), how.backward.begin(), how.backward.end());
  }
  if (layer >= 0) add(words, "--layer", name_of(how, static_cast<std::size_t>(layer)));
  return words;
}

Words command_of_threshold(const MeasuredWith& how, int layer, int threshold) {
  Words words = with_scene("sweep", how, true);
  add_network(words, how);
  if (layer >= 0) add(words, "--layer", name_of(how, static_cast<std::size_t>(layer)));
  add(words, "--thresholds", std::to_string(threshold));
  add_engine(words, how);
  return words;
}

Words command_of_packing(const MeasuredWith& how, PackSpec pack) {
  Words words = with_scene("sweep", how, false);
  add_network(words, how);
  add(words, "--packs", widths(pack, '/'));
  add_engine(words, how);
  return words;
}

Words command_of_densities(const MeasuredWith& how, int layer) {
  Words words = with_scene("densities", how, true);
  add_network(words, how);
  add(words, "--layer", name_of(how, static_cast<std::size_t>(layer)));
  words.emplace_back("--per-offset");
  return words;
}

Words command_of_scene_densities(const MeasuredWith& how, int kernel_size, int stride) {
  Words words = with_scene("densities", how, true);
  add(words, "--kernel", std::to_string(kernel_size));
  add(words, "--stride", std::to_string(stride));
  words.emplace_back("--per-offset");
  return words;
}

Words command_of_scene(const MeasuredWith& how) {
  return with_scene("info", how, false);
}

std::string shell_text(const Words& command) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char letter : word)
      line += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    line += '\'';
  }
  return line;
}

}  // namespace spira

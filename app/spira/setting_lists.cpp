#include "app/spira/setting_lists.hpp"

#include "app/spira/options.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/blocks.hpp"
#include "engine/tune/sweep.hpp"

#include <algorithm>
#include <array>

namespace spira::app {
namespace {

/// Returns true if the layer with this index can run a dataflow, or any layer if `layer` is -1.
bool can_run(const Network& network, int layer, const std::string& dataflow) {
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (layer >= 0 && at != static_cast<std::size_t>(layer)) continue;
    if (can_run_dataflow(network.layers[at], dataflow)) return true;
  }
  return false;
}

}  // namespace

std::vector<int> parse_thresholds(const std::string& text, const std::vector<int>& all) {
  if (text.empty() || text == "all") return all;
  std::vector<int> wanted;
  for (const auto& word : split_list(text)) {
    const auto value = parse_int(word);
    if (!value || *value < 0 || *value > all.back()) {
      throw Error(ErrorKind::usage, "--thresholds " + text + ": expected all, or numbers from 0 to " +
                                        std::to_string(all.back()));
    }
    wanted.push_back(static_cast<int>(*value));
  }
  return wanted;
}

std::vector<int> parse_cores(const std::string& text) {
  if (text == "all") return {block_cores.begin(), block_cores.end()};
  std::vector<int> wanted;
  for (const auto& word : split_list(text)) {
    const auto value = parse_int(word);
    if (!value || std::find(block_cores.begin(), block_cores.end(), *value) == block_cores.end())
      throw Error(ErrorKind::usage,
                  "--cores " + shortened(text) + ": expected all, or numbers among 4, 8, 16, 32");
    if (std::find(wanted.begin(), wanted.end(), *value) == wanted.end())
      wanted.push_back(static_cast<int>(*value));
  }
  return wanted;
}

void say_only_threshold(const Context& context, const Network& network, int layer) {
  if (all_thresholds(network, layer).size() > 1) return;
  const auto native = std::find_if(network.layers.begin(), network.layers.end(),
                                   [](const Layer& one) { return one.neighbourhood.native(); });
  if (native != network.layers.end())
    context.say("t = 0 is the only setting of this sweep: " + why_not_threshold(*native, 1));
}

std::vector<std::string> parse_dataflows(const std::string& text, const Network& network, int layer) {
  std::vector<std::string> all = all_dataflows(network, layer);
  if (text == "all") return all;
  std::vector<std::string> wanted;
  for (const std::string& word : split_list(text)) {
    if (std::find(wanted.begin(), wanted.end(), word) != wanted.end())
      throw Error(ErrorKind::usage, "--dataflows " + text + ": " + word + " appears twice");
    if (!can_run(network, layer, word)) {
      std::string names;
      for (const std::string& name : all)
        names += ", " + name;
      throw Error(ErrorKind::usage,
                  "--dataflows " + text + ": '" + word +
                      "' cannot run on this network or layer; expected \"all\" or a list of " +
                      names.substr(2));
    }
    wanted.push_back(word);
  }
  return wanted;
}

std::vector<PackSpec> parse_packs(const std::string& option, const std::string& text) {
  std::vector<PackSpec> packs;
  for (const auto& word : split_list(text)) {
    const PackSpec pack = parse_pack_spec(word);
    if (std::find(packs.begin(), packs.end(), pack) != packs.end())
      throw Error(ErrorKind::usage, option + " " + text + ": " + pack.text() + " appears twice");
    packs.push_back(pack);
  }
  return packs;
}

std::vector<MapAlgorithm> parse_algorithms(const std::string& text) {
  if (text == "all")
    return {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
            MapAlgorithm::sorted_query};
  std::vector<MapAlgorithm> algorithms;
  for (const auto& word : split_list(text)) {
    const MapAlgorithm algorithm = parse_map_algorithm(word);
    if (std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end())
      throw Error(ErrorKind::usage, "--algorithms " + text + ": " + word + " appears twice");
    algorithms.push_back(algorithm);
  }
  return algorithms;
}

double parse_budget_ms(const std::string& text) {
  struct Unit {
    std::string_view name;
    double ms;
  };
  constexpr std::array<Unit, 5> units{{{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"", 1e3}}};
  constexpr double max_ms = 1e10;
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto value = parse_double(std::string_view(text).substr(0, text.size() - unit.name.size()));
    if (value && *value > 0 && *value * unit.ms <= max_ms) return *value * unit.ms;
  }
  throw Error(ErrorKind::usage, "--budget " + text + ": expected a time such as 30s, 500ms, 2m or 1h");
}

std::vector<double> parse_scene_weights(const std::string& text, std::size_t count) {
  std::vector<double> weights;
  if (text.empty()) return std::vector<double>(count, 1.0);
  for (const auto& word : split_list(text)) {
    const auto value = parse_double(word);
    if (value && *value > 0 && *value <= 1e9) weights.push_back(*value);
  }
  if (weights.size() != count || split_list(text).size() != count) {
    throw Error(ErrorKind::usage, "--scene-weights " + text + ": expected a number above 0 for each of " +
                                      std::to_string(count) + " scenes");
  }
  return weights;
}

}  // namespace spira::app

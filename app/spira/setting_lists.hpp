// Functions that parse lists of settings on the command lines of `spira sweep` and `spira tune`.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <string>
#include <vector>

namespace spira::app {

struct Context;

// If the text is not valid, the functions below throw Error(usage) with the name of the option.

/// Parses a list such as "0,2,4", whose values must all be in `all`. Returns `all` for "all" or an empty
/// string.
[[nodiscard]] std::vector<int> parse_thresholds(const std::string& text, const std::vector<int>& all);
/// If native neighbours are the reason why a sweep of thresholds has one setting, prints this to stderr.
/// `layer` is -1 for the whole network.
void say_only_threshold(const Context& context, const Network& network, int layer);
/// Parses a list such as "os,mask-sorted:2". If `layer` is -1, at least one layer must be able to run each
/// dataflow. Otherwise, the layer with this index must be able to run all of them. Returns all_dataflows()
/// for "all".
[[nodiscard]] std::vector<std::string> parse_dataflows(const std::string& text, const Network& network,
                                                       int layer);
/// Parses a list of packings such as "32,64,11/12/9". Slashes separate the bits for x, y and z.
[[nodiscard]] std::vector<PackSpec> parse_packs(const std::string& option, const std::string& text);
/// Returns the cores of blocks of a list such as "8,16", without duplicates. Returns all cores for "all".
[[nodiscard]] std::vector<int> parse_cores(const std::string& text);
/// Parses "all" or a list such as "zdelta,hash".
[[nodiscard]] std::vector<MapAlgorithm> parse_algorithms(const std::string& text);
/// Returns the milliseconds for "30s", "500ms", "2m", "1h" or a number of seconds.
[[nodiscard]] double parse_budget_ms(const std::string& text);
/// Parses a list such as "2,1", with one positive weight for each of `count` scenes.
[[nodiscard]] std::vector<double> parse_scene_weights(const std::string& text, std::size_t count);

}  // namespace spira::app

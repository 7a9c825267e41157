// Lists of settings as `sweep` and `tune` take them.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <string>
#include <vector>

namespace spira::app {

// Each throws Error(usage) naming the option.

/// "all" or empty: `all`; else "0,2,4", each among them.
[[nodiscard]] std::vector<int> parse_thresholds(const std::string& text, const std::vector<int>& all);
/// "32,64,11/12/9": widths within a packing are parted by slashes here.
[[nodiscard]] std::vector<PackSpec> parse_packs(const std::string& option, const std::string& text);
/// "all" or "zdelta,hash".
[[nodiscard]] std::vector<MapAlgorithm> parse_algorithms(const std::string& text);
/// "30s", "500ms", "2m", "1h"; a bare number is seconds. The result is in milliseconds.
[[nodiscard]] double parse_budget_ms(const std::string& text);
/// "2,1": one for each of `count` scenes, above 0.
[[nodiscard]] std::vector<double> parse_scene_weights(const std::string& text, std::size_t count);

}  // namespace spira::app

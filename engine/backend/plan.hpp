// Defines Plan, the settings with which a network runs: the threshold t, the mapping algorithm and the layout
// of each layer, and one precision for all layers.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/voxel/coord_set.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace spira {

struct LayerPlan {
  /// The threshold t in units of the input stride, from 0 to KernelOffsets::max_threshold().
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  bool operator==(const LayerPlan&) const = default;
};
/// Identifies the kernel map that a layer reads: the key of the map, and the settings with which it is built.
/// Layers with equal values share one map.
struct MapUse {
  MapKey key;
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  auto operator<=>(const MapUse&) const = default;
};
[[nodiscard]] MapUse map_use(const LayerLevels& level, const LayerPlan& plan) noexcept;
/// Records who set the threshold t of a layer. The record is valid only if the layer still has this
/// threshold.
struct ThresholdSource {
  std::string name = "default";  ///< "default", "user", or a profile such as "profile:x.tune.json".
  int threshold = -1;
};
struct Plan {
  std::vector<LayerPlan> layers;  ///< One entry per layer.
  Precision precision = Precision::fp32;
  /// Where the plan comes from: "default", an option such as "--threshold 3", or the path of a plan file.
  std::string source = "default";
  std::vector<ThresholdSource> threshold_sources{};  ///< One entry per layer, or empty.
};

/// Returns a plan in which all layers run output-stationary, except transposed layers, which can only run
/// weight-stationary (t = 0).
[[nodiscard]] Plan default_plan(const Network& network);
/// Returns the thresholds that a layer supports: 0 to the maximum for submanifold layers, 0 and the maximum
/// for strided layers (section 5.4 of the Spira paper), and 0 for transposed layers.
[[nodiscard]] std::vector<int> feasible_thresholds(const Layer& layer);
/// Returns the reason why a layer does not support a threshold. Returns an empty string if the layer supports
/// it.
[[nodiscard]] std::string why_not_threshold(const Layer& layer, int threshold);
/// Sets the threshold of all layers. Layers that do not support it get the nearest supported threshold.
void set_threshold(Plan& plan, const Network& network, int threshold);

/// Records `name` as the source of the current threshold of a layer.
void note_threshold_source(Plan& plan, std::size_t layer, const std::string& name);
/// Returns who set the current threshold of a layer. Without a record, returns "default" if it is the
/// threshold of default_plan(), otherwise "user".
[[nodiscard]] std::string threshold_source(const Plan& plan, const Network& network, std::size_t layer);

[[nodiscard]] Plan read_plan(const std::filesystem::path& file,
                             const Network& network);  ///< Throws `Error(input)`.
void write_plan(const std::filesystem::path& file, const Network& network, const Plan& plan);

}  // namespace spira

// A plan sets how a network runs: threshold t, mapping algorithm and layout per layer, and one precision for
// all layers.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/levels.hpp"
#include "engine/voxel/features.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace spira {

struct LayerPlan {
  int threshold = 0;  ///< In units of the input stride, 0 to KernelOffsets::max_threshold().
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  bool operator==(const LayerPlan&) const = default;
};
/// The kernel map that a layer reads, and all settings that decide how it is built. Layers with equal
/// settings share one map.
struct MapUse {
  MapKey key;
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  auto operator<=>(const MapUse&) const = default;
};
[[nodiscard]] MapUse map_use(const LayerLevels& level, const LayerPlan& plan) noexcept;
/// Records where the threshold t of a layer comes from. The record is ignored if the layer now has a t other
/// than `threshold`.
struct ThresholdSource {
  std::string name = "default";  ///< "default", "user" or a profile such as "profile:x.tune.json".
  int threshold = -1;
};
struct Plan {
  std::vector<LayerPlan> layers;  ///< One entry per layer.
  Precision precision = Precision::fp32;
  /// "default", an option such as "--threshold 3", or the path of a plan file.
  std::string source = "default";
  std::vector<ThresholdSource> threshold_sources{};  ///< One entry per layer, or empty.
};

/// Returns a plan in which all layers run output-stationary, except transposed layers. Transposed layers can
/// only run weight-stationary (t = 0).
[[nodiscard]] Plan default_plan(const Network& network);
/// Returns the thresholds that a layer can run: 0..max for submanifold layers, only 0 and max for strided
/// layers (section 5.4), only 0 for transposed layers.
[[nodiscard]] std::vector<int> feasible_thresholds(const Layer& layer);
/// Returns the reason why a threshold is not feasible, or an empty string if it is feasible.
[[nodiscard]] std::string why_not_threshold(const Layer& layer, int threshold);
/// Sets `threshold` in all layers. A layer where it is not feasible gets its nearest feasible threshold.
void set_threshold(Plan& plan, const Network& network, int threshold);

/// Records `name` as the source of the current t of a layer.
void note_threshold_source(Plan& plan, std::size_t layer, const std::string& name);
/// Returns the recorded source of the current t of a layer. If none is recorded: "default" for the t of
/// default_plan(), otherwise "user".
[[nodiscard]] std::string threshold_source(const Plan& plan, const Network& network, std::size_t layer);

[[nodiscard]] Plan read_plan(const std::filesystem::path& file,
                             const Network& network);  ///< Throws Error(input).
void write_plan(const std::filesystem::path& file, const Network& network, const Plan& plan);

}  // namespace spira

// How a network is to be run: per layer the threshold t, the mapping algorithm and layout; for all the
// precision.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/levels.hpp"
#include "engine/voxel/features.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace spira {

struct LayerPlan {
  int threshold = 0;  ///< in units of the input stride, 0 .. KernelOffsets::max_threshold()
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  bool operator==(const LayerPlan&) const = default;
};
/// The kernel map that a layer reads, with all that decides how it is built: layers that agree share one.
struct MapUse {
  MapKey key;
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  auto operator<=>(const MapUse&) const = default;
};
[[nodiscard]] MapUse map_use(const LayerLevels& level, const LayerPlan& plan) noexcept;
/// Who chose t of a layer; of no account any more where the layer has another t now.
struct ThresholdSource {
  std::string name = "default";  ///< "default", "user", "profile:x.tune.json"
  int threshold = -1;
};
struct Plan {
  std::vector<LayerPlan> layers;  ///< one a layer
  Precision precision = Precision::fp32;
  std::string source = "default";                    ///< "default", "--threshold 3", a plan file
  std::vector<ThresholdSource> threshold_sources{};  ///< one a layer, or none
};

/// All OS for odd kernels; transposed layers are weight-stationary (t = 0), which is all they can do.
[[nodiscard]] Plan default_plan(const Network& network);
/// The thresholds that a layer can run: 0..max for submanifold layers, only the two ends for strided ones
/// (section 5.4), only 0 for transposed ones.
[[nodiscard]] std::vector<int> feasible_thresholds(const Layer& layer);
/// Why a threshold is not among them; empty: it is.
[[nodiscard]] std::string why_not_threshold(const Layer& layer, int threshold);
/// Sets `threshold` where feasible, clamped to the nearest feasible one elsewhere.
void set_threshold(Plan& plan, const Network& network, int threshold);

/// Notes who chose the t that a layer has now.
void note_threshold_source(Plan& plan, std::size_t layer, const std::string& name);
/// What was noted of the t that a layer has; else "default" where it is that of default_plan(), and "user".
[[nodiscard]] std::string threshold_source(const Plan& plan, const Network& network, std::size_t layer);

[[nodiscard]] Plan read_plan(const std::filesystem::path& file,
                             const Network& network);  ///< throws Error(input)
void write_plan(const std::filesystem::path& file, const Network& network, const Plan& plan);

}  // namespace spira

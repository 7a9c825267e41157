// Defines Plan, the settings with which a network runs: the threshold t, the mapping algorithm and the layout
// of each layer, and one precision for all layers.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// How the features of a layer are computed from its kernel map.
enum class FeatureMethod : std::uint8_t {
  by_layout,  ///< The layout of each part of the map determines the dataflow.
  /// The baseline gather-GEMM-scatter. It copies the input rows of all pairs, multiplies them with one matrix
  /// product per column from a general library (cuBLAS, Eigen), and adds the products to the outputs. The
  /// centre column of a submanifold layer needs no copy. All parts of the map must have the layout
  /// pair_lists.
  gather_gemm_scatter,
  /// Like gather_gemm_scatter, but the products are rounded to fp16 before they are added. This halves the
  /// memory traffic and adds a relative error of up to 2^-11 per product. For fp32 features and on host back
  /// ends, both methods are the same.
  gather_gemm_scatter_fp16
};
/// Returns the name of the method, such as "gather-GEMM-scatter".
[[nodiscard]] std::string_view text_of(FeatureMethod method) noexcept;

/// The settings that determine the dataflow of a layer: a LayerPlan without its mapping algorithm. Settings
/// that are equal for a dataflow are equal in all members (see setting_of()).
struct LayerSetting {
  int threshold = 0;
  MapLayout dense_layout = MapLayout::z_runs;
  int splits = 0;
  FeatureMethod method = FeatureMethod::by_layout;

  LayerSetting() = default;
  /// A threshold t alone determines a dataflow of Spira, so it converts to a setting.
  LayerSetting(int t) noexcept : threshold(t) {}
  LayerSetting(int t, MapLayout dense, int split_count, FeatureMethod how) noexcept
      : threshold(t), dense_layout(dense), splits(split_count), method(how) {}
  auto operator<=>(const LayerSetting&) const = default;
  /// Returns true for output-stationary, weight-stationary and hybrid, which differ only in t.
  [[nodiscard]] bool is_threshold() const noexcept { return *this == LayerSetting(threshold); }
  /// Returns the setting that determines the map. Settings with the same value share a map.
  [[nodiscard]] LayerSetting of_map() const noexcept {
    return {threshold, dense_layout, splits, FeatureMethod::by_layout};
  }
};
struct LayerPlan {
  /// The threshold t in units of the input stride, from 0 to KernelOffsets::max_threshold().
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  int splits = 0;  ///< The number of splits. 0 unless `dense_layout` is mask_sorted.
  FeatureMethod method = FeatureMethod::by_layout;
  /// Sets the threshold, and removes the settings of other dataflows, such as sorted outputs.
  void set_threshold(int t) noexcept;
  /// Sets the dataflow. Keeps the mapping algorithm, and the layout offset_major if `setting` is a threshold.
  void set(const LayerSetting& setting) noexcept;
  [[nodiscard]] LayerSetting dataflow() const noexcept { return {threshold, dense_layout, splits, method}; }
  bool operator==(const LayerPlan&) const = default;
};
/// The passes of a layer in a training step: the features, and the gradients with respect to the inputs and
/// the weights.
enum class LayerPass : std::uint8_t { forward, dgrad, wgrad };
/// Returns "forward", "dgrad" or "wgrad".
[[nodiscard]] std::string_view text_of(LayerPass pass) noexcept;
/// The settings of the backward passes of a layer. The settings of wgrad determine only the map that it
/// reads.
struct BackwardPlan {
  LayerPlan dgrad, wgrad;
  bool operator==(const BackwardPlan&) const = default;
};
/// Identifies the kernel map that a layer reads: the key of the map, and the settings with which it is built.
/// Layers with equal values share one map.
struct MapUse {
  MapKey key;
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  MapLayout dense_layout = MapLayout::z_runs;
  int splits = 0;
  auto operator<=>(const MapUse&) const = default;
};
/// Returns the request for the map. `offsets` must have the kernel of the key and the stride of its inputs.
[[nodiscard]] MapRequest request_for(const MapUse& use, std::shared_ptr<const KernelOffsets> offsets);
[[nodiscard]] MapUse map_use(const LayerLevels& level, const LayerPlan& plan) noexcept;
/// Records who set the dataflow of a layer. The record is valid only if the layer still has this dataflow.
struct ThresholdSource {
  std::string name = "default";  ///< "default", "user", or a profile such as "profile:x.tune.json".
  LayerSetting setting = -1;
};
/// How a unit of a bird's-eye view runs (engine/bev/unit.hpp).
enum class UnitMethod : std::uint8_t {
  dense,     ///< Computes every cell of the image.
  gathered,  ///< Copies the active blocks, computes densely on them, and copies the cores back (SBNet).
  fused,     ///< Computes the active blocks directly from the image to the image.
  /// Runs the layers as submanifold layers on the cells of the mask. This is another function: cells outside
  /// the mask count as 0 and get no output. Applies to all units of a network.
  rows
};
/// Returns "dense", "gathered", "fused" or "rows".
[[nodiscard]] std::string_view text_of(UnitMethod method) noexcept;
/// Throws `Error(usage)` with a list of the methods.
[[nodiscard]] UnitMethod parse_unit_method(std::string_view text);
struct UnitPlan {
  UnitMethod method = UnitMethod::dense;
  int core = 0;  ///< One of block_cores for `gathered` and `fused`, otherwise 0.
  auto operator<=>(const UnitPlan&) const = default;
};
/// Returns true for `gathered` and `fused`, which compute only active blocks.
[[nodiscard]] constexpr bool in_blocks(const UnitPlan& plan) noexcept {
  return plan.method == UnitMethod::gathered || plan.method == UnitMethod::fused;
}
/// Returns for example "fused, core 16" or "dense".
[[nodiscard]] std::string text_of(const UnitPlan& plan);

/// The mask with which the units of a plan were tuned. Masks with other blocks need other plans.
struct TunedMask {
  std::string mask;              ///< In the form that parse_mask() reads.
  std::string area;              ///< Size and position of the area, for messages.
  std::vector<double> computed;  ///< BlockShares::computed of each unit. 1 for units that run dense.
  bool operator==(const TunedMask&) const = default;
};

struct Plan {
  std::vector<LayerPlan> layers;  ///< One entry per layer.
  Precision precision = Precision::fp32;
  /// Where the plan comes from: "default", an option such as "--threshold 3", or the path of a plan file.
  std::string source = "default";
  std::vector<ThresholdSource> threshold_sources{};  ///< One entry per layer, or empty.
  /// One entry per layer, or empty. Without an entry, a layer has the settings of default_backward()
  /// (engine/run/backward.hpp).
  std::vector<BackwardPlan> backward{};
  std::vector<UnitPlan> units{};  ///< One entry per unit of a bird's-eye view. Empty for other networks.
  /// Empty unless `spira tune` made the plan of a bird's-eye view.
  std::optional<TunedMask> tuned_mask{};
};

/// Returns a plan in which all layers run output-stationary, except transposed and native layers, which can
/// only run weight-stationary (t = 0).
[[nodiscard]] Plan default_plan(const Network& network);
/// Returns the thresholds that a layer supports: 0 to the maximum for submanifold layers, 0 and the maximum
/// for strided layers (section 5.4 of the Spira paper), and 0 for transposed and native layers.
[[nodiscard]] std::vector<int> feasible_thresholds(const Layer& layer);
/// Returns the reason why a layer does not support a threshold. Returns an empty string if the layer supports
/// it.
[[nodiscard]] std::string why_not_threshold(const Layer& layer, int threshold);
/// Sets the threshold of all layers. Layers that do not support it get the nearest supported threshold.
void set_threshold(Plan& plan, const Network& network, int threshold);

/// Records `name` as the source of the current dataflow of a layer.
void note_threshold_source(Plan& plan, std::size_t layer, const std::string& name);
/// Returns who set the current dataflow of a layer. Without a record, returns "default" if it is the dataflow
/// of default_plan(), otherwise "user".
[[nodiscard]] std::string threshold_source(const Plan& plan, const Network& network, std::size_t layer);

[[nodiscard]] Plan read_plan(const std::filesystem::path& file,
                             const Network& network);  ///< Throws `Error(input)`.
void write_plan(const std::filesystem::path& file, const Network& network, const Plan& plan);

}  // namespace spira

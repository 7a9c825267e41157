// Groups the layers of a network by their kernel map. Collects the times of each group from a profile.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// One pass of all layers with one shape.
struct GroupPass {
  std::size_t shape = 0;  ///< Index into MapGroup::shapes.
  LayerPass pass = LayerPass::forward;
  int layers = 0;               ///< Number of layers that have this pass.
  std::vector<int> thresholds;  ///< The thresholds with which the pass can run, in ascending order.
  LayerSetting plain;           ///< The result of plain_setting().
};
/// The layers that share one kernel map, grouped by shape.
struct MapGroup {
  MapKey map;
  std::vector<LayerShape> shapes;
  std::vector<std::vector<std::string>> layers;  ///< Names of the layers of each shape.
  std::vector<GroupPass> passes;  ///< The forward passes of all shapes in order, then the backward passes.
};
/// Returns the groups in the order of levels_of(). The shapes of each group are in network order. The
/// backward passes are included only if `training` is set.
[[nodiscard]] std::vector<MapGroup> groups_of(const Network& network, bool training = false);
/// Returns the setting with which default_plan() runs a pass. The outputs of all settings are compared with
/// its output.
[[nodiscard]] LayerSetting plain_setting(const Layer& layer, const LayerLevels& levels, LayerPass pass);

using ScenePacks = std::vector<PackSpec>;  ///< One packing per scene.
/// Returns the packing of each scene. If a packing was selected for all scenes, all entries are this packing.
[[nodiscard]] ScenePacks packs_of(const TuningProfile& profile);
[[nodiscard]] std::vector<double> weights_of(const TuningProfile& profile);

/// The times of the measured shapes of a group.
struct MeasuredTimes {
  /// The passes of all shapes of which each pass was measured on a scene or has only one setting. The other
  /// shapes run with plain_setting() and need its map. Last entries with a single setting represent these
  /// other shapes.
  GroupTimes times;
  std::vector<std::size_t> passes;  ///< Index in MapGroup::passes of each measured pass in `times`.
  /// The weights of the scenes. The weight is 0 for a scene on which a measured shape or the maps have no
  /// samples.
  std::vector<double> weights;
};
/// Returns the index in `times.shapes` of a pass of a shape, or an empty value if the shape was not measured
/// or does not have the pass.
[[nodiscard]] std::optional<std::size_t> position_of(const MeasuredTimes& measured, const MapGroup& group,
                                                     std::size_t shape, LayerPass pass);
[[nodiscard]] MeasuredTimes measured_times(const TuningProfile& profile, const MapGroup& group,
                                           const ScenePacks& packs);

}  // namespace spira

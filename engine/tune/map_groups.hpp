// Groups the layers of a network by their kernel map, and collects the times of each group from a profile.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spira {

/// Layers that share one kernel map, grouped by shape.
struct MapGroup {
  MapKey map;
  std::vector<LayerShape> shapes;
  std::vector<std::vector<std::string>> layers;  ///< names of the layers of each shape
  std::vector<std::vector<int>> feasible;        ///< thresholds of each shape, ascending; the last is t = max
};
/// Returns the groups in the order of levels_of(), and the shapes of each group in network order.
[[nodiscard]] std::vector<MapGroup> groups_of(const Network& network);

using ScenePacks = std::vector<PackSpec>;  ///< one packing for each scene
/// Returns the selected packing for all scenes, or the packing of each scene if no packing was selected.
[[nodiscard]] ScenePacks packs_of(const TuningProfile& profile);
[[nodiscard]] std::vector<double> weights_of(const TuningProfile& profile);

/// Times of the measured shapes of a group.
struct MeasuredTimes {
  /// Contains the shapes that were measured on a scene or have a single setting. If other shapes of the group
  /// were not measured, they follow as one entry with the single setting t = max, because they run with t =
  /// max and need its map.
  GroupTimes times;
  std::vector<std::size_t> shapes;  ///< indices into MapGroup::shapes, without the entry for other shapes
  /// Weights of the scenes. 0 for a scene on which a measured shape or the maps have no samples.
  std::vector<double> weights;
};
[[nodiscard]] MeasuredTimes measured_times(const TuningProfile& profile, const MapGroup& group,
                                           const ScenePacks& packs);

}  // namespace spira

// Groups the layers of a network by their kernel map. Collects the times of each group from a profile.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spira {

/// The layers that share one kernel map, grouped by shape.
struct MapGroup {
  MapKey map;
  std::vector<LayerShape> shapes;
  std::vector<std::vector<std::string>> layers;  ///< Names of the layers of each shape.
  std::vector<std::vector<int>> feasible;        ///< Thresholds of each shape. The last is t = max.
};
/// Returns the groups in the order of levels_of(). The shapes of each group are in network order.
[[nodiscard]] std::vector<MapGroup> groups_of(const Network& network);

using ScenePacks = std::vector<PackSpec>;  ///< One packing per scene.
/// Returns the packing of each scene. If a packing was selected for all scenes, all entries are this packing.
[[nodiscard]] ScenePacks packs_of(const TuningProfile& profile);
[[nodiscard]] std::vector<double> weights_of(const TuningProfile& profile);

/// The times of the measured shapes of a group.
struct MeasuredTimes {
  /// The shapes that were measured on a scene or have only one setting. The other shapes of the group run
  /// with t = max and need the map for t = max. A last entry with the single setting t = max represents these
  /// other shapes.
  GroupTimes times;
  std::vector<std::size_t> shapes;  ///< Index in MapGroup::shapes of each measured shape in `times`.
  /// The weights of the scenes. The weight is 0 for a scene on which a measured shape or the maps have no
  /// samples.
  std::vector<double> weights;
};
[[nodiscard]] MeasuredTimes measured_times(const TuningProfile& profile, const MapGroup& group,
                                           const ScenePacks& packs);

}  // namespace spira

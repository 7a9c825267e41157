// Selects the threshold t of each layer from measured times. The thresholds of layers that share a kernel
// map are selected together. In a statistical tie, the simpler setting is selected.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

using SceneSamples = std::vector<std::vector<double>>;  ///< `[scene][round]`, in milliseconds

/// Times to build the kernel map of a group with one setting.
struct MapSetting {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  SceneSamples ms;
};
/// Times of the features of one layer with one setting, without building the map.
struct FeatureSetting {
  int threshold = 0;
  SceneSamples ms;
  bool usable = true;  ///< false if the output differs from the output with t = max
};
/// Times of the layers of one shape. All layers of a shape have the same cost.
struct ShapeTimes {
  int layers = 1;
  int max_threshold = 0;  ///< t = max: the threshold at which all offsets run output-stationary
  /// One setting without samples means that the layer has no alternatives.
  std::vector<FeatureSetting> settings;
};
/// Times of all layers that share one kernel map. For each distinct t of these layers, one map is built.
struct GroupTimes {
  std::vector<MapSetting> maps;  ///< sorted by t, and for each t with the simplest algorithm first
  std::vector<ShapeTimes> shapes;
};

enum class ChoiceReason : std::uint8_t {
  fastest,
  /// Another setting has a smaller median, but is tied with this simpler setting.
  tie_simpler,
  few_samples,  ///< too few samples for a verdict, so that the simplest setting is used
  only_setting,
  /// Another t is faster layer by layer, but the network as one graph is faster. One graph requires t = max.
  one_graph,
  user  ///< the user replaced the threshold that the tuner had selected
};
/// Returns a text such as "fastest" or "tie_simpler".
[[nodiscard]] std::string_view text_of(ChoiceReason reason) noexcept;

/// Cost of a threshold for one shape, while the other shapes of the group keep their thresholds.
struct ThresholdCost {
  int threshold = 0;
  std::int64_t n = 0;    ///< smallest number of samples over all scenes
  double median_ms = 0;  ///< median feature time of one layer, summed over the scenes with their weights
  double iqr_ms = 0;     ///< interquartile range, summed over the scenes with their weights
  /// Median time to build a map for this t. 0 if another shape of the group needs this map too.
  double shared_ms = 0;
  /// Additional time compared with the selected t, for all layers of the shape and their map.
  double extra_ms = 0;
  bool usable = true;
};
struct ShapeChoice {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  ChoiceReason why = ChoiceReason::fastest;
  std::vector<int> ties;             ///< other thresholds that are tied with the selected threshold
  std::vector<ThresholdCost> costs;  ///< costs of all measured thresholds, in ascending order of t
};
/// Returns the complexity of a threshold. In a tie, the threshold with the lowest complexity is selected. t
/// = max has the lowest complexity: it is a single dataflow with sums in a fixed order. t = 0 is next,
/// because it is also a single dataflow. Hybrids, which use two dataflows, have the highest complexity.
[[nodiscard]] int complexity_of(int threshold, int max_threshold) noexcept;
/// Replaces the selected threshold for a reason other than the measured times of this shape. Costs are then
/// relative to the new threshold. If the new threshold was not measured, the costs are removed.
void choose_instead(ShapeChoice& choice, int threshold, ChoiceReason why);
struct GroupChoice {
  std::vector<ShapeChoice> shapes;  ///< in the order of GroupTimes::shapes
  /// Sum of the medians of maps and features over all scenes, multiplied by the weights of the scenes.
  double cost_ms = 0;
};

/// Selects the best set of thresholds by an exact search over all sets. In a tie, selects the simpler
/// setting: t = max is simpler than t = 0, and t = 0 is simpler than hybrids. One t for all layers is
/// simpler than several maps. The first algorithm is the simplest. `weights` has one value for each scene.
/// Scenes with weight 0 are ignored. A threshold without samples of a scene with a positive weight is not
/// considered. Returns an empty value if a shape has no threshold left.
[[nodiscard]] std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights);

/// Returns the mapping algorithm that is selected for the map of a threshold: the fastest, or an earlier one
/// that is tied with it. Returns an empty value if the map was not measured.
[[nodiscard]] std::optional<MapAlgorithm> algorithm_for(const GroupTimes& group, int threshold,
                                                        const std::vector<double>& weights);

/// Times of two sets of thresholds, for comparison. Contains the times, round by round, of the parts in
/// which the sets differ. A list is empty if its set has no such part.
struct TimesApart {
  std::vector<double> one_ms, other_ms;
};
struct PicksCompared {
  double one_cost_ms = 0, other_cost_ms = 0;  ///< in the unit of GroupChoice::cost_ms
  TimesApart apart;
};
/// Compares two sets with one threshold for each shape. Returns an empty value if a sample is missing.
[[nodiscard]] std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<int>& one,
                                                         const std::vector<int>& other,
                                                         const std::vector<double>& weights);

}  // namespace spira

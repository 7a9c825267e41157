// Selects the threshold t of each layer from measured times. Layers that share a kernel map are considered
// together. If settings are tied, the simplest one is selected.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

using SceneSamples = std::vector<std::vector<double>>;  ///< Times in milliseconds. Shape: `[scene][round]`.

/// The times to build the kernel map of a group with one setting.
struct MapSetting {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  SceneSamples ms;
};
/// The times of the features of one layer with one setting, without the map.
struct FeatureSetting {
  int threshold = 0;
  SceneSamples ms;
  bool usable = true;  ///< False if the output differs from the output for t = max.
};
/// The times of all layers with one shape. Layers of the same shape have the same cost.
struct ShapeTimes {
  int layers = 1;
  int max_threshold = 0;  ///< The threshold t = max, at which all offsets run output-stationary.
  /// If the layer has only one possible setting, it is listed without samples.
  std::vector<FeatureSetting> settings;
};
/// The times of all layers that share a kernel map. One map is built for each t that these layers use.
struct GroupTimes {
  std::vector<MapSetting> maps;  ///< Sorted by t. For each t, the simplest algorithm comes first.
  std::vector<ShapeTimes> shapes;
};

enum class ChoiceReason : std::uint8_t {
  fastest,
  /// Another setting has a smaller median, but the two are tied and this setting is simpler.
  tie_simpler,
  few_samples,  ///< There are too few samples for a verdict. The simplest setting is used.
  only_setting,
  /// Layer by layer, another t is faster. But the network is faster as one graph, which requires t = max.
  one_graph,
  user  ///< The user replaced the threshold that the tuner had selected.
};
/// Returns the text for profiles, such as "fastest" or "tie_simpler".
[[nodiscard]] std::string_view text_of(ChoiceReason reason) noexcept;

/// The cost of a threshold for one shape if all other shapes of the group keep their thresholds.
struct ThresholdCost {
  int threshold = 0;
  std::int64_t n = 0;    ///< The smallest number of samples of any scene.
  double median_ms = 0;  ///< Median feature time of one layer, as a weighted sum over the scenes.
  double iqr_ms = 0;     ///< Interquartile range, as a weighted sum over the scenes.
  /// Median time to build a map for this t. 0 if another shape of the group needs the same map.
  double shared_ms = 0;
  /// Additional time compared with the selected t, for all layers of the shape and their map.
  double extra_ms = 0;
  bool usable = true;
};
struct ShapeChoice {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  ChoiceReason why = ChoiceReason::fastest;
  std::vector<int> ties;             ///< Other thresholds that are tied with the selected one.
  std::vector<ThresholdCost> costs;  ///< All measured thresholds, in ascending order of t.
};
/// Returns how complex a threshold is. Of tied thresholds, the one with the lowest complexity is selected. t
/// = max is the simplest, because it uses one dataflow and adds in a fixed order. t = 0 is the next simplest,
/// because it also uses only one dataflow. Hybrids are the most complex, because they use two dataflows.
[[nodiscard]] int complexity_of(int threshold, int max_threshold) noexcept;
/// Replaces the selected threshold for a reason other than the times of this shape. The costs become relative
/// to the new threshold. If it was not measured, the costs are removed.
void choose_instead(ShapeChoice& choice, int threshold, ChoiceReason why);
struct GroupChoice {
  std::vector<ShapeChoice> shapes;  ///< In the order of GroupTimes::shapes.
  /// The sum of the medians of all maps and features, weighted by the weights of the scenes.
  double cost_ms = 0;
};

/// Selects the best combination of thresholds for the shapes of a group. Searches all combinations. Of tied
/// combinations, the simplest is selected: t = max is simpler than t = 0, which is simpler than hybrids. One
/// t for all layers is simpler than several maps. Of the mapping algorithms for a t, the first one in
/// GroupTimes::maps is the simplest. `weights` has one value per scene; scenes with weight 0 are ignored. A
/// threshold must have samples for all other scenes. Returns an empty value if a shape has no such threshold.
[[nodiscard]] std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights);

/// Returns the mapping algorithm for the map of a threshold: the fastest algorithm, or an earlier algorithm
/// that is tied with it. Returns an empty value if the map was not measured.
[[nodiscard]] std::optional<MapAlgorithm> algorithm_for(const GroupTimes& group, int threshold,
                                                        const std::vector<double>& weights);

/// The times of the parts in which two combinations of thresholds differ, round by round. A list is empty if
/// its combination has no such part.
struct TimesApart {
  std::vector<double> one_ms, other_ms;
};
struct PicksCompared {
  double one_cost_ms = 0, other_cost_ms = 0;  ///< In the unit of GroupChoice::cost_ms.
  TimesApart apart;
};
/// Compares two combinations with one threshold per shape. Returns an empty value if a sample is missing.
[[nodiscard]] std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<int>& one,
                                                         const std::vector<int>& other,
                                                         const std::vector<double>& weights);

}  // namespace spira

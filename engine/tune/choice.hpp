// Chooses the threshold t of each layer from measured times. The thresholds of layers that share a kernel
// map are chosen together. In a statistical tie, the simpler setting is chosen.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

using SceneSamples = std::vector<std::vector<double>>;  ///< in milliseconds, `[scene][round]`

/// Times of building the map of a group with one setting.
struct MapSetting {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  SceneSamples ms;
};
/// Times of the features of one layer with one setting, from an existing map.
struct FeatureSetting {
  int threshold = 0;
  SceneSamples ms;
  bool usable = true;  ///< false if the output differs from the output of t = max
};
/// Times of layers of one shape, which have the same cost.
struct ShapeTimes {
  int layers = 1;
  int max_threshold = 0;  ///< threshold of the fully output-stationary dataflow
  /// A single setting without samples stands for a layer that has no alternatives.
  std::vector<FeatureSetting> settings;
};
/// Times of all layers that read one kernel map. Each distinct t among them requires its own map, built once.
struct GroupTimes {
  std::vector<MapSetting> maps;  ///< for each t, the simplest algorithm first
  std::vector<ShapeTimes> shapes;
};

enum class ChoiceReason : std::uint8_t {
  fastest,
  /// Another setting has a faster median but is tied with this simpler setting.
  tie_simpler,
  few_samples,  ///< too few samples for a verdict, so the simplest setting is used
  only_setting,
  /// Another t is faster layer by layer, but the network is faster as one graph, which requires t = max.
  one_graph,
  user  ///< the user replaced the threshold that the tuner chose
};
/// Returns "fastest", "tie_simpler", ...
[[nodiscard]] std::string_view text_of(ChoiceReason reason) noexcept;

/// Cost of a threshold for one shape, if the other shapes of the group keep their thresholds.
struct ThresholdCost {
  int threshold = 0;
  std::int64_t n = 0;    ///< number of samples of the scene with the fewest samples
  double median_ms = 0;  ///< weighted sum over the scenes of the median feature time of one layer
  double iqr_ms = 0;     ///< the same sum for the interquartile ranges
  /// Median time of building a map for this t only. 0 if another shape of the group has the same t.
  double shared_ms = 0;
  /// Additional time over the chosen t, for all layers of the shape and their map.
  double extra_ms = 0;
  bool usable = true;
};
struct ShapeChoice {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  ChoiceReason why = ChoiceReason::fastest;
  std::vector<int> ties;             ///< other thresholds that are tied with the chosen one
  std::vector<ThresholdCost> costs;  ///< costs of all measured thresholds, ascending
};
/// Returns the complexity of a threshold; in a tie, the threshold with the lowest complexity is chosen. t =
/// max has the lowest complexity: a single dataflow with sums in a fixed order. t = 0 follows, which is also
/// a single dataflow. Hybrids, which use two dataflows, are last.
[[nodiscard]] int complexity_of(int threshold, int max_threshold) noexcept;
/// Replaces the chosen threshold for a reason other than the measured times of this shape. Costs become
/// relative to the new threshold. They are removed if the new threshold was not measured.
void choose_instead(ShapeChoice& choice, int threshold, ChoiceReason why);
struct GroupChoice {
  std::vector<ShapeChoice> shapes;  ///< in the order of GroupTimes::shapes
  /// Sum of the medians of maps and features, weighted by scene.
  double cost_ms = 0;
};

/// Chooses among all sets of thresholds exactly, then resolves ties in favour of the simpler setting. t = max
/// is simpler than t = 0, and t = 0 is simpler than hybrids. One t for all layers is simpler than several
/// maps. Among algorithms, the first is the simplest. `weights` has one value for each scene; scenes with
/// weight 0 do not count. A threshold without samples of a counted scene is not considered. Returns an empty
/// value if no threshold is left for a shape.
[[nodiscard]] std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights);

/// Compares two sets of thresholds, with one threshold for each shape. Contains the times, round by round,
/// of the parts in which the sets differ. A list is empty if its set has no such part.
struct TimesApart {
  std::vector<double> one_ms, other_ms;
};
struct PicksCompared {
  double one_cost_ms = 0, other_cost_ms = 0;  ///< as GroupChoice::cost_ms
  TimesApart apart;
};
/// Returns an empty value if a sample is missing.
[[nodiscard]] std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<int>& one,
                                                         const std::vector<int>& other,
                                                         const std::vector<double>& weights);

}  // namespace spira

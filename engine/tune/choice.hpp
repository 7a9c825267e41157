// Selects the dataflow of each layer from measured times. Layers that share a kernel map are considered
// together. If settings are tied, the simplest one is selected.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/measure/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

using SceneSamples = std::vector<std::vector<double>>;  ///< Times in milliseconds. Shape: `[scene][round]`.

/// The times to build the kernel map of a group of layers with its row orders, for one map and one algorithm.
struct MapSetting {
  LayerSetting setting;  ///< A result of LayerSetting::of_map().
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  SceneSamples ms;
};
/// The times of the feature computation of one layer with one setting, without building the map.
struct FeatureSetting {
  LayerSetting setting;
  SceneSamples ms;
  bool usable = true;  ///< False if the output differs from the output for t = max.
};
/// The times of one pass of all layers with one shape. Layers of the same shape have the same cost.
struct ShapeTimes {
  int layers = 1;
  int max_threshold = 0;  ///< The threshold t = max, at which all offsets run output-stationary.
  /// If the layer has only one possible setting, it is listed without samples.
  std::vector<FeatureSetting> settings;
  LayerPass pass = LayerPass::forward;
  /// Identifies the shape. The passes of one shape have the same value.
  std::size_t shape = 0;
};
/// The times of all layers that share a kernel map, of all their passes. One map is built for each map
/// setting that these layers use.
struct GroupTimes {
  std::vector<MapSetting> maps;  ///< Sorted by setting. For each setting, the simplest algorithm comes first.
  std::vector<ShapeTimes> shapes;
};

/// Compares a setting with the setting of the same layer that has the smallest cost.
enum class SettingVerdict : std::uint8_t {
  none,       ///< The cost is not known, the setting is not usable, or no other setting has a known cost.
  best,       ///< The setting has the smallest cost.
  tied,       ///< The setting is not significantly slower than the best setting.
  undecided,  ///< The setting or the best setting has fewer than fewest_samples_for_verdict samples.
  worse       ///< The setting is significantly slower than the best setting.
};
/// Returns the text for tables and files, such as "tied". Returns an empty string for SettingVerdict::none.
[[nodiscard]] std::string_view text_of(SettingVerdict verdict) noexcept;

enum class ChoiceReason : std::uint8_t {
  fastest,
  /// The selected setting is tied with the setting that has the smallest median, and it is simpler.
  tie_simpler,
  few_samples,  ///< There are too few samples for a verdict, so the simplest setting is used.
  only_setting,
  /// A different t is faster if the layers run one by one, but the network is faster as one graph, which
  /// requires t = max.
  one_graph,
  user  ///< The user replaced the threshold that the tuner had selected.
};
/// Returns the text for profiles, such as "fastest" or "tie_simpler".
[[nodiscard]] std::string_view text_of(ChoiceReason reason) noexcept;

/// The cost of a setting for one shape if all other shapes of the group keep their settings.
struct MeasuredCost {
  LayerSetting setting;
  std::int64_t n = 0;    ///< Number of samples of the scene that has the fewest.
  double median_ms = 0;  ///< Median feature time of one layer: the weighted sum over the scenes.
  double iqr_ms = 0;     ///< Interquartile range: the weighted sum over the scenes.
  /// Median time to build a map for this setting. 0 if another shape of the group needs the same map.
  double shared_ms = 0;
  /// Additional time compared with the selected setting, for all layers of the shape and their map.
  double extra_ms = 0;
  bool usable = true;
};
struct ShapeChoice {
  LayerSetting setting;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  ChoiceReason why = ChoiceReason::fastest;
  /// The other settings whose verdict is `best` or `tied`. Empty if the selected setting itself is
  /// significantly slower than the best one, for example because it shares the map of other layers.
  std::vector<LayerSetting> ties;
  std::vector<MeasuredCost>
      costs;  ///< All measured settings: thresholds in ascending order, then the others.
};
/// Returns how complex a setting is. If settings are tied, the least complex one is selected. t = max is the
/// simplest, because it uses one dataflow and adds in a fixed order. t = 0 is the next simplest, because it
/// also uses only one dataflow. Then follow the hybrids, which use two dataflows, and the dataflows of other
/// systems: unsorted, mask-sorted with ascending numbers of splits, and gather-GEMM-scatter.
[[nodiscard]] int complexity_of(const LayerSetting& setting, int max_threshold) noexcept;
/// Replaces the selected setting for a reason other than the times of this shape. Computes the costs relative
/// to the new setting. If the new setting was not measured, removes the costs.
void choose_instead(ShapeChoice& choice, const LayerSetting& setting, ChoiceReason why);
struct GroupChoice {
  std::vector<ShapeChoice> shapes;  ///< In the order of GroupTimes::shapes.
  /// The sum of the medians of all maps and features. Scenes are weighted.
  double cost_ms = 0;
};

/// Selects the best combination of settings for the shapes of a group. Tries all combinations of at most
/// `most_maps_to_combine` maps. If combinations are tied, selects the simplest (see complexity_of()). One map
/// for all layers is simpler than several maps. The simplest mapping algorithm for a map is its first entry
/// in GroupTimes::maps. `weights` has one value per scene; scenes with weight 0 are ignored. A setting must
/// have samples for all other scenes. Returns an empty value if a shape has no such setting.
[[nodiscard]] std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights);
/// Maximum number of maps that choose() combines. If there are more maps, choose() sorts the maps by the time
/// of the group with one map alone, and leaves out the slowest maps. It keeps maps that a shape needs.
inline constexpr std::size_t most_maps_to_combine = 16;

/// Returns the mapping algorithm for the map of a setting: the fastest algorithm, or a simpler algorithm that
/// is tied with it. Returns an empty value if the map was not measured.
[[nodiscard]] std::optional<MapAlgorithm> algorithm_for(const GroupTimes& group, const LayerSetting& setting,
                                                        const std::vector<double>& weights);

/// Two combinations of settings can share some of their times (of maps and features). Each list contains,
/// for each round, the sum of the times that only one combination has. A list is empty if its combination has
/// no such times.
struct TimesApart {
  std::vector<double> one_ms, other_ms;
};
struct PicksCompared {
  double one_cost_ms = 0, other_cost_ms = 0;  ///< In the unit of GroupChoice::cost_ms.
  TimesApart apart;
};
/// The cost of one setting of a layer, as judge_settings() needs it.
struct SettingCost {
  LayerSetting setting;
  double cost_ms = 0;  ///< 0 if the cost is not known.
  std::int64_t n = 0;  ///< Number of samples of the scene that has the fewest.
};
struct SettingVerdicts {
  int best = -1;  ///< Index of the smallest cost; -1 if no cost is known. Of equal costs, the simplest.
  std::vector<SettingVerdict> verdicts;  ///< One value per setting.
  /// The ratio of the times of each setting to the times of the best setting. A value is empty for the best
  /// setting, and if there are too few samples.
  std::vector<std::optional<MedianRatio>> ratios;
};
/// Decides which settings of a layer are best, tied, undecided or worse. `apart(best, other)` returns the
/// times that only one of the two settings has (see TimesApart), or an empty value if a sample is missing.
/// The tuner, the tables and the matrix all use this function, so that their verdicts agree.
[[nodiscard]] SettingVerdicts judge_settings(
    const std::vector<SettingCost>& settings, int max_threshold,
    const std::function<std::optional<TimesApart>(std::size_t best, std::size_t other)>& apart);

/// Compares two combinations of settings. Each combination has one setting per shape. Returns an empty value
/// if a sample is missing.
[[nodiscard]] std::optional<PicksCompared> compare_picks(const GroupTimes& group,
                                                         const std::vector<LayerSetting>& one,
                                                         const std::vector<LayerSetting>& other,
                                                         const std::vector<double>& weights);

}  // namespace spira

// Which threshold t each layer takes, from times alone: layers that share a kernel map are decided together,
// and what cannot be told apart is a tie, which the simpler setting wins.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

using SceneSamples = std::vector<std::vector<double>>;  ///< ms, [scene][round]

/// Building the map of a group with one setting.
struct MapSetting {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  SceneSamples ms;
};
/// Features of one layer with one setting, from a map that is there.
struct FeatureSetting {
  int threshold = 0;
  SceneSamples ms;
  bool usable = true;  ///< false: its output is not that of t = max
};
/// Layers of one shape, which cost the same.
struct ShapeTimes {
  int layers = 1;
  int max_threshold = 0;                 ///< all output-stationary
  std::vector<FeatureSetting> settings;  ///< one without samples: the layer can do nothing else
};
/// All layers that read one kernel map: each t among them needs the map built once.
struct GroupTimes {
  std::vector<MapSetting> maps;  ///< of one t: the simplest algorithm first
  std::vector<ShapeTimes> shapes;
};

enum class ChoiceReason : std::uint8_t {
  fastest,
  tie_simpler,  ///< a faster median, but the samples do not tell it from this, simpler setting
  few_samples,  ///< too few for a verdict: the simplest one stays
  only_setting,
  one_graph,  ///< faster layer by layer, but the network is faster as one graph, which takes t = max
  user        ///< a person set it over what was chosen
};
[[nodiscard]] std::string_view text_of(ChoiceReason reason) noexcept;  ///< "fastest", "tie_simpler", ...

/// What another threshold of a shape would mean while the rest of its group stays.
struct ThresholdCost {
  int threshold = 0;
  std::int64_t n = 0;    ///< samples of the scene that has the fewest
  double median_ms = 0;  ///< features of one layer, over the scenes by weight
  double iqr_ms = 0;     ///< likewise
  double shared_ms = 0;  ///< median of building a map for this t beside those of the group
  double extra_ms = 0;   ///< of all layers of the shape and their map, above what was chosen
  bool usable = true;
};
struct ShapeChoice {
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  ChoiceReason why = ChoiceReason::fastest;
  std::vector<int> ties;             ///< other thresholds that the samples do not tell from the chosen one
  std::vector<ThresholdCost> costs;  ///< of all that were measured, ascending
};
/// What wins a tie, the lowest first: t = max is one dataflow with sums in a fixed order, t = 0 one dataflow,
/// a hybrid two.
[[nodiscard]] int complexity_of(int threshold, int max_threshold) noexcept;
/// Another threshold than the one that was chosen, for another reason than its own times. Costs are told over
/// what was chosen; nothing is known over a threshold that was not measured.
void choose_instead(ShapeChoice& choice, int threshold, ChoiceReason why);
struct GroupChoice {
  std::vector<ShapeChoice> shapes;  ///< as in GroupTimes
  double cost_ms = 0;               ///< medians of maps and features added up, scenes by weight
};

/// Exact over all sets of thresholds; then ties go to the simpler setting: t = max before t = 0 before
/// hybrids, and all layers alike before several maps; of algorithms to the first. `weights`: one a scene; 0:
/// it does not count. A threshold that lacks samples of a scene that counts is not considered; empty where a
/// shape is left with none.
[[nodiscard]] std::optional<GroupChoice> choose(const GroupTimes& group, const std::vector<double>& weights);

/// Times of what two sets of thresholds, one a shape each, do not have in common, round by round: no rounds
/// where a side has nothing of its own.
struct TimesApart {
  std::vector<double> one_ms, other_ms;
};
struct PicksCompared {
  double one_cost_ms = 0, other_cost_ms = 0;  ///< as GroupChoice::cost_ms
  TimesApart apart;
};
/// Empty where a sample is missing.
[[nodiscard]] std::optional<PicksCompared> compare_picks(const GroupTimes& group, const std::vector<int>& one,
                                                         const std::vector<int>& other,
                                                         const std::vector<double>& weights);

}  // namespace spira

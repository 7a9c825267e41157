// Adds up the times of a group of layers for any combination of settings: the features of all layers, and
// each map once.
#pragma once

#include "engine/tune/choice.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace spira {

using SettingPicks = std::vector<LayerSetting>;  ///< One setting for each entry of GroupTimes::shapes.

/// The group and the weights must outlive the object. Scenes with weight 0 are ignored.
class GroupCosts {
 public:
  GroupCosts(const GroupTimes& group, const std::vector<double>& weights);

  /// Returns the times of a shape with this setting, or `nullptr` if it cannot be selected. A setting is not
  /// selectable if its map was not measured, because its cost is then not known.
  [[nodiscard]] const FeatureSetting* setting(std::size_t shape, const LayerSetting& wanted) const;
  /// Returns the map of a setting with the algorithm to use, or `nullptr` if the map was not measured.
  [[nodiscard]] const MapSetting* map(const LayerSetting& setting) const;
  [[nodiscard]] std::vector<LayerSetting> maps() const;  ///< The maps with samples, in ascending order.

  /// Returns the number of samples of the scene that has the fewest.
  [[nodiscard]] std::int64_t samples(const SceneSamples& ms) const;
  [[nodiscard]] double median(const SceneSamples& ms) const;
  [[nodiscard]] double iqr(const SceneSamples& ms) const;

  // The functions below require that setting() finds each setting of a combination.

  /// Returns the sum of the medians of all features and maps.
  [[nodiscard]] double cost(const SettingPicks& chosen) const;
  /// Returns the number of samples of the time that has the fewest.
  [[nodiscard]] std::int64_t fewest_samples(const SettingPicks& chosen) const;
  /// Returns the times of two combinations without the terms that both combinations contain. Common terms
  /// would only add noise to the comparison.
  [[nodiscard]] TimesApart apart(const SettingPicks& one, const SettingPicks& other) const;
  /// Returns true if `other` is significantly slower than `than`.
  [[nodiscard]] bool slower(const SettingPicks& other, const SettingPicks& than) const;

  [[nodiscard]] bool knows(const SettingPicks& chosen) const;  ///< True if all settings can be selected.

 private:
  /// One term of the cost. `ms` contains the samples of the map, or of the feature computation of one layer
  /// shape. `times` is the number of times that the network runs it. The terms are sorted by shape (-1 is the
  /// map) and setting, so that every run adds them in the same order.
  struct Term {
    const SceneSamples* ms = nullptr;
    double times = 0;
  };
  using Terms = std::map<std::pair<int, LayerSetting>, Term>;

  static Terms once(const SceneSamples& ms) { return {{{-1, 0}, {&ms, 1.0}}}; }
  [[nodiscard]] Terms terms(const SettingPicks& chosen) const;
  [[nodiscard]] double weighted(const SceneSamples& ms, double Statistics::*figure) const;
  /// Returns the sum of the terms for each round. All samples of a round were taken under the same load on
  /// the machine.
  [[nodiscard]] std::vector<double> series(const Terms& all) const;

  const GroupTimes& group_;
  const std::vector<double>& weights_;
  std::map<LayerSetting, const MapSetting*> map_of_;
};

}  // namespace spira

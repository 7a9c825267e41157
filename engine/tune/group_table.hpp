// The table of groups: one row for each group of layers that share a kernel map, one column for each setting.
// Shows what one dataflow for all layers of a group costs, compared with the choices for single layers. All
// values come from the records of a profile.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/bindings.hpp"
#include "engine/tune/matrix.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// A time compared with the time of the choices. Negative if it is smaller, which is possible if a choice was
/// made because it is simpler, or by the user.
struct ExtraTime {
  double ms = 0;
  /// `tied` if the time is not distinguishable from zero, `best` if it is smaller, `worse` if it is larger.
  /// `none` if both times have the same samples.
  SettingVerdict verdict = SettingVerdict::none;
};
/// All layers of a group with one setting. All times are weighted sums over the scenes, in milliseconds.
struct GroupCell {
  /// `measured` if `ms` is known. `infeasible` if no layer of the group can run the setting. `unusable` if
  /// the output of a layer differs. Never `modelled`.
  CellState state = CellState::infeasible;
  double ms = 0;  ///< Medians of the features of all layers and of each map. 0 if a time is missing.
  std::int64_t n = 0;
  SettingVerdict verdict = SettingVerdict::none;  ///< Compared with the other settings of the row.
  /// Number of layers whose choice is this setting. With training, each pass of a layer counts.
  int picked = 0;
};
struct GroupRow {
  MapKey map;
  std::vector<std::string> layers;  ///< In network order.
  std::vector<GroupCell> cells;     ///< One cell for each column.
  int best = -1;                    ///< The column with the smallest time, or -1 if no time is known.
  std::optional<double> choice_ms;  ///< The time of the choices. Empty if a time is missing.
  /// The time of the best single setting. Empty if no setting was measured for all layers.
  std::optional<ExtraTime> one_dataflow;
  /// The smallest time with each of all_bindings. Empty if the table is not for training, or if no settings
  /// that the binding allows were measured.
  std::array<std::optional<ExtraTime>, all_bindings.size()> bindings;
  /// Layers without samples. Their features are not included, but the map that they need is.
  std::vector<std::string> missing;
};
struct GroupTable {
  std::vector<MatrixSetting> columns;  ///< The columns of the matrix that have a time.
  std::vector<GroupRow> rows;
  std::vector<SceneLevel> levels;  ///< The levels of the network, for GroupRow::map_text().
  bool training = false;           ///< True if the times include the backward passes.
  /// Returns the map of a row as text, such as "3x3x3 1>2".
  [[nodiscard]] std::string map_text(const GroupRow& row) const;
};

/// Returns the groups of a profile, compared with the settings of `current`. The profile may be incomplete.
/// Throws `Error(usage)` if the profile belongs to a different network.
[[nodiscard]] GroupTable group_table(const TuningProfile& profile, const Network& network,
                                     const Plan& current);
/// Like the other overload, with the settings of plan_of() as the current settings.
[[nodiscard]] GroupTable group_table(const TuningProfile& profile, const Network& network);

/// Sums over the groups for which all times are known.
struct GroupTotals {
  int groups = 0;  ///< Number of these groups.
  double choice_ms = 0;
  double one_dataflow_ms = 0;  ///< Time if each group has its best single setting.
  /// Time with each of all_bindings. Empty if the time of a group is missing.
  std::array<std::optional<double>, all_bindings.size()> bindings_ms;
  std::vector<std::string> missing;  ///< Layers without samples, of all groups.
};
[[nodiscard]] GroupTotals totals_of(const GroupTable& table);

/// One term of the time of a cell: a map, or a pass of all layers with one shape.
struct GroupTerm {
  std::vector<std::string> layers;  ///< Names of the layers. Empty for a map.
  LayerPass pass = LayerPass::forward;
  LayerSetting setting;                            ///< For a map, a result of LayerSetting::of_map().
  MapAlgorithm algorithm = MapAlgorithm::z_delta;  ///< Only of a map.
  SceneSamples ms;                                 ///< Times of one layer, or of the map.
};
/// Returns the terms that have samples if all layers of a group have a setting, maps first. Some terms can be
/// missing if the profile is incomplete. Returns an empty list if the network has no group with this map.
/// Throws `Error(usage)` if the profile belongs to a different network.
[[nodiscard]] std::vector<GroupTerm> group_terms(const TuningProfile& profile, const Network& network,
                                                 const MapKey& map, const LayerSetting& setting);

/// Returns a header and one line for each group and setting with a time. docs/command-line.md describes the
/// columns.
[[nodiscard]] std::string groups_csv(const GroupTable& table);

}  // namespace spira

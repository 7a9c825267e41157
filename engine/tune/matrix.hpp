// The matrix of a tuning profile: one row for each layer, one column for each setting. Shows which setting is
// the fastest for which layer, and adds up the expected time of the network for any selection.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A column of the matrix. All columns are thresholds; a column for another kind of setting needs another
/// field here and in MatrixCell::setting.
struct MatrixSetting {
  static constexpr int t_max = -1;
  int threshold = t_max;  ///< t_max stands for the largest threshold of each layer
  /// Returns a text such as "t = 0" or "t = max".
  [[nodiscard]] std::string text() const;
};

/// A profile contains no model of times, so a cell without samples has no value.
enum class CellState : std::uint8_t {
  infeasible,    ///< the layer cannot run with this setting
  not_measured,  ///< no samples of the features
  measured,
  unusable  ///< measured, but the output differs from the output with t = max
};
enum class CellVerdict : std::uint8_t {
  none,       ///< the cost is not known, or the setting is not usable, or it is the only one of the layer
  best,       ///< smallest cost of the row
  tied,       ///< not significantly slower than the best
  undecided,  ///< fewer than fewest_samples_for_verdict samples
  worse       ///< significantly slower than the best
};
/// Returns a text such as "not measured".
[[nodiscard]] std::string_view text_of(CellState state) noexcept;
/// Returns a text such as "tied". Returns an empty text for CellVerdict::none.
[[nodiscard]] std::string_view text_of(CellVerdict verdict) noexcept;

/// Times are weighted sums over the scenes, in milliseconds.
struct MatrixCell {
  CellState state = CellState::infeasible;
  CellVerdict verdict = CellVerdict::none;
  bool current = false;
  LayerPlan setting;                 ///< setting to apply, with the selected mapping algorithm
  std::int64_t n = 0;                ///< smallest number of samples over all scenes
  double median_ms = 0, iqr_ms = 0;  ///< features of one layer
  /// Cost of this setting for all layers of the shape, if all other layers keep the current settings: their
  /// features, plus map_ms. 0 if a time is missing.
  double cost_ms = 0;
  double map_ms = 0;    ///< median time of the map with this t. 0 if a layer of another shape needs it too
  double relative = 0;  ///< cost_ms divided by the smallest cost of the row. 0 if the cost is not known
};
struct MatrixRow {
  std::string layer;
  LayerShape shape;
  MapKey map;                     ///< layers with the same map are coupled: each distinct t needs another map
  int layers_of_shape = 1;        ///< layers with the same cost, including this layer
  std::vector<MatrixCell> cells;  ///< one for each column
  int current = -1, best = -1;    ///< columns. `best` is -1 if no cost is known or there is one setting only
  bool measured = false;          ///< true if a cell has samples
  bool undecided = false;         ///< true if a measured cell has too few samples for a verdict
};
/// The times of all layers that share a kernel map. Each layer has its own entry, so that layers of one shape
/// may have different settings.
struct MatrixGroup {
  std::vector<std::size_t> rows;  ///< rows of the entries of times.shapes
  GroupTimes times;
  std::vector<double> weights;
};
struct SettingMatrix {
  std::vector<MatrixSetting> columns;  ///< ascending t, then t = max
  std::vector<MatrixRow> rows;         ///< in network order
  std::vector<MatrixGroup> groups;
};

/// Returns the matrix of a profile. `current` marks the current settings. The profile may be incomplete.
/// Takes about one millisecond for each measured cell, because of the verdicts. Throws `Error(usage)` if the
/// profile belongs to another network.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network,
                                           const Plan& current);
/// Uses plan_of() as the current settings.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network);

/// One threshold for each row.
using MatrixPicks = std::vector<int>;
[[nodiscard]] MatrixPicks current_picks(const SettingMatrix& matrix);
/// Returns t = max for all layers, and t = 0 for transposed layers.
[[nodiscard]] MatrixPicks max_picks(const SettingMatrix& matrix);

/// Expected times of two selections: features of all measured layers, and each map once. Does not contain the
/// features of transposed layers and the voxel indexing, which do not depend on the selection.
struct PicksTotal {
  double ms = 0, baseline_ms = 0;  ///< sums of medians
  /// Verdict on `ms` compared with `baseline_ms`, from the samples of the parts that differ. `same` if the
  /// selections are equal or contain the same parts.
  Verdict verdict = Verdict::same;
  int layers = 0;                    ///< layers whose features are contained in both sums
  std::vector<std::string> missing;  ///< layers that are not contained, because a sample is missing
};
[[nodiscard]] PicksTotal expected_total(const SettingMatrix& matrix, const MatrixPicks& picks,
                                        const MatrixPicks& baseline);

/// Returns one line for each cell that is feasible, with a header. docs/command-line.md describes the
/// columns.
[[nodiscard]] std::string matrix_csv(const SettingMatrix& matrix);

}  // namespace spira

// Defines the matrix of a tuning profile: one row per layer, one column per setting. Shows the fastest
// setting of each layer, and computes the expected time of the network for any selection of settings.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A column of the matrix. So far all settings are thresholds. Another kind of setting would be another field
/// here and in MatrixCell::setting.
struct MatrixSetting {
  static constexpr int t_max = -1;
  int threshold = t_max;  ///< `t_max` means the largest threshold of each layer.
  /// Returns "t = 0", "t = max" and so on.
  [[nodiscard]] std::string text() const;
};

/// The state of a cell. A cell without samples has no value, because a profile contains no model of times.
enum class CellState : std::uint8_t {
  infeasible,    ///< The layer does not support this setting.
  not_measured,  ///< The features have no samples.
  measured,
  unusable  ///< Measured, but the output differs from the output for t = max.
};
enum class CellVerdict : std::uint8_t {
  none,       ///< The cost is not known, the setting is not usable, or the layer has no other setting.
  best,       ///< The smallest cost of the row.
  tied,       ///< Not significantly slower than the best setting.
  undecided,  ///< The cell has fewer than fewest_samples_for_verdict samples.
  worse       ///< Significantly slower than the best setting.
};
/// Returns the state as text, such as "not measured".
[[nodiscard]] std::string_view text_of(CellState state) noexcept;
/// Returns the verdict as text, such as "tied". Returns an empty text for CellVerdict::none.
[[nodiscard]] std::string_view text_of(CellVerdict verdict) noexcept;

/// The cell of one layer and one setting. All times are weighted sums over the scenes, in milliseconds.
struct MatrixCell {
  CellState state = CellState::infeasible;
  CellVerdict verdict = CellVerdict::none;
  bool current = false;
  LayerPlan setting;                 ///< The setting to apply, with the selected mapping algorithm.
  std::int64_t n = 0;                ///< The smallest number of samples of any scene.
  double median_ms = 0, iqr_ms = 0;  ///< Time of the features of one layer.
  /// Cost of this setting for all layers of the shape if all other layers keep their current settings: the
  /// features of these layers plus map_ms. 0 if a time is missing.
  double cost_ms = 0;
  /// Median time of building the map for this t. 0 if a layer of another shape currently has the same t: the
  /// map is then needed in any case, and is not part of the cost.
  double map_ms = 0;
  double relative = 0;  ///< `cost_ms` divided by the smallest cost of the row. 0 if it is not known.
};
struct MatrixRow {
  std::string layer;
  LayerShape shape;
  /// Layers with the same map depend on each other: a separate map is needed for each t.
  MapKey map;
  int layers_of_shape = 1;        ///< Number of layers with the same cost, including this layer.
  std::vector<MatrixCell> cells;  ///< One per column.
  int current = -1, best = -1;    ///< Columns. `best` is -1 if no cost is known or there is only one setting.
  bool measured = false;          ///< True if a cell has samples.
  bool undecided = false;         ///< True if a measured cell has too few samples for a verdict.
};
/// The times of all layers that share a kernel map. Each layer has its own entry, because layers of one shape
/// can have different settings.
struct MatrixGroup {
  std::vector<std::size_t> rows;  ///< For each entry of `times.shapes`, its row in the matrix.
  GroupTimes times;
  std::vector<double> weights;
};
struct SettingMatrix {
  std::vector<MatrixSetting> columns;  ///< In ascending order of t. t = max is last.
  std::vector<MatrixRow> rows;         ///< In network order.
  std::vector<MatrixGroup> groups;
};

/// Returns the matrix of a profile, in which `current` marks the current settings. The profile may be
/// incomplete. Computing the verdicts takes about one millisecond per measured cell. Throws `Error(usage)` if
/// the profile belongs to another network.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network,
                                           const Plan& current);
/// Marks the settings of plan_of() as the current settings.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network);

/// One threshold per row.
using MatrixPicks = std::vector<int>;
[[nodiscard]] MatrixPicks current_picks(const SettingMatrix& matrix);
/// Returns t = max for each layer, but t = 0 for transposed layers.
[[nodiscard]] MatrixPicks max_picks(const SettingMatrix& matrix);

/// The expected times of two selections: the features of all measured layers, and each map once. The features
/// of transposed layers and the voxel indexing are not included, because they do not depend on the selection.
struct PicksTotal {
  double ms = 0, baseline_ms = 0;  ///< Sums of medians.
  /// The verdict on `ms` compared with `baseline_ms`, from the samples of the parts that differ. `same` if
  /// the selections have the same parts.
  Verdict verdict = Verdict::same;
  int layers = 0;                    ///< Number of layers whose features are included in both sums.
  std::vector<std::string> missing;  ///< Layers that are not included because a sample is missing.
};
[[nodiscard]] PicksTotal expected_total(const SettingMatrix& matrix, const MatrixPicks& picks,
                                        const MatrixPicks& baseline);

/// Returns a header and one line for each cell whose layer supports the setting. docs/command-line.md
/// describes the columns.
[[nodiscard]] std::string matrix_csv(const SettingMatrix& matrix);

}  // namespace spira

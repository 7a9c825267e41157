// The matrix of a tuning profile or of a recorded sweep: one row for each layer, one column for each setting.
// Finds the fastest setting for each layer, and adds up the expected time of the network for any selection of
// settings.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/choice.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct MapGroup;
struct Measurement;
struct Sweep;

/// A column of the matrix. Layers with different kernels can share it.
struct MatrixSetting {
  static constexpr int t_max = -1;
  /// The setting of the cells. A threshold of `t_max` means the largest threshold of each layer.
  LayerSetting setting = t_max;
  /// Returns "t = 0", "t = max", "unsorted" and so on.
  [[nodiscard]] std::string text() const;
  /// Returns the setting of a layer whose largest threshold is `max_threshold`.
  [[nodiscard]] LayerSetting of_layer(int max_threshold) const noexcept;
};

enum class CellState : std::uint8_t {
  infeasible,    ///< The layer cannot run with this setting.
  not_measured,  ///< The features have no samples.
  modelled,      ///< The features have no samples, but add_modelled_cells() has predicted their time.
  measured,
  unusable  ///< Measured, but the output differs from the output for t = max.
};
/// Returns the state as text, such as "not measured".
[[nodiscard]] std::string_view text_of(CellState state) noexcept;

/// The cell of one layer and one setting. All times are weighted sums over the scenes, in milliseconds.
struct MatrixCell {
  CellState state = CellState::infeasible;
  SettingVerdict verdict = SettingVerdict::none;
  bool current = false;
  LayerPlan setting;   ///< The setting to apply, with the selected mapping algorithm.
  std::int64_t n = 0;  ///< Number of samples of the scene that has the fewest.
  /// Time of the feature computation of one layer, plus the time of its map if MatrixRow::with_map is set. 0
  /// if `n` is 0.
  double median_ms = 0, iqr_ms = 0;
  double features_ms = 0;  ///< Median time of the features alone. 0 if `n` is 0.
  /// Cost of this setting if all other layers keep their current settings: the feature computation of all
  /// layers of this shape, plus map_ms. 0 if a time is missing.
  double cost_ms = 0;
  /// Median time of building the map for this setting. 0 if a layer of another shape needs this map as well.
  double map_ms = 0;
  double relative = 0;  ///< cost_ms divided by the smallest cost of the row. 0 if the cost is not known.
  /// Predicted time of the feature computation of one layer. Costs, verdicts and totals do not use it. 0
  /// unless `state` is CellState::modelled.
  double modelled_ms = 0;
  /// modelled_ms divided by the feature time of the best measured setting of the row. If the row has no
  /// samples, divided by the feature time in the run on which the model is based.
  double modelled_relative = 0;
  int model = -1;  ///< Index into SettingMatrix::models if a prediction is known, even if it is not shown.
  /// 95 % confidence interval of the ratio to the best setting, from the samples that decided the verdict. 0
  /// for the best setting, and without enough samples.
  double relative_low = 0, relative_high = 0;
  /// Returns true if the setting looks clearly slower, although the samples vary too much to show it. To
  /// explain such a tie, the user interface must show its interval.
  [[nodiscard]] bool noisy_tie() const noexcept;
  /// Returns the setting as text, such as "t = 2" or "mask-sorted:2". Must not be called for a cell that is
  /// not feasible.
  [[nodiscard]] std::string setting_text() const;
  /// Returns `relative` with two digits after the decimal point, such as "1.34". The text of a cell that is
  /// significantly slower always differs from that of the best cell: "1.004", or ">1.00" if three digits are
  /// too few.
  [[nodiscard]] std::string relative_text() const;
};
struct MatrixRow {
  std::string layer;
  LayerShape shape;
  /// The map of the layer. Layers with the same map are coupled: each distinct map setting needs a separate
  /// map.
  MapKey map;
  /// Number of layers with this shape, including this layer. They all have the same cost.
  int layers_of_shape = 1;
  std::vector<MatrixCell> cells;  ///< One cell for each column.
  /// Columns. `best` is -1 if no cost is known or if there is only one setting.
  int current = -1, best = -1;
  bool with_map = false;   ///< True if the samples of the row include the time of building the map.
  bool measured = false;   ///< True if a cell has samples.
  bool undecided = false;  ///< True if a measured cell has too few samples for a verdict.
};
/// The times of all layers that share a kernel map. Each layer has its own entry, because layers of one shape
/// can have different settings.
struct MatrixGroup {
  std::vector<std::size_t> rows;  ///< For each entry of `times.shapes`, its row in the matrix.
  GroupTimes times;
  std::vector<double> weights;
};
/// How well predicted times agree with the measured cells of the same matrix.
struct ModelCheck {
  std::string basis;  ///< For example "from the rates of this layer in this run".
  int cells = 0;      ///< Number of measured cells for which a prediction exists.
  /// Median and largest error of these predictions, relative to the measured times.
  double median_error = 0, largest_error = 0;
  /// True if the error is small enough to show predictions for the cells that were not measured.
  bool shown = false;
};
struct SettingMatrix {
  /// The thresholds in ascending order with t = max last, then the other dataflows.
  std::vector<MatrixSetting> columns;
  std::vector<MatrixRow> rows;  ///< In network order.
  std::vector<MatrixGroup> groups;
  std::vector<SceneLevel> levels;  ///< The levels of the network, for LayerShape::text().
  std::vector<ModelCheck> models;  ///< One entry for each basis of predictions.
};

/// Returns the columns of a matrix: one for each threshold that a layer of the groups supports, and one for
/// each other dataflow in `settings`.
[[nodiscard]] std::vector<MatrixSetting> setting_columns(const std::vector<MapGroup>& groups,
                                                         const std::set<LayerSetting>& settings);

/// Returns the plan of a layer with the setting of a column. Returns an empty value if the layer cannot run
/// it. t = max of a layer is only in the column of t = max, and not in the column of its number.
[[nodiscard]] std::optional<LayerPlan> plan_in(const MatrixSetting& column, const Layer& layer);

/// Returns the matrix of a profile, in which `current` marks the current settings. The profile may be
/// incomplete. Computing the verdicts takes about one millisecond per measured cell. Throws `Error(usage)` if
/// the profile belongs to a different network.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network,
                                           const Plan& current);
/// Like the other overload, with the settings of plan_of() as the current settings.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network);
/// Returns the matrix of a recorded sweep of t. `run` must be a run with the same network, device and scene.
/// - Sweep of the whole network: each layer has its own samples, from the passes that recorded the stages.
/// - Sweep of one layer: its row contains the samples of map and features together. The rows of the other
///   layers contain the t of `run`.
[[nodiscard]] SettingMatrix setting_matrix(const Sweep& sweep, const Measurement& run, const Network& network,
                                           const Plan& current);
/// Returns false if the sweep contains no times of settings, for example because its file was truncated.
[[nodiscard]] bool has_matrix(const Sweep& sweep);

/// One setting per row of the matrix.
using MatrixPicks = std::vector<LayerSetting>;
[[nodiscard]] MatrixPicks current_picks(const SettingMatrix& matrix);
/// Returns t = max for each layer, but t = 0 for transposed layers.
[[nodiscard]] MatrixPicks max_picks(const SettingMatrix& matrix);

/// Expected times of two selections of settings: the features of all measured layers, and each map once. Does
/// not include the voxel indexing. For a profile, also excludes the features of transposed layers, because
/// they do not depend on the selection.
struct PicksTotal {
  double ms = 0, baseline_ms = 0;  ///< Sums of medians.
  /// The verdict on `ms` compared with `baseline_ms`, computed from the samples of the times in which the
  /// selections differ. `same` if the selections are equal.
  Verdict verdict = Verdict::same;
  int layers = 0;      ///< Number of layers whose features are included in both sums.
  std::int64_t n = 0;  ///< Number of samples of the feature time that has the fewest. 0 if `layers` is 0.
  std::vector<std::string> missing;  ///< Layers that are not included because a sample is missing.
};
[[nodiscard]] PicksTotal expected_total(const SettingMatrix& matrix, const MatrixPicks& picks,
                                        const MatrixPicks& baseline);

/// The current settings of a matrix, changed to the best setting for every layer whose current setting is
/// significantly slower than its best setting.
struct BestPicks {
  MatrixPicks picks;
  std::vector<std::size_t> changed;    ///< Rows whose setting differs from the current setting.
  std::vector<std::string> tied;       ///< Layers whose current setting is tied with the best setting.
  std::vector<std::string> undecided;  ///< Layers with too few samples for a decision.
};
/// Changes a setting only if the time of all layers with the same map, including their maps, becomes smaller.
[[nodiscard]] BestPicks best_picks(const SettingMatrix& matrix);

/// Returns a header and one line for each cell whose layer supports the setting. docs/command-line.md
/// describes the columns.
[[nodiscard]] std::string matrix_csv(const SettingMatrix& matrix);

}  // namespace spira

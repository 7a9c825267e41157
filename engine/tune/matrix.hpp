// The matrix of a tuning profile or of a recorded sweep: one row for each layer, one column for each setting.
// Shows the fastest setting for each layer, and adds up the expected time of the network for any selection.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Measurement;
struct Sweep;

/// A column of the matrix. All columns are thresholds; a column for another kind of setting needs another
/// field here and in MatrixCell::setting.
struct MatrixSetting {
  static constexpr int t_max = -1;
  int threshold = t_max;  ///< `t_max` means the largest threshold of each layer.
  /// Returns "t = 0", "t = max" and so on.
  [[nodiscard]] std::string text() const;
};

enum class CellState : std::uint8_t {
  infeasible,    ///< the layer cannot run with this setting
  not_measured,  ///< no samples of the features
  modelled,      ///< no samples of the features, but add_modelled_cells() has predicted their time
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
/// Returns the verdict as text, such as "tied". Returns an empty string for CellVerdict::none.
[[nodiscard]] std::string_view text_of(CellVerdict verdict) noexcept;

/// The cell of one layer and one setting. All times are weighted sums over the scenes, in milliseconds.
struct MatrixCell {
  CellState state = CellState::infeasible;
  CellVerdict verdict = CellVerdict::none;
  bool current = false;
  LayerPlan setting;   ///< setting to apply, with the selected mapping algorithm
  std::int64_t n = 0;  ///< smallest number of samples over all scenes
  /// Features of one layer, and its map if MatrixRow::with_map is set. 0 if `n` is 0.
  double median_ms = 0, iqr_ms = 0;
  double features_ms = 0;  ///< median time of the features alone. 0 if `n` is 0
  /// Cost of this setting for all layers of the shape, if all other layers keep the current settings: their
  /// features, plus map_ms. 0 if a time is missing.
  double cost_ms = 0;
  double map_ms = 0;    ///< median time of the map with this t. 0 if a layer of another shape needs it too
  double relative = 0;  ///< cost_ms divided by the smallest cost of the row. 0 if the cost is not known
  /// Predicted time of the features of one layer. Costs, verdicts and totals do not use it. 0 unless `state`
  /// is CellState::modelled.
  double modelled_ms = 0;
  /// modelled_ms divided by the time of the features with the best measured setting of the row, or in the run
  /// of the model if the row has no samples.
  double modelled_relative = 0;
  int model = -1;  ///< index into SettingMatrix::models if a prediction is known, even if it is not shown
};
struct MatrixRow {
  std::string layer;
  LayerShape shape;
  MapKey map;                     ///< layers with the same map are coupled: each distinct t needs a separate
                                  ///< map
  int layers_of_shape = 1;        ///< number of layers with this shape, including this layer; they all have
                                  ///< the same cost
  std::vector<MatrixCell> cells;  ///< one for each column
  int current = -1, best = -1;    ///< columns. `best` is -1 if no cost is known or there is one setting only
  bool with_map = false;          ///< true if the samples of the row contain the map of the layer
  bool measured = false;          ///< true if a cell has samples
  bool undecided = false;         ///< true if a measured cell has too few samples for a verdict
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
  std::string basis;  ///< for example "from the rates of this layer in this run"
  int cells = 0;      ///< number of measured cells that were predicted
  /// Median and largest error of these predictions, relative to the measured times.
  double median_error = 0, largest_error = 0;
  bool shown = false;  ///< true if the error is small enough to show predictions for other cells
};
struct SettingMatrix {
  std::vector<MatrixSetting> columns;  ///< In ascending order of t. t = max is last.
  std::vector<MatrixRow> rows;         ///< In network order.
  std::vector<MatrixGroup> groups;
  std::vector<SceneLevel> levels;  ///< The levels of the network, for LayerShape::text().
  std::vector<ModelCheck> models;  ///< one entry for each basis of predictions
};

/// Returns the matrix of a profile, in which `current` marks the current settings. The profile may be
/// incomplete. Computing the verdicts takes about one millisecond per measured cell. Throws `Error(usage)` if
/// the profile belongs to a different network.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network,
                                           const Plan& current);
/// Marks the settings of plan_of() as the current settings.
[[nodiscard]] SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network);
/// Returns the matrix of a recorded sweep of t. `run` is the run of the same network, device and scene.
/// - Sweep of the whole network: each layer has its own samples, from the passes that recorded the stages.
/// - Sweep of one layer: its row contains the samples of map and features together. The rows of the other
///   layers contain the t of `run`.
[[nodiscard]] SettingMatrix setting_matrix(const Sweep& sweep, const Measurement& run, const Network& network,
                                           const Plan& current);
/// Returns false if the sweep contains no times of settings, for example because its file was truncated.
[[nodiscard]] bool has_matrix(const Sweep& sweep);

/// One threshold per row.
using MatrixPicks = std::vector<int>;
[[nodiscard]] MatrixPicks current_picks(const SettingMatrix& matrix);
/// Returns t = max for each layer, but t = 0 for transposed layers.
[[nodiscard]] MatrixPicks max_picks(const SettingMatrix& matrix);

/// Expected times of two selections: features of all measured layers, and each map once. Does not contain the
/// voxel indexing, and for a profile the features of transposed layers, which do not depend on the selection.
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

/// The current settings of a matrix, in which every layer that is significantly slower than with its best
/// setting has its best setting.
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

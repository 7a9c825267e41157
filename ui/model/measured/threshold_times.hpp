// Finds the best available feature time of a layer at a given threshold t, and the source of the time.
#pragma once

#include "engine/measure/statistics.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace spira {
struct SettingMatrix;
struct TuningProfile;
}  // namespace spira

namespace spira::ui {

struct ThresholdTime {
  enum class Source {
    run,      ///< Time from the measurement. If there is no measurement, time from a single run.
    trial,    ///< Time from isolated passes of this t, interleaved with passes of a second t.
    sweep,    ///< Time from the isolated passes of a sweep.
    modelled  ///< Time estimated by the model, not measured.
  };
  int threshold = 0;
  Source source = Source::run;
  double features_ms = 0;  ///< Median time, or the estimate of the model.
  std::int64_t n = 0;      ///< Number of samples. 0 if the time is modelled.
  double iqr_ms = 0;       ///< Spread of the samples. 0 if the time is modelled.
  QString how;             ///< Basis of a modelled time, such as "from the rates of this layer in this run".
  /// True if the time contains the stage `order`, which reorders the map for the feature kernel.
  bool with_order = false;
  [[nodiscard]] bool measured() const noexcept { return source != Source::modelled; }
  /// Returns the time as text, for example "1.204 ms (median of 15 samples, IQR 0.010 ms)" or "0.910 ms
  /// (modelled)".
  [[nodiscard]] QString text() const;
};

/// Returns the best available feature time of the layer at this t. Returns an empty value if the layer was
/// not run. Also returns an empty value if no run, trial or sweep used this t and there is no measurement to
/// model the time from.
[[nodiscard]] std::optional<ThresholdTime> features_at(const Workspace& workspace, int layer, int threshold);
/// Returns the samples of the features from the stages of one layer. Returns an empty list if these stages
/// include no features.
[[nodiscard]] std::span<const double> feature_samples(const StageTree& stages);
/// Returns the contents of a feature time: "features", or "features and row order" if `with_order` is true.
[[nodiscard]] QString feature_time_text(bool with_order);

/// The run and the densities that are used to predict the times of other settings. They can be used on any
/// thread.
struct RunModel {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Measurement> run;  ///< `nullptr` if nothing can be predicted.
  std::vector<std::shared_ptr<const Densities>> densities;
  /// Calls add_modelled_cells().
  void addTo(SettingMatrix& matrix) const;
};
/// Returns the model of the open scene or report. Its run is `nullptr` if nothing was measured.
[[nodiscard]] RunModel run_model(const Workspace& workspace);
/// Returns true if the profile was measured only on the open scene, on the same device and with the same
/// precision as the measurement.
[[nodiscard]] bool is_of_measurement(const TuningProfile& profile, const Workspace& workspace);

/// Returns the t with which the tried t is compared. While the user tries a t, this is the t of the plan.
/// Otherwise, it is the t that the newest trial compared with the t of the plan, or the t of the run. Returns
/// an empty value if the layer was not run, or if its last run used the t of the plan.
[[nodiscard]] std::optional<int> compared_threshold(const Workspace& workspace, const Selection& selection,
                                                    int layer);

/// The feature times of a layer with two values of t, measured with interleaved samples in one job.
struct ThresholdComparison {
  ThresholdTime baseline, tried;
  Verdict verdict = Verdict::undecided;  ///< Verdict on `tried` relative to `baseline`.
  std::optional<MedianRatio> ratio;      ///< Empty if there are too few samples.
  /// Returns the verdict, for example "t = 2 is faster: 0.91 of t = 4 (95 % interval: 0.88 to 0.94)".
  [[nodiscard]] QString text() const;
};
/// Returns the comparison of threshold_looked_at() with compared_threshold(). Returns an empty value if the
/// two were not measured together with the current settings of the layer.
[[nodiscard]] std::optional<ThresholdComparison> threshold_comparison(const Workspace& workspace,
                                                                      const Selection& selection, int layer);

/// Returns the t that the layer was run with. Returns an empty value if it was not run.
[[nodiscard]] std::optional<int> threshold_of_run(const Workspace& workspace, int layer);
/// Returns the settings with which a layer was run. Returns an empty value if it was not run.
[[nodiscard]] std::optional<LayerPlan> plan_of_run(const Workspace& workspace, int layer);
/// Returns the time of the last run of a layer, whatever its dataflow was. Returns an empty value if the
/// layer was not run.
[[nodiscard]] std::optional<ThresholdTime> features_of_run(const Workspace& workspace, int layer);
/// Returns true if the layer was run, and if the threshold alone describes its dataflow in this run.
[[nodiscard]] bool run_has_threshold(const Workspace& workspace, int layer);
/// Returns the t that the user tries for the layer by dragging its divider. If the user does not try a t,
/// returns the t of the plan.
[[nodiscard]] int threshold_looked_at(const Workspace& workspace, const Selection& selection, int layer);

/// Returns the dataflows of the hovered offsets, or of the selected offsets if none is hovered. Offsets with
/// an L1 norm below the planned t of the selected layer are output-stationary, all others weight-stationary.
/// Returns an empty set if no offset is hovered or selected, or if the layer was not run.
[[nodiscard]] std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace,
                                                        const Selection& selection);

}  // namespace spira::ui

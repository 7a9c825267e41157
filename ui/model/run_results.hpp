// The results of runs of the open scene, or of the open report.
#pragma once

#include "engine/report/report.hpp"
#include "engine/run/measurement.hpp"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

class OpenScene;

/// Result of a separate measurement that compares two settings of one layer.
struct ThresholdTrial {
  int layer = 0;
  LayerPlan baseline, setting;
  /// Stages of the map and the features, measured with each of the two settings in interleaved, isolated
  /// passes. Each pass gives one sample.
  StageTree baseline_stages, stages;
  /// Ratio of the feature times: time with the setting, divided by time with the baseline setting. Empty if
  /// there are too few samples.
  std::optional<MedianRatio> ratio;
};

/// A result is `nullptr` or empty until it has been computed. The results of a batch are of all frames.
/// Workspace removes results that a new scene, network or plan makes invalid.
class RunResults : public QObject {
  Q_OBJECT
 public:
  struct Contents {
    std::shared_ptr<const Report> report;
    std::vector<std::shared_ptr<const LayerResult>> layers;
    /// Parts of the results in `layers` that belong to the shown frame of a batch, by layer.
    std::map<int, std::shared_ptr<const LayerResult>> frame_layers;
    std::shared_ptr<const Measurement> measurement;
    std::shared_ptr<const Sweep> threshold_sweep, pack_sweep, dataflow_sweep;
    std::vector<ThresholdTrial> trials;
  };

  /// `scene` must outlive this object.
  explicit RunResults(const OpenScene& scene, QObject* parent = nullptr);

  /// Returns the open report, which then provides the network, plan, measurement, sweeps and densities.
  /// Returns `nullptr` if these come from this window.
  [[nodiscard]] const std::shared_ptr<const Report>& report() const noexcept { return now_.report; }
  /// Returns true if the report was read from a file, so that its run cannot be repeated.
  [[nodiscard]] bool recorded() const noexcept { return now_.report && !now_.report->graph; }
  enum class Rows { all, shown };
  /// Returns the result of a layer, or `nullptr` if the layer was not run. With Rows::shown, returns the part
  /// of the result that belongs to the shown frame of a batch, or `nullptr` if this part was not set yet.
  [[nodiscard]] const std::shared_ptr<const LayerResult>& layer(int index, Rows rows = Rows::all) const;
  /// Returns true if the layer was run in this window or in the open report.
  [[nodiscard]] bool wasRun(int layer) const;
  [[nodiscard]] int layersRun() const;
  [[nodiscard]] const std::shared_ptr<const Measurement>& measurement() const noexcept {
    return now_.measurement;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& thresholdSweep() const noexcept {
    return now_.threshold_sweep;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& packSweep() const noexcept { return now_.pack_sweep; }
  [[nodiscard]] const std::shared_ptr<const Sweep>& dataflowSweep() const noexcept {
    return now_.dataflow_sweep;
  }
  /// Returns the newest trial that compares this setting of the layer with another setting. Returns `nullptr`
  /// if the open scene has no such trial.
  [[nodiscard]] const ThresholdTrial* trial(int layer, const LayerPlan& setting) const noexcept;

  void clearLayers();
  void setMeasurement(std::shared_ptr<const Measurement> measurement);
  void setThresholdSweep(std::shared_ptr<const Sweep> sweep);
  void setPackSweep(std::shared_ptr<const Sweep> sweep);
  void setDataflowSweep(std::shared_ptr<const Sweep> sweep);
  void addTrial(ThresholdTrial trial);  ///< Replaces an earlier trial of the same setting.

 signals:
  void reportChanged();  ///< Emitted after a report was opened, or after a scene replaced the report.
  /// Emitted after layer `index` got a result. -1 means that all results were dropped.
  void layerChanged(int index);
  void measurementChanged();
  void sweepsChanged();
  void trialsChanged();

 private:
  friend class Workspace;
  /// Records which results were removed for a new scene or network. Their signals are emitted only after all
  /// old results are removed.
  struct Dropped {
    bool measurement = false, sweeps = false, trials = false;
  };
  /// Removes all results except the report. The caller must pass the return value to announce().
  [[nodiscard]] Dropped dropRuns();
  void announce(const Dropped& dropped);
  /// Removes the sweeps and the trials. Returns true if there was a sweep. Emits no signal.
  bool dropSweepsAndTrials();

  const OpenScene& scene_;
  Contents now_;
};

}  // namespace spira::ui

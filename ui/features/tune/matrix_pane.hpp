// Shows the matrix of the Tune panel as a heat map, the expected time of the picked settings, and a line
// about the current cell.
#pragma once

#include "engine/tune/matrix.hpp"
#include "engine/tune/sweep.hpp"
#include "ui/charts/matrix_chart.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/measured/tuning.hpp"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QLabel;
class QPushButton;

namespace spira::ui {

class ElidedLabel;
class WrappedLabel;
class SamplesPane;

/// Expected times of the network with the picked settings.
struct MatrixTotals {
  PicksTotal than_max;
  /// The expected time compared with the plan in use. Empty if this comparison is not possible, or if the
  /// plan in use is t = max.
  std::optional<PicksTotal> than_plan;
  bool max_in_use = false;
  BestPicks best;        ///< The settings that MatrixPane::pickBest() picks.
  PicksTotal than_used;  ///< The expected time compared with the plan in use, or with t = max.
  PicksTotal best_than_used;
  PicksTotal
      smallest_than_used;  ///< Every layer uses the setting with the smallest cost, even if it is tied.
};
/// Input of the task that computes the matrix and its totals on a thread of the thread pool.
struct MatrixArgs {
  /// Matrix that is already known, for the first totals; may be `nullptr`.
  std::shared_ptr<const SettingMatrix> matrix;
  /// The profile or the report whose matrix is shown. Both are `nullptr` if `matrix` is up to date.
  std::shared_ptr<const TuningProfile> profile;
  std::shared_ptr<const Report> report;
  RunModel model;  ///< Model for the cells without samples. If its run is `nullptr`, these cells stay empty.
  std::shared_ptr<const Network> network;
  Plan picks;
  MatrixPicks in_use;  ///< The settings of the plan in use. Empty if no such plan exists.
};
struct MatrixMade {
  std::shared_ptr<const SettingMatrix> matrix;
  MatrixTotals totals;
};

class MatrixPane : public QWidget {
  Q_OBJECT
 public:
  MatrixPane(const FeatureContext& context, Tuning* tuning, EngineJobs* jobs, QWidget* parent = nullptr);

  [[nodiscard]] MatrixChart* chart() const noexcept { return chart_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  [[nodiscard]] QCheckBox* samplesSwitch() const noexcept { return samples_switch_; }
  /// Returns the expected time of the picks. Returns an empty value until it is computed.
  [[nodiscard]] const std::optional<MatrixTotals>& totals() const noexcept { return totals_; }
  [[nodiscard]] QString totalText() const;
  /// Picks the best setting of each layer if it is significantly faster than the picked setting. The line
  /// below the matrix names the layers that keep their setting. This is one undo step.
  void pickBest();
  /// Returns why pickBest() would change nothing. Returns an empty string if it picks a setting.
  [[nodiscard]] QString pickBestUnavailableReason() const;
  [[nodiscard]] QPushButton* pickBestButton() const noexcept { return pick_best_; }
  /// Returns the text about the current cell, or the result of the last comparison.
  [[nodiscard]] QString cellText() const;
  /// Returns true if there are results, or if a tuning run is in progress.
  [[nodiscard]] bool hasResults() const;
  /// Returns the open report if the matrix shows its sweep of t, otherwise `nullptr`. A profile that was
  /// opened after the report takes precedence.
  [[nodiscard]] std::shared_ptr<const Report> recorded() const;
  /// Returns the reason why no matrix is shown. Returns an empty string if a matrix is shown.
  [[nodiscard]] QString whyNone() const;
  /// Returns the profile whose matrix is shown. Returns `nullptr` if no profile is open, or if the matrix
  /// belongs to a report.
  [[nodiscard]] std::shared_ptr<const TuningProfile> profile() const;
  /// Returns a plan with the settings that the user picked. The other layers have the choices of the profile.
  /// Must only be called if a matrix is shown.
  [[nodiscard]] Plan picks() const;
  /// Returns the results of the tuning run in progress. Empty if there are none.
  [[nodiscard]] const std::optional<TuneStepDone>& step() const noexcept { return step_; }
  /// Copies the command that measures the network with the picked settings to the clipboard, and shows it
  /// in the line below the matrix. Must only be called if a matrix is shown.
  void copyCommand();
  /// Returns the matrix as CSV with the current picks.
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] bool busy() const noexcept { return making_.busy(); }

 signals:
  void resultsChanged();  ///< Emitted when the first results of a tuning arrive, and when the tuning ends.
  void matrixShown();     ///< Emitted when the chart shows another matrix.
  void pickBestChanged();
  void inputsChanged();  ///< Emitted when the profile or the picks may have changed.

 private:
  void connectSignals();
  void follow();
  void showInputs();
  void make();
  void show(const MatrixMade& made);
  void showTotal();
  /// Selects the next undecided layer, or the first one after the last.
  void showNextUndecided();
  [[nodiscard]] QString whatText() const;
  [[nodiscard]] QString picksText() const;
  [[nodiscard]] QString totalTip() const;
  [[nodiscard]] QString runText() const;
  void followPickBest();
  [[nodiscard]] QString keptText(const BestPicks& best) const;
  /// Returns a list of layers with the names that the matrix shows.
  [[nodiscard]] QString listed(const std::vector<std::string>& layers) const;
  void showCell();
  void showComparison(const std::shared_ptr<const Sweep>& sweep);
  void showSamples();
  [[nodiscard]] QString sceneName(std::size_t scene) const;
  void followReport();
  void followMeasurement();
  void pick(const std::vector<int>& rows, int column);
  void compare(int row, int column);
  void endTuning();
  [[nodiscard]] bool sameNetwork(const TuningProfile& profile) const;

  FeatureContext context_;
  Tuning* tuning_;
  EngineJobs* jobs_;
  MatrixChart* chart_;
  SamplesPane* samples_;
  QCheckBox* samples_switch_;
  QPushButton* pick_best_;
  struct {
    WrappedLabel* total;
    QString total_text;
    ElidedLabel* cell;
    // The result of the last pickBest() or copyCommand(), until the user selects or picks a cell.
    QString kept;
  } lines_;
  QLabel* none_;
  QWidget* tools_;                    // The check boxes of the chart.
  std::optional<TuneStepDone> step_;  // Results of the tuning run in progress.
  std::optional<MatrixTotals> totals_;
  std::shared_ptr<const TuningProfile> passed_over_;  // Profile that was open when the report was opened.
  // The profile or report from which the shown matrix was made, and the picks at that time.
  struct {
    std::shared_ptr<const void> source;
    std::vector<LayerPlan> picks;
  } made_for_;
  TaskSlot making_;
};

}  // namespace spira::ui

// The Tune panel contains the scenes, the time limit and the settings to measure. It shows the progress and
// the resulting profile.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/panels/panel.hpp"

class QCheckBox;
class QPushButton;

namespace spira::ui {

class ElidedLabel;
class WrappedLabel;
class GroupsPane;
class JobBar;
class MatrixPane;
class TuneResult;
class TuneSetup;

class TunePanel : public Panel {
  Q_OBJECT
 public:
  TunePanel(const FeatureContext& context, Tuning* tuning, EngineJobs* jobs, QWidget* parent = nullptr);

  /// Moves the focus to a button of this panel, so that Enter starts tuning. If there are no results yet,
  /// this is the start button, and the settings to measure are shown.
  void takeFocus();
  /// Returns by how many pixels the panel must grow to show enough rows of the matrix.
  [[nodiscard]] int missingHeight() const;
  [[nodiscard]] TuneWish wish() const;
  [[nodiscard]] TuneSetup* setup() const noexcept { return setup_; }
  [[nodiscard]] TuneResult* result() const noexcept { return result_; }
  [[nodiscard]] MatrixPane* matrix() const noexcept { return matrix_; }
  [[nodiscard]] GroupsPane* groups() const;
  /// Selects the tab with the groups and gives it the keyboard focus.
  void showGroups();
  /// Returns a message that states how many layers fit in the time limit, or why tuning cannot start.
  [[nodiscard]] QString startText() const;
  [[nodiscard]] QPushButton* startButton() const noexcept { return start_; }
  /// Returns why the profile cannot be applied. Returns an empty string if it can be applied.
  [[nodiscard]] QString applyUnavailableReason() const;
  /// Returns why the open scene cannot be tuned at all, or an empty string.
  [[nodiscard]] QString tuneUnavailableReason() const;
  [[nodiscard]] QString banner() const;
  void addScenes(const QStringList& files);
  /// Saves the profile. Throws Error(input) if the file cannot be written.
  void saveTo(const QString& file);
  [[nodiscard]] QString saveUnavailableReason() const;

 signals:
  void saveRequested();
  void openRequested();
  void missingHeightChanged();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void makeSetup();
  [[nodiscard]] QWidget* makeProfile();
  void follow() override;
  void followJob();
  void followSettings();
  void start();
  [[nodiscard]] QString startUnavailableReason() const;
  [[nodiscard]] Network shownNetwork() const;
  [[nodiscard]] QString bannerText() const;
  [[nodiscard]] QString bannerTip() const;
  [[nodiscard]] QString differenceText() const;
  void showBanner();
  [[nodiscard]] QString coverText() const;
  void showCover(const TuneEstimate& estimate, double budget_ms);

  FeatureContext context_;
  Tuning* tuning_;
  EngineJobs* jobs_;
  TuneSetup* setup_;
  QCheckBox* go_on_;
  QPushButton *start_, *stop_;
  struct {
    QPushButton *apply, *save, *copy;
  } use_;                  // The buttons that use the picked settings.
  QPushButton* settings_;  // Button that shows the tuning settings next to the results.
  QWidget* setup_page_;
  JobBar* bar_;
  ElidedLabel* start_text_;
  WrappedLabel* banner_;
  MatrixPane* matrix_;
  TuneResult* result_;
};

}  // namespace spira::ui

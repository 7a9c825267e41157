// Closes the open scene and the window. Asks the user before a running job is cancelled.
#pragma once

#include "engine/report/report.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace spira {

// Handles results that exist only in this window: measurements and the tuning profile. Asks before they are
// lost, or stores them in the state folder if no user can answer.

struct TuningProfile;
}  // namespace spira

namespace spira::ui {

class Comparing;
class OpenRun;
class RecentFiles;
class TunePanel;
class Tuning;

class UnsavedResults : public QObject {
  Q_OBJECT
 public:
  /// The object that is closed. It determines which results would be lost.
  enum class Closing {
    scene,    ///< The current measurement is lost, unless it is a baseline.
    profile,  ///< The tuning profile is lost, because another profile replaces it.
    window    ///< All measurements, the baselines measured in this window, and the profile are lost.
  };

  struct Parts {
    const OpenRun& run;
    const Comparing& comparing;
    const Tuning& tuning;
    TunePanel& tune_panel;
    RecentFiles& recent;
  };
  /// If `state_folder` is empty, keep() stores nothing.
  UnsavedResults(const FeatureContext& context, const Parts& parts, const QString& state_folder);

  /// Asks the user to save or discard the results that would be lost. Returns false if the user cancels or if
  /// a file cannot be written, otherwise true. After setAsks(false), stores the results without a question.
  [[nodiscard]] bool mayClose(Closing closing, const QString& question);
  /// Writes the results to the state folder without a question, and adds the files to the recent files.
  void keep(Closing closing);
  /// Sets whether the user is asked before results are lost. Returns the previous value.
  bool setAsks(bool asks) noexcept { return std::exchange(asks_, asks); }
  /// Must be called after the report of a measurement was written to a file.
  void setSaved(const std::shared_ptr<const Report>& report) { settled_.insert(report); }

 private:
  struct Result {
    QString text;  ///< Text for the question, for example "the measurement of resn21 on room".
    QString file_name;
    std::function<void(const QString& file)> write;
    /// Called after the result was saved or discarded, so that the user is not asked again.
    std::function<void()> settle;
  };
  [[nodiscard]] std::vector<Result> lostBy(Closing closing);
  [[nodiscard]] Result measured(const std::shared_ptr<const Report>& report);
  [[nodiscard]] bool save(const Result& result);

  FeatureContext context_;
  Parts parts_;
  QString folder_;
  bool asks_ = true;
  std::set<std::shared_ptr<const Report>> settled_;  // Reports that were saved or discarded.
  std::shared_ptr<const TuningProfile> settled_profile_;
};

class CrashRecovery;
class CropBox;
class EngineJobs;
class Lessons;
class OpenDocument;
class ParameterHistory;
class Sessions;
class SurveyJob;
class UnsavedResults;
class WindowLayouts;

class Closing : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    EngineJobs& jobs;
    SurveyJob& survey;
    Lessons& lessons;
    UnsavedResults& unsaved;
    Sessions& sessions;
    CrashRecovery& recovery;
    WindowLayouts& layouts;
    ParameterHistory& history;
    CropBox& crop;
    OpenDocument& document;
  };
  Closing(const FeatureContext& context, const Parts& parts);
  /// Closes the window even if a job is running or results are unsaved. Signal handlers use this function,
  /// because no user can answer a question.
  void closeWithoutQuestions();

 signals:
  void sceneClosed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Returns the title of the running job that the user started. Returns an empty string if no such job is
  /// running.
  [[nodiscard]] QString runningWork() const;
  [[nodiscard]] bool mayCancel(const QString& question, const QString& lost);
  [[nodiscard]] bool mayCloseWindow();
  [[nodiscard]] QString whyNothingOpen() const;
  void closeScene();
  void followEnd();
  void end();  ///< Stores the window state and deletes the recovery copy of this window.

  FeatureContext context_;
  Parts parts_;
  bool asks_ = true, ended_ = false;
};

}  // namespace spira::ui

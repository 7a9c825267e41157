// Closes the open scene and the window. Asks the user before a running job is cancelled.
#pragma once

#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>

namespace spira::ui {

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
  /// Returns the title of the running job that the user started. Empty if no such job is running.
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

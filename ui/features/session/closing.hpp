// Closes the open scene and the window, and asks before a running job is cancelled.
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
  /// Closes the window even if a job is running or results are unsaved. Used for signals, when no user can
  /// answer a question.
  void closeWithoutQuestions();

 signals:
  void sceneClosed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Returns the title of the running job that the user started; empty if there is none.
  [[nodiscard]] QString runningWork() const;
  [[nodiscard]] bool mayCancel(const QString& question, const QString& lost);
  [[nodiscard]] bool mayCloseWindow();
  [[nodiscard]] QString whyNothingOpen() const;
  void closeScene();
  void followEnd();
  void end();  ///< Stores the state of the window and deletes its recovery copy.

  FeatureContext context_;
  Parts parts_;
  bool asks_ = true, ended_ = false;
};

}  // namespace spira::ui

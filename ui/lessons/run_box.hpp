// On a page with measured numbers: what run they are of, another one to look at, and the way to one of this
// machine.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/lessons/lesson_runs.hpp"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace spira::ui {

class RunBox : public QWidget {
  Q_OBJECT
 public:
  /// `engine`: where runs are measured.
  RunBox(LessonRuns* runs, CommandSet* commands, JobRunner* engine, QWidget* parent);
  [[nodiscard]] QString text() const;  ///< what the run is of

 signals:
  void focusGivenUp();  ///< a button that had it is hidden

 private:
  void show();
  void trigger(const QString& id);
  void showWork(const QString& what);
  void showButtons();
  void setShown(QPushButton* button, bool shown);
  [[nodiscard]] QString lacks() const;  ///< what the page wants and this run has not; empty: nothing

  LessonRuns* runs_;
  CommandSet* commands_;
  JobRunner* engine_;
  QLabel *source_, *work_;
  QComboBox* choice_;
  QPushButton *measure_, *sweep_, *stop_;
};

/// "This window", "The open report", "Recorded run of the program"
[[nodiscard]] QString name_of(LessonRuns::Of which);

}  // namespace spira::ui

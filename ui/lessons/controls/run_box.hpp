// Shows the run that provides the measured numbers of a page. The user can select another run, or measure a
// run on this machine.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/lessons/lesson_runs.hpp"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace spira::ui {

class RunBox : public QWidget {
  Q_OBJECT
 public:
  /// `engine` is the slot that runs the measurements.
  RunBox(LessonRuns* runs, CommandSet* commands, const TaskSlot* engine, QWidget* parent);
  [[nodiscard]] QString text() const;

 signals:
  void focusGivenUp();  ///< Emitted before a button that has the focus is hidden.

 private:
  void show();
  void trigger(const QString& id);
  void showWork(const QString& what);
  void showButtons();
  void setShown(QPushButton* button, bool shown);
  /// Returns a message that lists the measurements that the page needs but the run does not contain. Returns
  /// an empty string if none are missing.
  [[nodiscard]] QString lacks() const;

  LessonRuns* runs_;
  CommandSet* commands_;
  const TaskSlot* engine_;
  QLabel *source_, *work_;
  QComboBox* choice_;
  QPushButton *measure_, *sweep_, *stop_;
};

/// Returns the display name of a run, such as "This window" or "Opened report".
[[nodiscard]] QString name_of(LessonRuns::Of which);

}  // namespace spira::ui

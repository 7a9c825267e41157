// The Log panel shows the messages of the program and the running jobs.
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;
class QPlainTextEdit;

namespace spira::ui {

class ActivityRow;

class LogPanel : public Panel {
  Q_OBJECT
 public:
  LogPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  /// engine() and survey() return the rows that show the engine job and the survey. Each row is visible while
  /// its job runs.
  [[nodiscard]] ActivityRow* engine() const noexcept { return engine_; }
  [[nodiscard]] ActivityRow* survey() const noexcept { return survey_; }
  [[nodiscard]] QString text() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  ActivityRow *engine_, *survey_;
  QLabel* none_;
  QPlainTextEdit* lines_;
};

}  // namespace spira::ui

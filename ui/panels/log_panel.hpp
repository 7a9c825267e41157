// What happened, and what is running.
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
  /// What the engine does for the window, and the survey beside it: a row each while it runs.
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

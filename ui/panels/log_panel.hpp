// What happened, and what is running.
#pragma once

#include "ui/panels/panel.hpp"

class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace spira::ui {

class ElidedLabel;

class LogPanel : public Panel {
  Q_OBJECT
 public:
  LogPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  void setActivity(const QString& what, qint64 done, qint64 total, bool running);
  [[nodiscard]] QString text() const;

 private:
  ElidedLabel* what_;
  QProgressBar* bar_;
  QPushButton* cancel_;
  QPlainTextEdit* lines_;
};

}  // namespace spira::ui

// Find a command by typing a part of its name.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace spira::ui {

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(CommandSet* commands, QWidget* parent);

 private:
  void fill();
  void runChosen();
  bool eventFilter(QObject* watched, QEvent* event) override;

  CommandSet* commands_;
  QLineEdit* text_;
  QListWidget* list_;
};

}  // namespace spira::ui

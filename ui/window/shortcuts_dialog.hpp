// All commands with their keys: searched, changed, taken away and set back.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace spira::ui {

class ShortcutsDialog : public QDialog {
  Q_OBJECT
 public:
  ShortcutsDialog(CommandSet* commands, QWidget* parent);
  void choose(const QString& id);  ///< the row of a command

 private:
  QLayout* makeEditor();
  void fill();
  void follow();
  void assign();
  void resetAll();
  [[nodiscard]] QString chosen() const;  ///< id; empty: none

  CommandSet* commands_;
  QLineEdit* words_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QPushButton *assign_, *remove_, *reset_, *reset_all_;
  QLabel* why_;
};

}  // namespace spira::ui

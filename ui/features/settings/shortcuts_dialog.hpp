// A dialog that lists all commands with their shortcuts. The user can search, change, remove and reset
// shortcuts.
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
  void choose(const QString& id);  ///< Selects the row of the command.

 private:
  QLayout* makeEditor();
  void fill();
  void follow();
  void assign();
  void resetAll();
  /// Returns the id of the selected command. Returns an empty string if no row is selected.
  [[nodiscard]] QString chosen() const;

  CommandSet* commands_;
  QLineEdit* words_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QPushButton *assign_, *remove_, *reset_, *reset_all_;
  QLabel* why_;
};

}  // namespace spira::ui

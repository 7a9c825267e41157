// Find a command by typing a part of its name; its keys and, where it cannot be done now, the reason stand
// beside it.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>
#include <QStringList>

class QLabel;
class QLineEdit;
class QListWidget;

namespace spira::ui {

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(CommandSet* commands, QWidget* parent);
  /// Files that are opened from here as well, below the commands.
  void setFiles(const QStringList& files);
  /// What can be done besides the commands of the table, below them.
  void setActions(const QList<QAction*>& actions);

 signals:
  void openRequested(const QString& file);

 private:
  void fill();
  void addRow(const QString& name, const QString& keys, const QString& why_not, int role,
              const QString& value);
  void runChosen();
  bool eventFilter(QObject* watched, QEvent* event) override;

  CommandSet* commands_;
  QLineEdit* text_;
  QListWidget* list_;
  QLabel* none_;
  QStringList files_;
  QList<QAction*> actions_;
};

}  // namespace spira::ui

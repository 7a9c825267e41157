// A dialog that finds a command by a part of its name. Each row shows the shortcut of the command, and the
// reason if the command is not available.
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
  /// Sets the files that the palette lists below the commands. The user can open them.
  void setFiles(const QStringList& files);
  /// Sets further actions that the palette lists below the commands.
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

// A dialog that finds commands, layers, settings, controls and recent files by parts of their names. The row
// of a command shows its shortcut, and the reason if the command is not available.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace spira::ui {

/// A row of the palette that is not a command.
struct PaletteItem {
  QString name;
  QString hint;               ///< Short text on the right, for example the tab of a control.
  QString why_not;            ///< Reason why the item is not available. Empty if the item is available.
  std::function<void()> run;  ///< Called after the palette has closed.
};

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(CommandSet* commands, QWidget* parent);
  /// Sets the items that the palette lists below the commands.
  void setItems(std::vector<PaletteItem> items);

 private:
  void fill();
  void addRow(const QString& name, const QString& keys, const QString& why_not, int role,
              const QVariant& value);
  void runChosen();
  bool eventFilter(QObject* watched, QEvent* event) override;

  CommandSet* commands_;
  QLineEdit* text_;
  QListWidget* list_;
  QLabel* none_;
  std::vector<PaletteItem> items_;
};

}  // namespace spira::ui

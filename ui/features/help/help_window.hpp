// The help window: the pages of docs/ without a network connection, opened at the section about the focused
// view, and a list of all shortcuts.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>
#include <QString>

class QLabel;
class QListWidget;
class QTextBrowser;

namespace spira::ui {

/// Sets the help that F1 opens while `view` or one of its children has the focus. `place` is a page and a
/// heading, for example "window#Density".
void set_help(QWidget* view, const QString& place);

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  HelpWindow(CommandSet* commands, QWidget* parent);
  void showFor(const QWidget* focused);   ///< Shows the first page if `focused` is `nullptr`.
  void showPlace(const QString& place);   ///< `place` has the form "window#Density".
  [[nodiscard]] QString heading() const;  ///< Returns the heading at the top, or the title of the page.

 private:
  void showPage(const QString& page);
  void scrollToHeading();
  void follow(const QUrl& link);
  [[nodiscard]] QString keysPage() const;

  CommandSet* commands_;
  QListWidget* pages_;
  QTextBrowser* text_;
  QLabel* note_;
  QString heading_;
};

}  // namespace spira::ui

// The help window shows the pages of docs/ offline, and a list of all shortcuts. It opens at the section
// about the focused view.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>
#include <QString>

class QLabel;
class QListWidget;
class QTextBrowser;

namespace spira::ui {

/// Sets the help section that F1 opens while `view` or one of its children has the focus. `place` consists of
/// a page and a heading, for example "window#Density".
void set_help(QWidget* view, const QString& place);

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  HelpWindow(CommandSet* commands, QWidget* parent);
  /// Shows the help for the focused widget, or the first page if `focused` is `nullptr`.
  void showFor(const QWidget* focused);
  void showPlace(const QString& place);  ///< `place` is a page and a heading, such as "window#Density".
  /// Returns the heading at the top of the visible area, or the title of the page.
  [[nodiscard]] QString heading() const;

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

// The pages of docs/ beside the window, offline, at the place that is about the view with the focus; and all
// keys.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QDialog>
#include <QString>

class QLabel;
class QListWidget;
class QTextBrowser;

namespace spira::ui {

/// What F1 shows while `view` or a child of it has the focus: "window#Density", a page and a heading of it.
void set_help(QWidget* view, const QString& place);

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  HelpWindow(CommandSet* commands, QWidget* parent);
  void showFor(const QWidget* focused);   ///< null: the first page
  void showPlace(const QString& place);   ///< "window#Density"
  [[nodiscard]] QString heading() const;  ///< the one that is shown at the top; of a whole page its title
  [[nodiscard]] QString pageText() const;

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

// What all panels are: a view of Workspace and Selection that asks for work by signals, and never is empty
// without a word.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace spira::ui {

class Panel : public QWidget {
  Q_OBJECT
 public:
  Panel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent);
  /// Above all that the panel shows, also where that is a sentence.
  void addAbove(QWidget* row);

 signals:
  void commandRequested(const QString& id);

 protected:
  /// The page that is shown when there is something; its layout is the panel's to fill.
  [[nodiscard]] QWidget* body() const noexcept { return body_; }
  /// Shows a sentence instead of the body, with a button for the command where there is one.
  void showEmpty(const QString& text, const QString& command = {}, const QString& button = {});
  void showBody();
  /// What is open is another; the panel shows it.
  virtual void follow() {}
  /// follow() once for all that changes together; out of sight when changes have come to rest, or when it is
  /// shown.
  void followSoon();
  void showEvent(QShowEvent* event) override;

  Workspace* workspace_;
  Selection* selection_;
  Theme* theme_;

 private:
  QStackedWidget* pages_;
  QWidget* body_;
  QLabel* empty_text_;
  QPushButton* empty_button_;
  QString empty_command_;
};

}  // namespace spira::ui

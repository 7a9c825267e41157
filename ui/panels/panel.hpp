// Base class of all panels: a view of Workspace and Selection. A panel requests work by signals. If it has no
// content, it shows a sentence instead.
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
  /// Adds a row at the top, which stays visible when the panel shows a sentence instead of its body.
  void addAbove(QWidget* row);

 signals:
  void commandRequested(const QString& id);

 protected:
  /// Returns the page with the content. The derived class sets its layout.
  [[nodiscard]] QWidget* body() const noexcept { return body_; }
  /// Shows a sentence instead of the body, and a button if `command` is not empty.
  void showEmpty(const QString& text, const QString& command = {}, const QString& button = {});
  void showBody();
  /// Updates the panel after the open scene or report changed.
  virtual void follow() {}
  /// Schedules one call of follow() for several changes. If the panel is hidden, the call waits until changes
  /// stop or the panel is shown.
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

// Base class of all panels. A panel displays data of Workspace and Selection, and emits signals to request
// work. If a panel has no content, it shows an explanatory sentence instead.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"

#include <QString>
#include <QToolButton>
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace spira::ui {

class Panel : public QWidget {
  Q_OBJECT
 public:
  Panel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent);
  /// Adds a row at the top of the panel. The row is visible even while the panel shows a sentence instead of
  /// its body.
  void addAbove(QWidget* row);
  /// Lets the panel become lower than its content. The content then scrolls.
  void makeScrollable();

 signals:
  void commandRequested(const QString& id);

 protected:
  /// Returns the widget for the content of the panel. The derived class sets its layout.
  [[nodiscard]] QWidget* body() const noexcept { return body_; }
  /// Shows a sentence instead of the body. If `command` is not empty, also shows a button that runs this
  /// command.
  void showEmpty(const QString& text, const QString& command = {}, const QString& button = {});
  /// Shows that a layer has no kernel map, and describes its operation.
  void showNoMap(int layer);
  void showBody();
  /// Updates the panel after the open scene or report changed.
  virtual void follow() {}
  /// Schedules a call of follow(). Several changes cause only one call. If the panel is hidden, follow() is
  /// called when no more changes arrive or when the panel is shown.
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

/// The title row of a view. It shows the name of the layer or map in the view, and a button to pin the view.
class FollowHead : public QWidget {
  Q_OBJECT
 public:
  FollowHead(const Workspace* workspace, FollowedSelection* shown, QWidget* parent);
  [[nodiscard]] QString text() const;

 private:
  void follow();

  const Workspace* workspace_;
  FollowedSelection* shown_;
  QLabel* text_;
};

class PinButton : public QToolButton {
  Q_OBJECT
 public:
  PinButton(FollowedSelection* shown, QWidget* parent);

 private:
  void follow(bool pinned);
};

}  // namespace spira::ui

// The title row of a view: the name of the layer or map that the view shows, and buttons to pin the view.
#pragma once

#include "ui/model/followed_selection.hpp"

#include <QToolButton>
#include <QWidget>

class QLabel;

namespace spira::ui {

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

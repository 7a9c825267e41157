// The head of a view: the name of the layer or map that it shows, and buttons to pin it.
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

/// A button that pins a view to its current layer and selection.
class PinButton : public QToolButton {
  Q_OBJECT
 public:
  PinButton(FollowedSelection* shown, QWidget* parent);

 private:
  void follow(bool pinned);
};

}  // namespace spira::ui

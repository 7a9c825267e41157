// A button that pins a view to its current layer and selection.
#pragma once

#include "ui/model/followed_selection.hpp"

#include <QToolButton>

namespace spira::ui {

class PinButton : public QToolButton {
  Q_OBJECT
 public:
  PinButton(FollowedSelection* shown, QWidget* parent);

 private:
  void follow(bool pinned);
};

}  // namespace spira::ui

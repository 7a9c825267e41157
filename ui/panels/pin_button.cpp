#include "ui/panels/pin_button.hpp"

namespace spira::ui {

PinButton::PinButton(FollowedSelection* shown, QWidget* parent) : QToolButton(parent) {
  setObjectName("pin");
  setCheckable(true);
  connect(this, &QToolButton::clicked, shown, &FollowedSelection::setPinned);
  connect(shown, &FollowedSelection::pinnedChanged, this, &PinButton::follow);
  follow(shown->pinned());
}

void PinButton::follow(bool pinned) {
  setChecked(pinned);
  setText(pinned ? tr("pinned") : tr("pin"));
  setAccessibleName(pinned ? tr("Pinned: follow the selection again") : tr("Pin this view"));
  setToolTip(pinned ? tr("This view is pinned. Click to follow the selection again.")
                    : tr("Keep the contents of this view when the selection changes"));
}

}  // namespace spira::ui

// The selection that a view displays. It follows the selection of the window unless the user pins the view.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

namespace spira::ui {

/// A view reads its selection from this object, but changes the selection of the window.
class FollowedSelection : public Selection {
  Q_OBJECT
 public:
  FollowedSelection(const Selection* followed, const Workspace* workspace, QObject* parent);

  /// Pins or unpins the view. A change of the network or the scene also unpins the view.
  void setPinned(bool pinned);
  [[nodiscard]] bool pinned() const noexcept { return pinned_; }

 signals:
  void pinnedChanged(bool pinned);

 private:
  void follow();

  const Selection* followed_;
  bool pinned_ = false;
};

}  // namespace spira::ui

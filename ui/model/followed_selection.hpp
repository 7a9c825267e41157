// What a view shows: the selection of the window, until the view is pinned and keeps what it has.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

namespace spira::ui {

/// Views read here what they show, and write to the selection of the window.
class FollowedSelection : public Selection {
  Q_OBJECT
 public:
  FollowedSelection(const Selection* followed, const Workspace* workspace, QObject* parent);

  /// A pin ends with the network or the scene that it was set in.
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

#include "ui/model/followed_selection.hpp"

namespace spira::ui {

FollowedSelection::FollowedSelection(const Selection* followed, const Workspace* workspace, QObject* parent)
    : Selection(parent), followed_(followed) {
  for (const auto changed : {&Selection::columnsChanged, &Selection::voxelChanged, &Selection::rowsChanged,
                             &Selection::hoverChanged, &Selection::phaseChanged})
    connect(followed_, changed, this, &FollowedSelection::follow);
  connect(followed_, &Selection::layerChanged, this, &FollowedSelection::follow);
  connect(followed_, &Selection::strideChanged, this, &FollowedSelection::follow);
  connect(workspace, &Workspace::voxelsChanged, this, [this] { setPinned(false); });
  connect(workspace, &Workspace::networkChanged, this, [this] { setPinned(false); });
  follow();
}

void FollowedSelection::setPinned(bool pinned) {
  if (pinned == pinned_) return;
  pinned_ = pinned;
  setHover({});
  follow();
  emit pinnedChanged(pinned);
}

void FollowedSelection::follow() {
  if (pinned_) return;
  setLayer(followed_->layer());
  setStride(followed_->stride());
  setColumns(followed_->columns());
  setVoxel(followed_->voxel());
  setRows(followed_->rows());
  setPhase(followed_->phase());
  setHover(followed_->hover());
}

}  // namespace spira::ui

// Which parts the 3D view draws.
#include "ui/view3d/crop_tool.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/hidden_notice.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxel_actors.hpp"

namespace spira::ui {

void SceneView::connectParts() {
  connect(parts_, &ViewParts::changed, this, &SceneView::followParts);
  connect(notice_, &HiddenNotice::showRequested, this, [this] {
    if (!parts_->shows(ViewPart::voxels)) {
      if (const auto alone = parts_->shown().alone) parts_->toggleAlone(*alone);
      return parts_->show(ViewPart::voxels, true);
    }
    selection_->setHiddenLabels({});
    selection_->setSlab(std::nullopt);
  });
}

void SceneView::followParts() {
  overlay_->setAxesShown(parts_->shows(ViewPart::axes));
  if (grid_->shown() != parts_->shows(ViewPart::grid)) {
    grid_->show(parts_->shows(ViewPart::grid));
    placeGrid();
    camera_->include(crop_->bounds());  // and the grid: nothing of it is cut off
  }
  allowVoxels(voxels_allowed_);
  const bool highlights = parts_->shows(ViewPart::highlights);
  if (highlights != highlights_shown_) {
    highlights_shown_ = highlights;
    recolour();
    rehighlight();
  }
  redraw();
}

void SceneView::allowVoxels(bool allowed) {
  voxels_allowed_ = allowed;
  overlay_->setLegendShown(allowed);
  actors_->setShown(allowed && parts_->shows(ViewPart::voxels));
}

/// In place of voxels; empty where there are some to be seen, or none to be hidden.
QString SceneView::hiddenText() const {
  const auto& mesh = actors_->mesh();
  if (mesh == nullptr || mesh->voxels == 0 || !voxels_allowed_) return {};
  if (!parts_->shows(ViewPart::voxels)) return tr("Voxels hidden");
  return mesh->visible == 0 ? tr("All voxels hidden, by class or height") : QString();
}

}  // namespace spira::ui

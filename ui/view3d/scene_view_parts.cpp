// Visible parts of SceneView, and the texts about them.
#include "engine/base/text.hpp"
#include "engine/scene/read_limits.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/hidden_notice.hpp"
#include "ui/view3d/highlight_chips.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

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
    camera_->include(crop_->bounds());  // also includes the grid, so that it is not clipped
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

/// Returns the text shown instead of voxels. Returns an empty text if some voxels are visible or there are
/// none.
QString SceneView::hiddenText() const {
  const auto& mesh = actors_->mesh();
  if (mesh == nullptr || mesh->voxels == 0 || !voxels_allowed_ || !workspace_->voxels()) return {};
  if (!parts_->shows(ViewPart::voxels)) return tr("Voxels hidden");
  if (mesh->visible > 0) return {};
  const auto& slab = selection_->slab();
  if (!slab) return tr("All voxels hidden by class");
  return (selection_->hiddenLabels().empty() ? tr("No voxels in the slab %1")
                                             : tr("All voxels hidden by class or by the slab %1"))
      .arg(slab_text(*slab, workspace_->voxels()->grid.voxel_m[2]));
}

/// Describes the shapes of the voxels of the current level.
QString SceneView::shapesText(const VoxelMesh& mesh) const {
  const VoxelStyle style = selection_->voxelStyle();
  const ViewDetail* detail = actors_->moving() ? nullptr : actors_->detail();
  const bool cubes = detail != nullptr ? !detail->row_of_quad.empty() : mesh.has_faces();
  if (style == VoxelStyle::points || !cubes)
    return always_cubes(style) && !actors_->moving() ? tr("as points, too many for cubes") : tr("as points");
  if (style == VoxelStyle::outlined)
    return actors_->style() == style ? tr("as outlined cubes") : tr("as cubes, too small for edges");
  return detail != nullptr && !detail->row_of_point.empty() ? tr("as cubes, far ones as points")
                                                            : tr("as cubes");
}

QString SceneView::drawnText(const VoxelMesh& mesh) const {
  if (!parts_->shows(ViewPart::voxels)) return tr("voxels hidden");
  return countText(mesh) + partText();
}

/// Reports points that are left out. A saved picture has no other sign that the file contains more points.
QString SceneView::partText() const {
  QString text;
  const auto& scene = workspace_->voxels();
  if (scene && scene->cloud->every > 1)
    text += tr("; %1 point of the file").arg(QString::fromStdString(every_text(scene->cloud->every)));
  if (scene && scene->grid.crop_m) text += tr("; cropped");
  return text;
}

QString SceneView::countText(const VoxelMesh& mesh) const {
  const auto text = [](std::int64_t count) { return onScreen(count_text(count)); };
  const LevelOfDetail* instead = actors_->drawnInstead();
  if (instead == nullptr && mesh.hidden.empty())
    return tr("drawing %1 %2")
        .arg(counted(mesh.voxels, tr("1 voxel"), tr("all %1 voxels")), shapesText(mesh));
  if (instead == nullptr)
    return tr("drawing %1 of %2 voxels %3").arg(text(mesh.visible), text(mesh.voxels), shapesText(mesh));
  const std::int64_t points = actors_->pointsDrawnInstead();
  const QString drawn = text(points), all = text(mesh.voxels);
  if (instead->mesh->stride == mesh.stride) return tr("drawing %1 of %2 voxels (sampled)").arg(drawn, all);
  const QString stride = tr("drawing stride %1: ").arg(instead->mesh->stride);
  if (points == instead->of_stride) return stride + tr("%1 for %2 voxels").arg(drawn, all);
  return stride + tr("%1 of its %2 for %3 voxels").arg(drawn, text(instead->of_stride), all);
}

}  // namespace spira::ui

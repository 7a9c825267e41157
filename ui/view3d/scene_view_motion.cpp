// The picture of a lesson in the 3D view.
#include "ui/theme/theme.hpp"
#include "ui/view3d/crop_tool.hpp"
#include "ui/view3d/motion_actors.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

namespace spira::ui {
namespace {

QColor colour_of(MotionPicture::Role role, const Palette& palette) {
  switch (role) {
    case MotionPicture::Role::point:
      return palette.text;
    case MotionPicture::Role::fault:
    case MotionPicture::Role::arrow:
      return palette.error;
    case MotionPicture::Role::copy:
      return palette.sparse;
    case MotionPicture::Role::curve:
      break;
  }
  return palette.accent;
}

}  // namespace

void SceneView::setMotion(std::shared_ptr<const MotionPicture> picture, const QString& caption) {
  const auto& mesh = actors_->mesh();
  overlay_->setHint(caption);
  motion_->set(mesh == nullptr ? nullptr : std::move(picture), mesh == nullptr ? Point{} : mesh->origin);
  const auto bounds = motion_->bounds();
  camera_->include(bounds ? bounds : crop_->bounds());
  if (bounds && motion_->picture()->framed) camera_->frame(*bounds);
  setMotionAt(0);
}

void SceneView::setMotionAt(double part) {
  motion_->setAt(part);
  const auto& picture = motion_->picture();
  if (picture) motion_->setStyle(colour_of(picture->role, theme_->palette()), canvas_->devicePixelRatioF());
  actors_->setShown(!picture || !picture->alone);
  actors_->setAbove(motion_->plane());
  if (picture && part > 0 && part < 1) startMoving(smooth_ms);
  redraw();
}

}  // namespace spira::ui

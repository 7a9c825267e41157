// Animations of lessons in SceneView.
#include "ui/theme/theme.hpp"
#include "ui/view3d/motion/motion_actors.hpp"
#include "ui/view3d/motion/motion_marks.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/tools/screen_pick.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <algorithm>

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

/// Adds a margin, so that thin upright objects do not touch the edge of the picture.
std::array<double, 6> with_edge(std::array<double, 6> bounds) {
  constexpr double more = 0.15;  // share of the extent, on each side
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double room = more * (bounds.at((2 * axis) + 1) - bounds.at(2 * axis));
    bounds.at(2 * axis) -= room;
    bounds.at((2 * axis) + 1) += room;
  }
  return bounds;
}

}  // namespace

void SceneView::setMotion(std::shared_ptr<const MotionPicture> picture, const QString& caption) {
  overlay_->setHint(caption);
  wanted_motion_ = std::move(picture);
  placeMotion(0);
}

/// Places the animation relative to the mesh. The animation waits until the mesh exists.
void SceneView::placeMotion(double part) {
  const auto& mesh = actors_->mesh();
  const bool marked = motionMarks();
  motion_->set(mesh == nullptr ? nullptr : wanted_motion_, mesh == nullptr ? Point{} : mesh->origin);
  const auto bounds = motion_->bounds();
  camera_->include(bounds ? bounds : crop_->bounds());
  if (bounds && motion_->picture()->framed) camera_->frame(with_edge(*bounds));
  setMotionAt(part);
  if (marked || motionMarks()) rehighlight();
}

/// If an animation consists of moments, only the overlay changes between two moments. If the animation has
/// nothing in the view, the scene is not redrawn.
void SceneView::setMotionAt(double part) {
  // Time of a frame; the window takes the same time again to compose its picture.
  constexpr double lesson_ms = 10;
  const auto& picture = motion_->picture();
  const int moment_before = motionMarks() ? picture->moment_at(motion_->part()) : -1;
  const bool moved_before = motion_->part() > 0 && motion_->part() < 1;
  const bool moves = part > 0 && part < 1;
  const bool seen = picture && (!picture->from.empty() || !picture->marks.empty());
  if (seen && moves) startMoving(lesson_ms);
  motion_->setFew(moves && actors_->few());
  motion_->setAt(part);
  if (picture) motion_->setStyle(colour_of(picture->role, theme_->palette()), canvas_->devicePixelRatioF());
  if (motionMarks()) {
    allowVoxels(!picture->alone || !moves);
    if (moves == moved_before && picture->moment_at(part) == moment_before)
      return overlay_->setMotion(motionShown());
    boxMotion();
  } else {
    allowVoxels(!picture || !picture->alone);
    actors_->setAbove(motion_->plane());
  }
  if (seen || !moves) redraw();
}

bool SceneView::motionMarks() const {
  return motion_->picture() && !motion_->picture()->moments.empty();
}

void SceneView::boxMotion() {
  const MotionPicture& picture = *motion_->picture();
  actors_->setHighlights(boxes_at(picture, picture.moment_at(motion_->part()), motion_->origin(), *theme_));
}

std::optional<MotionShown> SceneView::motionShown() const {
  if (actors_->mesh() == nullptr || !motion_->picture()) return std::nullopt;
  const MotionPicture& picture = *motion_->picture();
  const bool told = motionMarks();  // the lesson page explains permanent marks
  if (!told && picture.marks.empty()) return std::nullopt;
  const int moment = picture.moment_at(motion_->part());
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  const double cell = *std::min_element(picture.cell_m.begin(), picture.cell_m.end());
  MotionShown shown;
  for (const MotionMark& mark : picture.marks) {
    if (told && std::find(shown.kinds.begin(), shown.kinds.end(), mark.kind) == shown.kinds.end())
      shown.kinds.push_back(mark.kind);
    if (mark.first > moment || mark.last < moment) continue;
    const auto at = on_picture(from, this->picture(),
                               {mark.at[0] - motion_->origin()[0], mark.at[1] - motion_->origin()[1],
                                mark.at[2] - motion_->origin()[2]});
    if (at) shown.marks.push_back({mark.kind, {at->x, at->y}, cell * from.pixels_per_radian / at->depth});
  }
  shown.strips = strips_at(picture, motion_->part());
  if (moment >= 0) shown.note = picture.moments[static_cast<std::size_t>(moment)].note;
  return shown;
}

}  // namespace spira::ui

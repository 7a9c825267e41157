#include "ui/view3d/scene/scene_animation.hpp"

#include "ui/model/view_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/motion/motion_marks.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <algorithm>

namespace spira::ui {
namespace {

QColor colour_of(AnimationScene::Role role, const Palette& palette) {
  switch (role) {
    case AnimationScene::Role::point:
      return palette.text;
    case AnimationScene::Role::fault:
    case AnimationScene::Role::arrow:
      return palette.error;
    case AnimationScene::Role::copy:
      return palette.sparse;
    case AnimationScene::Role::curve:
      break;
  }
  return palette.accent;
}

/// Returns the bounds with a margin, so that thin upright objects do not touch the edge of the picture.
std::array<double, 6> with_edge(std::array<double, 6> bounds) {
  constexpr double more = 0.15;  // Margin on each side, as a fraction of the extent.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double room = more * (bounds.at((2 * axis) + 1) - bounds.at(2 * axis));
    bounds.at(2 * axis) -= room;
    bounds.at((2 * axis) + 1) += room;
  }
  return bounds;
}

/// Returns the marks of the current step, in positions on the canvas.
std::optional<MotionShown> marks_on(const SceneCanvas& canvas, const MotionActors& actors) {
  if (canvas.actors().mesh() == nullptr || !actors.picture()) return std::nullopt;
  const AnimationScene& picture = *actors.picture();
  // The lesson page explains the marks of animations without steps, so do not list their kinds here.
  const bool explained = !picture.moments.empty();
  if (!explained && picture.marks.empty()) return std::nullopt;
  const int moment = picture.moment_at(actors.part());
  const ViewPoint from = canvas.viewPoint();
  const double cell = *std::min_element(picture.cell_m.begin(), picture.cell_m.end());
  const Point& origin = actors.origin();
  MotionShown shown;
  for (const MotionMark& mark : picture.marks) {
    if (explained && std::find(shown.kinds.begin(), shown.kinds.end(), mark.kind) == shown.kinds.end())
      shown.kinds.push_back(mark.kind);
    if (mark.first > moment || mark.last < moment) continue;
    const auto at = on_picture(from, canvas.size(),
                               {mark.at[0] - origin[0], mark.at[1] - origin[1], mark.at[2] - origin[2]});
    if (at) shown.marks.push_back({mark.kind, {at->x, at->y}, cell * from.pixels_per_radian / at->depth});
  }
  shown.strips = strips_at(picture, actors.part());
  if (moment >= 0) shown.note = picture.moments[static_cast<std::size_t>(moment)].note;
  return shown;
}

}  // namespace

SceneAnimation::SceneAnimation(ViewParts* parts, Theme* theme, SceneCanvas* canvas, const CropTool* crop)
    : parts_(parts), theme_(theme), canvas_(canvas), crop_(crop), actors_(canvas->widget()->renderer()) {}

void SceneAnimation::set(std::shared_ptr<const AnimationScene> picture, const QString& caption) {
  canvas_->overlay().setHint(caption);
  wanted_ = std::move(picture);
  place(0);
}

void SceneAnimation::followMesh() {
  const bool placed = actors_.picture() == wanted_ && actors_.origin() == canvas_->actors().mesh()->origin;
  if (wanted_ && !placed) place(actors_.part());
}

/// Places the animation relative to the mesh. If there is no mesh yet, the animation waits for it.
void SceneAnimation::place(double part) {
  const auto& mesh = canvas_->actors().mesh();
  const bool had_moments = hasMoments();
  actors_.set(mesh == nullptr ? nullptr : wanted_, mesh == nullptr ? Point{} : mesh->origin);
  const auto bounds = actors_.bounds();
  canvas_->camera().include(bounds ? bounds : crop_->bounds());
  if (bounds && actors_.picture()->framed) canvas_->camera().frame(with_edge(*bounds));
  setAt(part);
  if (had_moments || hasMoments()) emit momentsChanged();
}

/// Sets the time of the animation. Within a step, only the overlay changes. If the animation draws nothing in
/// the scene itself, the scene is not redrawn.
void SceneAnimation::setAt(double part) {
  // Time budget of a frame in ms. The window needs about as long again to compose its picture.
  constexpr double lesson_ms = 10;
  const auto& picture = actors_.picture();
  const int moment_before = hasMoments() ? picture->moment_at(actors_.part()) : -1;
  const bool moved_before = actors_.part() > 0 && actors_.part() < 1;
  const bool moves = part > 0 && part < 1;
  const bool seen = picture && (!picture->from.empty() || !picture->marks.empty());
  if (seen && moves) canvas_->startMoving(lesson_ms);
  actors_.setFew(moves && canvas_->actors().few());
  actors_.setAt(part);
  if (picture)
    actors_.setStyle(colour_of(picture->role, theme_->palette()), canvas_->widget()->devicePixelRatioF());
  if (hasMoments()) {
    allowVoxels(!picture->alone || !moves);
    if (moves == moved_before && picture->moment_at(part) == moment_before) return prepareFrame();
    boxMoment();
  } else {
    allowVoxels(!picture || !picture->alone);
    canvas_->actors().setAbove(actors_.plane());
  }
  emit cellsMoved(cellsOf() ? std::optional(actors_.part()) : std::nullopt);
  if (seen || !moves) canvas_->redraw();
}

void SceneAnimation::followParts() {
  allowVoxels(voxels_allowed_);
}

void SceneAnimation::allowVoxels(bool allowed) {
  voxels_allowed_ = allowed;
  canvas_->overlay().setLegendShown(allowed);
  canvas_->actors().setShown(allowed && parts_->shows(ViewPart::voxels));
}

bool SceneAnimation::hasMoments() const {
  return actors_.picture() && !actors_.picture()->moments.empty();
}

bool SceneAnimation::replacesVoxels() const {
  return actors_.picture() && actors_.picture()->alone && !hasMoments();
}

std::optional<ChosenVoxel> SceneAnimation::cellsOf() const {
  return actors_.picture() ? actors_.picture()->cells_of : std::nullopt;
}

void SceneAnimation::boxMoment() {
  const AnimationScene& picture = *actors_.picture();
  canvas_->actors().setHighlights(
      boxes_at(picture, picture.moment_at(actors_.part()), actors_.origin(), *theme_));
}

void SceneAnimation::prepareFrame() {
  canvas_->overlay().setMotion(marks_on(*canvas_, actors_));
}

}  // namespace spira::ui

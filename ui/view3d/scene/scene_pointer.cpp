#include "ui/view3d/scene/scene_pointer.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/scene/scene_colouring.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

// A click that misses a voxel by less than this distance does not change the selection.
constexpr double near_miss_px = 10.0;

}  // namespace

ScenePointer::ScenePointer(Workspace* workspace, Selection* selection, ViewParts* parts, SceneCanvas* canvas,
                           SceneTools* tools, const SceneColouring* colouring)
    : workspace_(workspace),
      selection_(selection),
      parts_(parts),
      canvas_(canvas),
      tools_(tools),
      colouring_(colouring) {
  canvas_->widget()->installEventFilter(this);
}

QPoint ScenePointer::positionOf(const Voxel& voxel) const {
  const auto at =
      on_picture(canvas_->viewPoint(), canvas_->size(), canvas_->placeOf(voxel, selection_->stride()));
  return at ? QPoint(static_cast<int>(at->x), static_cast<int>(at->y)) : QPoint(-1, -1);
}

/// Returns the voxel that the ray hits, if this voxel is large enough on the screen to aim at. Otherwise,
/// returns the voxel nearest to the eye among all voxels within a few pixels.
ScenePointer::Aimed ScenePointer::aimedAt(const QPointF& position) const {
  constexpr double aim_px = 5.0, tolerance_px = 2.5;
  const VoxelMesh* mesh = canvas_->meshOfScene();
  if (mesh == nullptr || mesh->voxels == 0 || !parts_->shows(ViewPart::voxels)) return {};
  const auto& scene = workspace_->scene().voxels();
  Ray ray = canvas_->camera().ray(canvas_->pixelAt(position));
  for (std::size_t axis = 0; axis < 3; ++axis)
    ray.from[axis] += mesh->origin[axis];
  const CoordSet& level = scene->level(mesh->stride);
  const ViewPoint from = canvas_->viewPoint();
  const auto exact = pick_voxel(*scene, mesh->stride, ray, mesh->hidden);
  if (exact) {
    const Voxel voxel = voxel_at(level, *exact);
    const auto at = on_picture(from, canvas_->size(), canvas_->placeOf(voxel, mesh->stride));
    const auto cell = static_cast<double>(*std::min_element(mesh->cell.begin(), mesh->cell.end()));
    if (at && cell * from.pixels_per_radian >= aim_px * at->depth) return {voxel, 0.0};
  }
  const ScreenPick near =
      pick_near(*mesh, from, canvas_->size(), {position.x(), position.y()}, tolerance_px, near_miss_px);
  if (near.row < 0 && exact) return {voxel_at(level, *exact), 0.0};
  return {near.row < 0 ? std::nullopt : std::optional(voxel_at(level, near.row)), near.distance_px};
}

void ScenePointer::pickAt(const QPointF& position) {
  const Aimed aimed = aimedAt(position);
  const int stride = aimed.voxel ? canvas_->actors().mesh()->stride : 1;
  if (MeasureTool& measure = *tools_->measure(); measure.on()) {
    if (aimed.voxel) measure.take(workspace_->scene().voxels()->centre_m(*aimed.voxel, stride));
    return;
  }
  if (aimed.voxel) return selection_->setVoxel(ChosenVoxel{*aimed.voxel, stride});
  if (aimed.distance_px > near_miss_px) selection_->setVoxel(std::nullopt);
}

void ScenePointer::chooseInMiddle() {
  constexpr double first_px = 4;
  const VoxelMesh* mesh = canvas_->meshOfScene();
  if (mesh == nullptr || !parts_->shows(ViewPart::voxels)) return;
  const ViewPoint from = canvas_->viewPoint();
  const Picture all = canvas_->size();
  for (double around = first_px; around < 2 * (all.width + all.height); around *= 4) {
    const ScreenPick near = pick_near(*mesh, from, all, {all.width / 2, all.height / 2}, around, around);
    if (near.row < 0) continue;
    const Voxel voxel = voxel_at(workspace_->scene().voxels()->level(mesh->stride), near.row);
    return selection_->setVoxel(ChosenVoxel{voxel, mesh->stride});
  }
}

void ScenePointer::hoverAt(const QPointF& position) {
  const auto voxel = aimedAt(position).voxel;
  Hover over;
  if (voxel) over.voxel = ChosenVoxel{*voxel, canvas_->actors().mesh()->stride};
  selection_->setHover(over);
  if (!voxel) {
    emit hovered({});
    return;
  }
  const auto& scene = *workspace_->scene().voxels();
  const Point centre = scene.centre_m(*voxel, canvas_->actors().mesh()->stride);
  emit hovered(tr("voxel %1, %2, %3   %4   word %5")
                   .arg((*voxel)[0])
                   .arg((*voxel)[1])
                   .arg((*voxel)[2])
                   .arg(withUnit(tr("%1, %2, %3")
                                     .arg(onScreen(centre[0], 'f', 2), onScreen(centre[1], 'f', 2),
                                          onScreen(centre[2], 'f', 2)),
                                 scene.cloud->unit()))
                   .arg(scene.pack.pack(*voxel), 0, 16) +
               colouring_->valueText(*voxel));
}

bool ScenePointer::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) {
    selection_->setHover({});
    emit hovered({});
  }
  return mouse(event) || QObject::eventFilter(watched, event);
}

bool ScenePointer::mouse(QEvent* event) {
  if (tools_->mouse(event)) return true;
  if (event->type() == QEvent::Wheel) {
    auto* wheel = static_cast<QWheelEvent*>(event);
    canvas_->camera().zoom(std::pow(1.0015, wheel->angleDelta().y()), canvas_->pixelAt(wheel->position()));
    moved();
    return true;
  }
  if (event->type() != QEvent::MouseButtonPress && event->type() != QEvent::MouseMove &&
      event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonDblClick) {
    return false;
  }
  auto* at = static_cast<QMouseEvent*>(event);
  if (event->type() == QEvent::MouseButtonPress) {
    pressed_ = last_ = at->position();
    dragging_ = false;
  } else if (event->type() == QEvent::MouseButtonDblClick) {
    if (const auto voxel = aimedAt(at->position()).voxel) {
      canvas_->camera().focus(canvas_->placeOf(*voxel, canvas_->actors().mesh()->stride));
      canvas_->redraw();
    }
  } else if (event->type() == QEvent::MouseMove) {
    at->buttons() == Qt::NoButton ? hoverAt(at->position()) : drag(*at);
  } else if (at->button() == Qt::LeftButton && !dragging_) {
    pickAt(at->position());
  }
  return true;
}

void ScenePointer::drag(const QMouseEvent& event) {
  constexpr double click_slack = 4.0;  // A movement of at most this many pixels still counts as a click.
  const QPointF total = event.position() - pressed_, step = event.position() - last_;
  dragging_ = dragging_ || std::hypot(total.x(), total.y()) > click_slack;
  last_ = event.position();
  if (!dragging_) return;
  const double ratio = canvas_->widget()->devicePixelRatioF();
  const bool pan = (event.buttons() & (Qt::MiddleButton | Qt::RightButton)) != 0 ||
                   (event.modifiers() & Qt::ShiftModifier) != 0;
  if (pan) {
    canvas_->camera().pan(step.x() * ratio, -step.y() * ratio);
  } else {
    canvas_->camera().orbit(step.x(), -step.y());
  }
  moved();
}

void ScenePointer::moved() {
  canvas_->startMoving(SceneCanvas::smooth_ms);
  canvas_->redraw();
}

}  // namespace spira::ui

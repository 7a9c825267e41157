// Mouse input of SceneView, and positions in its picture.
#include "engine/backend/host_read.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/hidden_notice.hpp"
#include "ui/view3d/highlight_chips.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double near_miss_px = 10.0;  // a click this close to a voxel does not change the selection

}  // namespace

QPointF SceneView::pixelAt(const QPointF& position) const {
  const double ratio = canvas_->devicePixelRatioF();
  return {position.x() * ratio, (canvas_->height() - position.y()) * ratio};
}

std::array<double, 3> SceneView::placeOf(const Voxel& voxel, int stride) const {
  const Point centre = workspace_->voxels()->centre_m(voxel, stride);
  const Point& origin = actors_->mesh()->origin;
  return {centre[0] - origin[0], centre[1] - origin[1], centre[2] - origin[2]};
}

Picture SceneView::picture() const {
  return {static_cast<double>(canvas_->width()), static_cast<double>(canvas_->height())};
}

QPoint SceneView::positionOf(const Voxel& voxel) const {
  const auto at = on_picture(camera_->viewPoint(canvas_->devicePixelRatioF()), picture(),
                             placeOf(voxel, selection_->stride()));
  return at ? QPoint(static_cast<int>(at->x), static_cast<int>(at->y)) : QPoint(-1, -1);
}

std::optional<VoxelMarker> SceneView::marker() const {
  if (!marked_ || actors_->mesh() == nullptr || motionMarks() || !highlights_shown_) return std::nullopt;
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  const auto at = on_picture(from, picture(), marked_->at);
  if (!at) return std::nullopt;
  const auto& cell = actors_->mesh()->cell;
  VoxelMarker marker;
  marker.at = {at->x, at->y};
  if (const auto& chosen = selection_->voxel()) marker.edges = edgesOf(*chosen);
  marker.cell =
      static_cast<double>(*std::min_element(cell.begin(), cell.end())) * from.pixels_per_radian / at->depth;
  if (marked_->arrow_to) {
    if (const auto to = on_picture(from, picture(), *marked_->arrow_to))
      marker.arrow_to = QPointF(to->x, to->y);
  }
  const auto place = [&](const auto& neighbours, std::vector<QPointF>& places) {
    for (const auto& neighbour : neighbours) {
      const auto there = on_picture(from, picture(), neighbour);
      if (!there) continue;
      places.emplace_back(there->x, there->y);
      marker.reach = std::max(marker.reach, std::hypot(there->x - at->x, there->y - at->y));
    }
  };
  place(marked_->hits, marker.hits);
  place(marked_->misses, marker.misses);
  return marker;
}

const VoxelMesh* SceneView::meshOfScene() const {
  const auto& mesh = actors_->mesh();
  return mesh != nullptr && shown_ != nullptr && shown_ == workspace_->voxels() ? mesh.get() : nullptr;
}

/// Returns the voxel that the ray hits if it is large enough to aim at. Otherwise returns the voxel nearest
/// to the eye among those within some pixels.
SceneView::Aimed SceneView::aimedAt(const QPointF& position) const {
  constexpr double aim_px = 5.0, tolerance_px = 2.5;
  const VoxelMesh* mesh = meshOfScene();
  if (mesh == nullptr || mesh->voxels == 0 || !parts_->shows(ViewPart::voxels)) return {};
  const auto& scene = workspace_->voxels();
  Ray ray = camera_->ray(pixelAt(position));
  for (std::size_t axis = 0; axis < 3; ++axis)
    ray.from[axis] += mesh->origin[axis];
  const CoordSet& level = scene->level(mesh->stride);
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  const auto exact = pick_voxel(*scene, mesh->stride, ray, mesh->hidden);
  if (exact) {
    const Voxel voxel = voxel_at(level, *exact);
    const auto at = on_picture(from, picture(), placeOf(voxel, mesh->stride));
    const auto cell = static_cast<double>(*std::min_element(mesh->cell.begin(), mesh->cell.end()));
    if (at && cell * from.pixels_per_radian >= aim_px * at->depth) return {voxel, 0.0};
  }
  const ScreenPick near =
      pick_near(*mesh, from, picture(), {position.x(), position.y()}, tolerance_px, near_miss_px);
  if (near.row < 0 && exact) return {voxel_at(level, *exact), 0.0};
  return {near.row < 0 ? std::nullopt : std::optional(voxel_at(level, near.row)), near.distance_px};
}

QVector<QLineF> SceneView::hoveredEdges() const {
  const auto& over = selection_->hover().voxel;
  return over && over != selection_->voxel() ? edgesOf(*over) : QVector<QLineF>();
}

/// Returns no edges if a corner is behind the eye.
QVector<QLineF> SceneView::edgesOf(const ChosenVoxel& voxel) const {
  if (meshOfScene() == nullptr) return {};
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  const std::array<double, 3> centre = placeOf(voxel.voxel, voxel.stride);
  std::array<QPointF, 8> corners;
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    std::array<double, 3> place = centre;
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] += (((corner >> axis) & 1U) != 0 ? 0.5 : -0.5) * workspace_->voxels()->grid.voxel_m[axis] *
                     voxel.stride;
    const auto at = on_picture(from, picture(), place);
    if (!at) return {};
    corners[corner] = {at->x, at->y};
  }
  QVector<QLineF> edges;
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (((corner >> axis) & 1U) == 0) edges.append({corners[corner], corners[corner | (1U << axis)]});
    }
  }
  return edges;
}

/// Returns the line from the first voxel to the second, or to the voxel under the pointer until the second is
/// chosen.
std::optional<MeasuredLine> SceneView::measured() const {
  const auto& ends = measure_->ends();
  const auto& over = selection_->hover().voxel;
  const VoxelMesh* mesh = meshOfScene();
  if (mesh == nullptr || ends.empty()) return std::nullopt;
  const auto& scene = *workspace_->voxels();
  const Point& from = ends.front();
  const Point to = ends.size() == 2 ? ends.back() : over ? scene.centre_m(over->voxel, over->stride) : from;
  const ViewPoint eye = camera_->viewPoint(canvas_->devicePixelRatioF());
  const auto place = [&](const Point& of) {
    return on_picture(eye, picture(),
                      {of[0] - mesh->origin[0], of[1] - mesh->origin[1], of[2] - mesh->origin[2]});
  };
  const auto a = place(from), b = place(to);
  if (!a || !b) return std::nullopt;
  const bool both = ends.size() == 2 || over;
  return MeasuredLine{
      {a->x, a->y}, {b->x, b->y}, both ? distance_text(from, to, scene.grid.voxel_m) : QString()};
}

void SceneView::showMeasured() {
  overlay_->setMeasured(measured());
}

void SceneView::pickAt(const QPointF& position) {
  const Aimed aimed = aimedAt(position);
  if (measure_->on()) {
    if (aimed.voxel) measure_->take(workspace_->voxels()->centre_m(*aimed.voxel, actors_->mesh()->stride));
    return;
  }
  if (aimed.voxel) return selection_->setVoxel(ChosenVoxel{*aimed.voxel, actors_->mesh()->stride});
  if (aimed.distance_px > near_miss_px) selection_->setVoxel(std::nullopt);  // a near miss changes nothing
}

void SceneView::chooseInMiddle() {
  constexpr double first_px = 4;
  const VoxelMesh* mesh = meshOfScene();
  if (mesh == nullptr || !parts_->shows(ViewPart::voxels)) return;
  const ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  const Picture all = picture();
  for (double around = first_px; around < 2 * (all.width + all.height); around *= 4) {
    const ScreenPick near = pick_near(*mesh, from, all, {all.width / 2, all.height / 2}, around, around);
    if (near.row < 0) continue;
    const Voxel voxel = voxel_at(workspace_->voxels()->level(mesh->stride), near.row);
    return selection_->setVoxel(ChosenVoxel{voxel, mesh->stride});
  }
}

void SceneView::hoverAt(const QPointF& position) {
  const auto voxel = aimedAt(position).voxel;
  Hover over;
  if (voxel) over.voxel = ChosenVoxel{*voxel, actors_->mesh()->stride};
  selection_->setHover(over);
  if (!voxel) {
    emit hovered({});
    return;
  }
  const auto& scene = *workspace_->voxels();
  const Point centre = scene.centre_m(*voxel, actors_->mesh()->stride);
  emit hovered(tr("voxel %1, %2, %3   %4, %5, %6 m   key %7")
                   .arg((*voxel)[0])
                   .arg((*voxel)[1])
                   .arg((*voxel)[2])
                   .arg(onScreen(centre[0], 'f', 2))
                   .arg(onScreen(centre[1], 'f', 2))
                   .arg(onScreen(centre[2], 'f', 2))
                   .arg(scene.pack.pack(*voxel), 0, 16) +
               valueText(*voxel));
}

QString SceneView::valueText(const Voxel& voxel) const {
  const auto& mesh = actors_->mesh();
  if (!colouring_ || colouring_->key.scene != workspace_->voxels() || colouring_->key.stride != mesh->stride)
    return {};
  const auto row = row_of_voxel(colouring_->key.scene->level(mesh->stride), voxel);
  const VoxelValues& values = colouring_->values;
  const auto at = static_cast<std::size_t>(row.value_or(0));
  if (row && !values.classes.empty()) return QStringLiteral("   ") + values.classes[values.label[at]].text;
  if (!row || at >= values.amount.size()) return {};
  const double amount = values.amount[at];
  return QStringLiteral("   %1: %2")
      .arg(titleHere(values.title), std::isnan(amount) ? tr("none") : onScreen(amount, 'g', 4));
}

bool SceneView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != canvas_) return QWidget::eventFilter(watched, event);
  if (event->type() == QEvent::Resize) {
    overlay_->setGeometry(canvas_->rect());
    chips_->place();
    notice_->place();
    QMetaObject::invokeMethod(this, &SceneView::followSize,
                              Qt::QueuedConnection);  // after the renderer was resized
  } else if (event->type() == QEvent::Leave) {
    selection_->setHover({});
    emit hovered({});
  }
  return mouse(event) || QWidget::eventFilter(watched, event);
}

bool SceneView::mouse(QEvent* event) {
  constexpr double click_slack = 4.0;  // movement in pixels that still counts as a click
  if (crop_->mouse(event) || lasso_->mouse(event)) return true;
  if (event->type() == QEvent::Wheel) {
    auto* wheel = static_cast<QWheelEvent*>(event);
    camera_->zoom(std::pow(1.0015, wheel->angleDelta().y()), pixelAt(wheel->position()));
    startMoving(smooth_ms);
    redraw();
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
      camera_->focus(placeOf(*voxel, actors_->mesh()->stride));
      redraw();
    }
  } else if (event->type() == QEvent::MouseMove && at->buttons() == Qt::NoButton) {
    hoverAt(at->position());
  } else if (event->type() == QEvent::MouseMove) {
    const QPointF total = at->position() - pressed_, step = at->position() - last_;
    dragging_ = dragging_ || std::hypot(total.x(), total.y()) > click_slack;
    last_ = at->position();
    if (!dragging_) return true;
    const double ratio = canvas_->devicePixelRatioF();
    const bool pan = (at->buttons() & (Qt::MiddleButton | Qt::RightButton)) != 0 ||
                     (at->modifiers() & Qt::ShiftModifier) != 0;
    if (pan) {
      camera_->pan(step.x() * ratio, -step.y() * ratio);
    } else {
      camera_->orbit(step.x(), -step.y());
    }
    startMoving(smooth_ms);
    redraw();
  } else if (event->type() == QEvent::MouseButtonRelease && at->button() == Qt::LeftButton && !dragging_) {
    pickAt(at->position());
  }
  return true;
}

}  // namespace spira::ui

#include "ui/view3d/scene/scene_canvas.hpp"

#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <vtkRenderer.h>

#include <algorithm>
#include <utility>

namespace spira::ui {

SceneCanvas::SceneCanvas(Workspace* workspace, Theme* theme)
    : workspace_(workspace),
      theme_(theme),
      widget_(new VtkWidget),
      overlay_(new ViewOverlay(theme, widget_)),
      actors_(std::make_unique<VoxelActors>(widget_->renderer())),
      camera_(std::make_unique<ViewCamera>(widget_->renderer())) {
  widget_->setObjectName("canvas");
  widget_->setAccessibleName(tr("3D view of the voxels"));
  widget_->setMinimumSize(240, 84);
  still_.setSingleShot(true);
  later_.setSingleShot(true);
  later_.setInterval(40);
  connect(&still_, &QTimer::timeout, this, [this] {
    actors_->setMoving(false);
    redraw();
  });
  connect(&later_, &QTimer::timeout, this, &SceneCanvas::redraw);
}

SceneCanvas::~SceneCanvas() = default;

const VoxelMesh* SceneCanvas::meshOfScene() const {
  const auto& mesh = actors_->mesh();
  return mesh != nullptr && shown_ != nullptr && shown_ == workspace_->scene().voxels() ? mesh.get()
                                                                                        : nullptr;
}

Picture SceneCanvas::size() const {
  return {static_cast<double>(widget_->width()), static_cast<double>(widget_->height())};
}

ViewPoint SceneCanvas::viewPoint() const {
  return camera_->viewPoint(widget_->devicePixelRatioF());
}

std::array<double, 3> SceneCanvas::placeOf(const Voxel& voxel, int stride) const {
  const Point centre = workspace_->scene().voxels()->centre_m(voxel, stride);
  const Point& origin = actors_->mesh()->origin;
  return {centre[0] - origin[0], centre[1] - origin[1], centre[2] - origin[2]};
}

QPointF SceneCanvas::pixelAt(const QPointF& position) const {
  const double ratio = widget_->devicePixelRatioF();
  return {position.x() * ratio, (widget_->height() - position.y()) * ratio};
}

void SceneCanvas::startMoving(double budget_ms) {
  constexpr int rest_ms = 220, longest_ms = 1000;
  constexpr double times_as_many = 4;
  const double last_ms = widget_->frameMs();
  const int frame_ms = actors_->moving() ? static_cast<int>(last_ms) : 0;
  if (!actors_->moving()) {
    still_ms_ = last_ms;
  } else if (!actors_->few()) {
    all_moving_ms_ = last_ms;
  } else if (times_as_many * last_ms < budget_ms) {
    all_moving_ms_ = 0;
  }
  actors_->setFew(all_moving_ms_ > budget_ms);
  actors_->setMoving(true);
  // Add the time of a frame, so that a slow frame does not count as time without movement.
  still_.start(std::min(longest_ms, rest_ms + (2 * frame_ms)));
}

double SceneCanvas::stillMs() const {
  return actors_->moving() ? still_ms_ : widget_->frameMs();
}

void SceneCanvas::redraw() {
  later_.stop();
  if (held_) return;
  emit drawing();
  if (std::exchange(announce_, false))
    QMetaObject::invokeMethod(this, &SceneCanvas::pictureReady, Qt::QueuedConnection);
  widget_->redraw();
  emit drawn();
}

void SceneCanvas::redrawLater() {
  later_.start();
}

void SceneCanvas::setHeld(bool held) {
  if (held == held_) return;
  held_ = held;
  overlay_->setBadge(held ? tr("paused during the measurement") : QString());
  widget_->setHeld(held);
  if (!held) followSize();
}

void SceneCanvas::followSize() {
  camera_->frameAgain();
  redraw();
}

void SceneCanvas::retheme() {
  const Palette& p = theme_->palette();
  widget_->renderer()->SetBackground(p.view_bottom.redF(), p.view_bottom.greenF(), p.view_bottom.blueF());
  widget_->renderer()->SetBackground2(p.view_top.redF(), p.view_top.greenF(), p.view_top.blueF());
}

bool SceneCanvas::settled() const {
  return !actors_->moving() && !later_.isActive() && actors_->mesh() != nullptr;
}

}  // namespace spira::ui

#include "ui/view3d/scene/scene_camera.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace spira::ui {
namespace {

/// Bounds that grow to include given positions. with_room() adds a margin, so that a few voxels do not fill
/// the whole view.
class Around {
 public:
  void add(const std::array<double, 3>& place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bounds_[2 * axis] = std::min(bounds_[2 * axis], place[axis]);
      bounds_[(2 * axis) + 1] = std::max(bounds_[(2 * axis) + 1], place[axis]);
    }
  }
  [[nodiscard]] std::array<double, 6> with_room(double metres) const {
    std::array<double, 6> result = bounds_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result[2 * axis] -= metres;
      result[(2 * axis) + 1] += metres;
    }
    return result;
  }

 private:
  static constexpr double most = std::numeric_limits<double>::max();
  std::array<double, 6> bounds_{most, -most, most, -most, most, -most};
};

std::array<double, 3> shifted(std::array<double, 3> place, const Point& by, double sign) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[axis] += sign * by[axis];
  return place;
}

}  // namespace

SceneCamera::SceneCamera(Workspace* workspace, Selection* selection, Theme* theme, SceneCanvas* canvas)
    : workspace_(workspace),
      selection_(selection),
      theme_(theme),
      canvas_(canvas),
      grid_(canvas->widget()->renderer()) {
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, &SceneCamera::followFrames);
  connect(canvas_, &SceneCanvas::drawn, this, &SceneCamera::reportPose);
}

void SceneCamera::followFrames() {
  const bool same = workspace_->scene().frames() == framed_frames_;
  if (!same) emit sequenceChanged();
  keep_camera_ = framed_cloud_ && workspace_->scene().frames().size() > 1 && same;
  framed_frames_ = workspace_->scene().frames();
}

void SceneCamera::frameAll() {
  canvas_->camera().frame(bounds_of(canvas_->actors().mesh().get(), 0.0));
  canvas_->redraw();
}

/// Returns the space around the selection, in voxels. A native row gets only the space of its inputs, so that
/// their shapes are large.
double SceneCamera::cellsOfRoom() const {
  constexpr double usual = 6;
  const ShownMap shown = shown_map(*workspace_, *selection_);
  if (!selection_->voxel() || !shown.map || !shown.map->many()) return usual;
  const KernelShape& kernel = shown.map->offsets->kernel();
  const double of_input = kernel.neighbourhood.window(kernel.size[0]) + 1.0;
  return std::min(usual, of_input * shown.stride_in / shown.stride_out);
}

void SceneCamera::frameChosen() {
  const auto& chosen = selection_->voxel();
  const auto& rows = selection_->rows();
  const auto& mesh = canvas_->actors().mesh();
  if (mesh == nullptr || (!chosen && !rows)) return frameAll();
  Around around;
  if (chosen) {
    around.add(canvas_->placeOf(chosen->voxel, chosen->stride));
  } else {
    const CoordSet& level = rows->scene->level(rows->stride);
    // Use only every `step`-th voxel, at most 100,000 voxels. This takes a few milliseconds.
    const std::size_t step = (rows->rows.size() / 100'000) + 1;
    for (std::size_t at = 0; at < rows->rows.size(); at += step)
      around.add(canvas_->placeOf(voxel_at(level, rows->rows[at]), rows->stride));
  }
  const auto cell = static_cast<double>(*std::max_element(mesh->cell.begin(), mesh->cell.end()));
  canvas_->camera().frame(around.with_room(cellsOfRoom() * cell));
  canvas_->redraw();
}

namespace {

/// The views show all voxels, except voxels far beyond this quantile of the coordinates.
constexpr double strays_of_views = 0.005;

}  // namespace

void SceneCamera::reset() {
  const auto& mesh = canvas_->actors().mesh();
  const std::span<const float> centres =
      mesh ? std::span<const float>(mesh->centres) : std::span<const float>();
  canvas_->camera().reset(bounds_of(mesh.get(), strays_of_views), centres);
  canvas_->redraw();
}

double SceneCamera::framedDiagonal() const {
  const auto box = bounds_of(canvas_->actors().mesh().get(), strays_of_views);
  return std::hypot(box[1] - box[0], box[3] - box[2], box[5] - box[4]);
}

void SceneCamera::look(double x, double y, double z) {
  canvas_->camera().look(bounds_of(canvas_->actors().mesh().get(), strays_of_views), {x, y, z},
                         std::abs(z) > 0.9 ? std::array<double, 3>{0, 1, 0} : std::array<double, 3>{0, 0, 1});
  canvas_->redraw();
}

void SceneCamera::setOrthographic(bool orthographic) {
  canvas_->camera().setOrthographic(orthographic);
  canvas_->redraw();
}

bool SceneCamera::orthographic() const {
  return canvas_->camera().orthographic();
}

void SceneCamera::setUp(UpAxis up) {
  canvas_->camera().setUp(up);
  placeGrid();
  emit upChanged();
  reset();
}

std::optional<CameraPose> SceneCamera::pose() const {
  const auto& mesh = canvas_->actors().mesh();
  if (mesh == nullptr) return std::nullopt;
  const ViewCamera::Pose pose = canvas_->camera().pose();
  return CameraPose{shifted(pose.position, mesh->origin, 1), shifted(pose.focal, mesh->origin, 1), pose.up};
}

void SceneCamera::setPose(const CameraPose& pose, bool of_next_scene) {
  const auto& mesh = canvas_->actors().mesh();
  if (of_next_scene || mesh == nullptr) {
    next_pose_ = pose;
    return;
  }
  canvas_->camera().setPose(
      {shifted(pose.position_m, mesh->origin, -1), shifted(pose.focal_m, mesh->origin, -1), pose.up});
  canvas_->redraw();
}

void SceneCamera::showGrid(bool shown) {
  grid_.show(shown);
  placeGrid();
}

/// Builds the grid only if it is visible, because it requires the bounds of all voxels.
void SceneCamera::placeGrid() {
  if (!grid_.shown()) return canvas_->overlay().setGridSpacing(0);
  grid_.set(canvas_->actors().mesh().get(), canvas_->camera().up());
  const auto mixed = [](const QColor& a, const QColor& b) {
    return QColor::fromRgbF((0.45F * a.redF()) + (0.55F * b.redF()),
                            (0.45F * a.greenF()) + (0.55F * b.greenF()),
                            (0.45F * a.blueF()) + (0.55F * b.blueF()));
  };
  grid_.setColour(mixed(theme_->palette().faint_text, theme_->palette().view_bottom));
  canvas_->overlay().setGridSpacing(grid_.spacing());
}

bool SceneCamera::staysFor(const std::shared_ptr<const PointCloud>& cloud) const {
  return framed_cloud_ == cloud || keep_camera_;
}

std::optional<CameraPose> SceneCamera::poseToKeep(const Point& origin) const {
  const auto& mesh = canvas_->actors().mesh();
  return mesh && mesh->origin != origin ? pose() : std::nullopt;
}

void SceneCamera::frameNewScene() {
  const auto& scene = workspace_->scene().voxels();
  if (!scene || framed_cloud_ == scene->cloud) return;
  if (!keep_camera_) reset();
  framed_cloud_ = scene->cloud;
  if (next_pose_) setPose(*std::exchange(next_pose_, std::nullopt), false);
}

void SceneCamera::reportPose() {
  const auto now = pose();
  if (now == reported_pose_) return;
  reported_pose_ = now;
  emit poseChanged();
}

}  // namespace spira::ui

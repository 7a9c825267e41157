// Camera pose of SceneView in metres in scene coordinates, for session files.
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

namespace spira::ui {
namespace {

std::array<double, 3> shifted(std::array<double, 3> place, const Point& by, double sign) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[axis] += sign * by[axis];
  return place;
}

}  // namespace

std::optional<CameraPose> SceneView::pose() const {
  const auto& mesh = actors_->mesh();
  if (mesh == nullptr) return std::nullopt;
  const ViewCamera::Pose pose = camera_->pose();
  return CameraPose{shifted(pose.position, mesh->origin, 1), shifted(pose.focal, mesh->origin, 1), pose.up};
}

bool SceneView::orthographic() const {
  return camera_->orthographic();
}

void SceneView::setPose(const CameraPose& pose, bool of_next_scene) {
  const auto& mesh = actors_->mesh();
  if (of_next_scene || mesh == nullptr) {
    next_pose_ = pose;
    return;
  }
  camera_->setPose(
      {shifted(pose.position_m, mesh->origin, -1), shifted(pose.focal_m, mesh->origin, -1), pose.up});
  redraw();
}

}  // namespace spira::ui

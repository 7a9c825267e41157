#include "ui/view3d/scene/scene_levels.hpp"

#include "engine/run/voxel_scene.hpp"
#include "ui/model/workspace.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the style of the voxels at the current distance. Cubes that are small on the screen have no edges,
/// because the edges would cover them.
VoxelStyle style_from_here(VoxelStyle wanted, const VoxelMesh& mesh, double metres_per_pixel) {
  constexpr double min_px = 3.0;
  const auto cell = static_cast<double>(*std::max_element(mesh.cell.begin(), mesh.cell.end()));
  const bool small = cell < min_px * metres_per_pixel;
  return wanted == VoxelStyle::outlined && small ? VoxelStyle::cubes : wanted;
}

}  // namespace

SceneLevels::SceneLevels(Tasks& tasks, Workspace* workspace, Selection* selection, SceneCanvas* canvas,
                         SceneCamera* camera)
    : workspace_(workspace),
      selection_(selection),
      canvas_(canvas),
      camera_(camera),
      worker_(new MeshWorker(tasks, this)) {
  connect(worker_, &MeshWorker::failed, this, &SceneLevels::failed);
  connect(worker_, &MeshWorker::ready, this, &SceneLevels::takeMesh);
  connect(worker_, &MeshWorker::detailReady, this, [this](std::shared_ptr<const ViewDetail> detail) {
    too_many_from_ = detail->from;
    canvas_->actors().setDetail(std::move(detail));
    if (canvas_->actors().detail() != nullptr) too_many_from_.reset();
    canvas_->redraw();
  });
  connect(selection_, &Selection::strideChanged, this, &SceneLevels::rebuild);
  connect(&selection_->look(), &SceneLook::hiddenLabelsChanged, this, &SceneLevels::rebuildAll);
  connect(&selection_->look(), &SceneLook::pointPercentChanged, this, [this] {
    constexpr double whole = 100;
    canvas_->actors().setPointScale(selection_->look().pointPercent() / whole);
    canvas_->redraw();
  });
  connect(&selection_->look(), &SceneLook::slabChanged, this, &SceneLevels::rebuildAll);
}

void SceneLevels::rebuildAll() {
  meshes_.clear();
  rebuild();
}

void SceneLevels::rebuild() {
  const auto& scene = workspace_->scene().voxels();
  if (scene != meshes_of_) meshes_.clear();
  meshes_of_ = scene;
  arriving_.reset();
  if (!scene) {
    worker_->cancel();
    canvas_->actors().setMesh(nullptr);
    canvas_->setShownScene(nullptr);
    emit emptied();
    return canvas_->redraw();
  }
  const int stride = selection_->stride();
  if (!has_level(*scene, stride)) return selection_->setStride(1);
  wanted_detail_.reset();
  const auto known = meshes_.find(stride);
  if (known != meshes_.end() && known->second->has_faces()) {
    worker_->cancel();
    return takeMesh(known->second, nullptr);
  }
  // If the camera will stay in place, build the detail together with the mesh and show both in one frame.
  std::optional<ViewPoint> from;
  if (camera_->staysFor(scene->cloud)) from = detailPoint();
  worker_->start(scene, stride, selection_->look().hiding(), known == meshes_.end() ? nullptr : known->second,
                 from);
}

/// Stores the new mesh until its colours are computed and both can be shown together.
void SceneLevels::takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail) {
  arriving_ = Arriving{std::move(mesh), std::move(detail)};
  emit built();
}

bool SceneLevels::busy() const {
  return worker_->busy();
}

std::shared_ptr<const VoxelMesh> SceneLevels::meshToColour() const {
  const auto& scene = workspace_->scene().voxels();
  const auto& mesh = arriving_ ? arriving_->mesh : canvas_->actors().mesh();
  if (!scene || mesh == nullptr || (!arriving_ && canvas_->shownScene() != scene)) return nullptr;
  // Return nothing while the mesh of the selected stride is being built.
  if (mesh->stride != selection_->stride() && worker_->busy()) return nullptr;
  return mesh;
}

std::shared_ptr<const VoxelMesh> SceneLevels::waiting() const {
  return arriving_ ? arriving_->mesh : nullptr;
}

void SceneLevels::showArrived() {
  auto [mesh, detail] = *std::exchange(arriving_, std::nullopt);
  VoxelActors& actors = canvas_->actors();
  meshes_[mesh->stride] = mesh;
  actors.setPixelRatio(canvas_->widget()->devicePixelRatioF());
  emit arriving(mesh->origin);
  const auto kept = camera_->poseToKeep(mesh->origin);
  actors.setMesh(std::move(mesh));
  if (kept) camera_->setPose(*kept, false);
  canvas_->setShownScene(meshes_of_);
  camera_->placeGrid();
  canvas_->announcePicture();
  camera_->frameNewScene();
  if (detail) actors.setDetail(std::move(detail));
  emit shown();
}

void SceneLevels::prepareFrame() {
  VoxelActors& actors = canvas_->actors();
  if (const auto& mesh = actors.mesh())
    actors.setStyle(
        style_from_here(selection_->look().voxelStyle(), *mesh, canvas_->camera().metresPerPixel()));
  wantDetail();
}

ViewPoint SceneLevels::detailPoint() const {
  ViewPoint from = canvas_->viewPoint();
  if (always_cubes(selection_->look().voxelStyle())) from.min_cube = 0;
  return from;
}

/// Requests cubes for the near voxels of a large level when the camera is at rest. The level is drawn as
/// points until the cubes have been built.
void SceneLevels::wantDetail() {
  VoxelActors& actors = canvas_->actors();
  const auto& mesh = actors.mesh();
  if (!mesh || mesh->has_faces() || actors.moving() || mesh->voxels == 0) return;
  if (actors.style() == VoxelStyle::points) return actors.setDetail(nullptr);
  const ViewPoint from = detailPoint();
  if (too_many_from_ == from) return;
  if (actors.detail() != nullptr && actors.detail()->from == from) return;
  if (worker_->busy() && wanted_detail_ == from) return;
  // Request no detail while a mesh is being built.
  if (worker_->busy() && !wanted_detail_) return;
  wanted_detail_ = from;
  actors.setDetail(nullptr);
  worker_->startDetail(mesh, from);
}

}  // namespace spira::ui

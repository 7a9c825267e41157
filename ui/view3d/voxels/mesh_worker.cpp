#include "ui/view3d/voxels/mesh_worker.hpp"

#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"

#include <utility>

namespace spira::ui {

MeshWorker::MeshWorker(QObject* parent) : QObject(parent), runner_(new JobRunner(this)) {
  connect(runner_, &JobRunner::failed, this, [this](const Error& error) {
    busy_ = false;
    emit failed(error);
  });
}

void MeshWorker::cancel() {
  busy_ = false;
  runner_->cancel();
}

void MeshWorker::begin(std::function<std::function<void()>(const std::stop_token&)> build) {
  busy_ = true;
  runner_->start({}, [this, build = std::move(build)](Job& job, const JobRunner::Post& post) {
    auto deliver = build(job.stop_token());
    if (!deliver) return;
    post([this, deliver = std::move(deliver)] {
      busy_ = false;
      deliver();
    });
  });
}

void MeshWorker::start(std::shared_ptr<const VoxelScene> scene, int stride, const Hiding& hiding,
                       std::shared_ptr<const VoxelMesh> known, const std::optional<ViewPoint>& from) {
  begin([this, scene = std::move(scene), stride, hiding, known = std::move(known),
         from](const std::stop_token& stop) -> std::function<void()> {
    auto mesh = known ? known
                      : std::make_shared<const VoxelMesh>(
                            build_voxel_mesh(*scene, stride, hidden_rows(*scene, stride, hiding), stop));
    if (stop.stop_requested()) return {};
    std::shared_ptr<const ViewDetail> detail;
    if (from && !mesh->has_faces() && mesh->voxels > 0) detail = build_view_detail(mesh, *from, stop);
    if (stop.stop_requested()) return {};
    return [this, mesh, detail] { emit ready(mesh, detail); };
  });
}

void MeshWorker::startDetail(std::shared_ptr<const VoxelMesh> mesh, const ViewPoint& from) {
  begin([this, mesh = std::move(mesh), from](const std::stop_token& stop) -> std::function<void()> {
    auto detail = build_view_detail(mesh, from, stop);
    if (!detail) return {};
    return [this, detail] { emit detailReady(detail); };
  });
}

void MeshWorker::startColours(const ColourRequest& request) {
  begin([this, request](const std::stop_token& stop) -> std::function<void()> {
    auto colours = std::make_shared<SceneColours>(colour_scene(request, stop));
    if (stop.stop_requested()) return {};
    return [this, colours] { emit coloursReady(colours); };
  });
}

void MeshWorker::startOutside(std::shared_ptr<const VoxelScene> scene) {
  // Maximum number of points: a third of the points that software GL draws at 30 frames per second.
  constexpr std::size_t most = 100'000;
  begin([this, scene = std::move(scene)](const std::stop_token& stop) -> std::function<void()> {
    auto points = std::make_shared<const std::vector<float>>(
        outside_points(*scene->cloud, *scene->grid.crop_m, scene->origin, most, stop));
    if (stop.stop_requested()) return {};
    return [this, points] { emit outsideReady(points); };
  });
}

}  // namespace spira::ui

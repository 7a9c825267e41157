#include "ui/view3d/voxels/mesh_worker.hpp"

#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"

#include <utility>

namespace spira::ui {
namespace {

using Mesh = std::shared_ptr<const VoxelMesh>;
using Detail = std::shared_ptr<const ViewDetail>;
using Colours = std::shared_ptr<SceneColours>;
using Points = std::shared_ptr<const std::vector<float>>;

struct MeshArgs {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 1;
  Hiding hiding;
  Mesh known;
  std::optional<ViewPoint> from;
};

struct MeshAndDetail {
  Mesh mesh;
  Detail detail;
};

void build_mesh(const MeshArgs& args, Job& job, const Send<MeshAndDetail>& send) {
  const std::stop_token& stop = job.stop_token();
  const VoxelScene& scene = *args.scene;
  Mesh mesh = args.known;
  if (!mesh)
    mesh = std::make_shared<const VoxelMesh>(
        build_voxel_mesh(scene, args.stride, hidden_rows(scene, args.stride, args.hiding), stop));
  if (stop.stop_requested()) return;
  Detail detail;
  if (args.from && !mesh->has_faces() && mesh->voxels > 0) detail = build_view_detail(mesh, *args.from, stop);
  if (!stop.stop_requested()) send({mesh, detail});
}

struct DetailArgs {
  Mesh mesh;
  ViewPoint from;
};

void build_detail(const DetailArgs& args, Job& job, const Send<Detail>& send) {
  if (auto detail = build_view_detail(args.mesh, args.from, job.stop_token())) send(std::move(detail));
}

void build_colours(const ColourRequest& request, Job& job, const Send<Colours>& send) {
  auto colours = std::make_shared<SceneColours>(colour_scene(request, job.stop_token()));
  if (!job.stop_token().stop_requested()) send(std::move(colours));
}

void find_outside(const std::shared_ptr<const VoxelScene>& scene, Job& job, const Send<Points>& send) {
  // This is a third of the points that software OpenGL draws at 30 frames per second.
  constexpr std::size_t max_points = 100'000;
  auto points = std::make_shared<const std::vector<float>>(
      outside_points(*scene->cloud, *scene->grid.crop_m, scene->origin, max_points, job.stop_token()));
  if (!job.stop_token().stop_requested()) send(std::move(points));
}

using Near = std::shared_ptr<const NearPoints>;

struct NearArgs {
  std::shared_ptr<const VoxelScene> scene;
  Mesh mesh;
  ViewPoint from;
};

void find_near(const NearArgs& args, Job& job, const Send<Near>& send) {
  if (auto near = build_near_points(*args.scene, args.mesh, args.from, job.stop_token()))
    send(std::move(near));
}

}  // namespace

MeshWorker::MeshWorker(Tasks& tasks, QObject* parent) : QObject(parent), task_(tasks, Tasks::Lane::view) {
  connect(&task_, &TaskSlot::failed, this, [this](const Error& error) {
    busy_ = false;
    emit failed(error);
  });
}

void MeshWorker::cancel() {
  busy_ = false;
  task_.cancel();
}

void MeshWorker::start(std::shared_ptr<const VoxelScene> scene, int stride, const Hiding& hiding,
                       std::shared_ptr<const VoxelMesh> known, const std::optional<ViewPoint>& from) {
  busy_ = true;
  task_.start({}, build_mesh, {std::move(scene), stride, hiding, std::move(known), from},
              [this](const MeshAndDetail& made) {
                busy_ = false;
                emit ready(made.mesh, made.detail);
              });
}

void MeshWorker::startDetail(std::shared_ptr<const VoxelMesh> mesh, const ViewPoint& from) {
  busy_ = true;
  task_.start({}, build_detail, {std::move(mesh), from}, [this](const Detail& detail) {
    busy_ = false;
    emit detailReady(detail);
  });
}

void MeshWorker::startColours(const ColourRequest& request) {
  busy_ = true;
  task_.start({}, build_colours, request, [this](const Colours& colours) {
    busy_ = false;
    emit coloursReady(colours);
  });
}

void MeshWorker::startNear(std::shared_ptr<const VoxelScene> scene, std::shared_ptr<const VoxelMesh> mesh,
                           const ViewPoint& from) {
  busy_ = true;
  task_.start({}, find_near, {std::move(scene), std::move(mesh), from}, [this](const Near& near) {
    busy_ = false;
    emit nearReady(near);
  });
}

void MeshWorker::startOutside(std::shared_ptr<const VoxelScene> scene) {
  busy_ = true;
  task_.start({}, find_outside, std::move(scene), [this](const Points& points) {
    busy_ = false;
    emit outsideReady(points);
  });
}

}  // namespace spira::ui

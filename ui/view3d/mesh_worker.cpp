#include "ui/view3d/mesh_worker.hpp"

#include <utility>

namespace spira::ui {

MeshWorker::~MeshWorker() {
  cancel();
}

void MeshWorker::cancel() {
  ++generation_;
  busy_ = false;
  thread_.request_stop();
}

void MeshWorker::start(std::shared_ptr<const VoxelScene> scene, int stride) {
  cancel();
  busy_ = true;
  const int generation = generation_;
  thread_ = std::jthread([this, generation, scene = std::move(scene), stride](const std::stop_token& stop) {
    auto mesh = std::make_shared<const VoxelMesh>(build_voxel_mesh(*scene, stride, stop));
    if (stop.stop_requested()) return;
    QMetaObject::invokeMethod(
        this, [this, generation, mesh = std::move(mesh)] { deliver(generation, mesh); },
        Qt::QueuedConnection);
  });
}

void MeshWorker::deliver(int generation, std::shared_ptr<const VoxelMesh> mesh) {
  if (generation != generation_) return;
  busy_ = false;
  emit ready(std::move(mesh));
}

}  // namespace spira::ui

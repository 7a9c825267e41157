// Builds meshes off the GUI thread. The newest request wins; results of older ones are dropped.
#pragma once

#include "ui/view3d/voxel_mesh.hpp"

#include <QObject>

#include <memory>
#include <thread>

namespace spira::ui {

class MeshWorker : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~MeshWorker() override;
  MeshWorker(const MeshWorker&) = delete;
  MeshWorker& operator=(const MeshWorker&) = delete;

  void start(std::shared_ptr<const VoxelScene> scene, int stride);
  void cancel();
  [[nodiscard]] bool busy() const noexcept { return busy_; }

 signals:
  void ready(std::shared_ptr<const spira::ui::VoxelMesh> mesh);

 private:
  void deliver(int generation, std::shared_ptr<const VoxelMesh> mesh);

  std::jthread thread_;
  int generation_ = 0;
  bool busy_ = false;
};

}  // namespace spira::ui

// Builds meshes, view details and colours in the thread pool. A new request replaces the previous request,
// whose result is then discarded.
#pragma once

#include "ui/jobs/tasks.hpp"
#include "ui/model/scene_look.hpp"
#include "ui/view3d/voxels/near_points.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

class MeshWorker : public QObject {
  Q_OBJECT
 public:
  explicit MeshWorker(Tasks& tasks, QObject* parent = nullptr);

  /// Builds the mesh of a stride. If this mesh was already built, `known` is this mesh, otherwise `nullptr`.
  /// If `from` is set, also builds the detail of the view from this point.
  void start(std::shared_ptr<const VoxelScene> scene, int stride, const Hiding& hiding,
             std::shared_ptr<const VoxelMesh> known, const std::optional<ViewPoint>& from);
  void startDetail(std::shared_ptr<const VoxelMesh> mesh, const ViewPoint& from);
  /// Selects points outside the crop of the scene, few enough to draw them in every frame. The scene must
  /// have a crop.
  void startOutside(std::shared_ptr<const VoxelScene> scene);
  /// Finds the points in the voxels near the camera (build_near_points()).
  void startNear(std::shared_ptr<const VoxelScene> scene, std::shared_ptr<const VoxelMesh> mesh,
                 const ViewPoint& from);
  void startColours(const ColourRequest& request);
  void cancel();
  [[nodiscard]] bool busy() const noexcept { return busy_; }

 signals:
  void ready(std::shared_ptr<const spira::ui::VoxelMesh> mesh,
             std::shared_ptr<const spira::ui::ViewDetail> detail);
  /// Emitted with new colours. The receiver may move them out of the object.
  void coloursReady(std::shared_ptr<spira::ui::SceneColours> colours);
  void detailReady(std::shared_ptr<const spira::ui::ViewDetail> detail);
  void nearReady(std::shared_ptr<const spira::ui::NearPoints> points);
  void outsideReady(std::shared_ptr<const std::vector<float>> points);
  void failed(const spira::Error& error);

 private:
  bool busy_ = false;  // Reset before a result is delivered, because the receiver may start the next request.
  TaskSlot task_;
};

}  // namespace spira::ui

// Builds meshes, details of views and colours off the GUI thread. The newest request wins; results of older
// ones are dropped.
#pragma once

#include "ui/jobs/job_runner.hpp"
#include "ui/model/selection.hpp"
#include "ui/view3d/scene_colours.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira::ui {

class MeshWorker : public QObject {
  Q_OBJECT
 public:
  explicit MeshWorker(QObject* parent = nullptr);

  /// `known`: the mesh where it was built before, else null. `from`: builds the detail of that view as well.
  void start(std::shared_ptr<const VoxelScene> scene, int stride, const Hiding& hiding,
             std::shared_ptr<const VoxelMesh> known, const std::optional<ViewPoint>& from);
  void startDetail(std::shared_ptr<const VoxelMesh> mesh, const ViewPoint& from);
  /// Selects points outside the crop of the scene, few enough to be drawn in every frame. The scene must have
  /// a crop.
  void startOutside(std::shared_ptr<const VoxelScene> scene);
  void startColours(const ColourRequest& request);
  void cancel();
  [[nodiscard]] bool busy() const noexcept { return busy_; }

 signals:
  void ready(std::shared_ptr<const spira::ui::VoxelMesh> mesh,
             std::shared_ptr<const spira::ui::ViewDetail> detail);
  void coloursReady(std::shared_ptr<spira::ui::SceneColours> colours);  ///< to be moved from
  void detailReady(std::shared_ptr<const spira::ui::ViewDetail> detail);
  void outsideReady(std::shared_ptr<const std::vector<float>> points);
  void failed(const spira::Error& error);

 private:
  /// Runs `build` on the thread; what it returns, if anything, is called here.
  void begin(std::function<std::function<void()>(const std::stop_token&)> build);

  JobRunner* runner_;
  bool busy_ = false;  // ends before a result is delivered: it may start the next one
};

}  // namespace spira::ui

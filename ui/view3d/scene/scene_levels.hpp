// Builds the meshes of the levels of the open scene in the thread pool: the mesh of the selected stride, and
// the cubes of a large level for the current view.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QObject>

#include <map>
#include <memory>
#include <optional>

namespace spira::ui {

class MeshWorker;
class SceneCamera;
class SceneCanvas;
class Tasks;
class Workspace;

class SceneLevels : public QObject {
  Q_OBJECT
 public:
  SceneLevels(Tasks& tasks, Workspace* workspace, Selection* selection, SceneCanvas* canvas,
              SceneCamera* camera);

  void rebuild();     ///< Must be called after the voxels of the workspace changed.
  void rebuildAll();  ///< Discards all meshes. Must be called after voxels were hidden or shown.
  /// Selects the style of the voxels at the current distance, and requests the detail of the view.
  void prepareFrame();
  [[nodiscard]] bool busy() const;
  /// Returns the mesh that waits for its colours. If no mesh waits, returns the shown mesh. Returns `nullptr`
  /// while the next mesh is being built, or if no scene is open.
  [[nodiscard]] std::shared_ptr<const VoxelMesh> meshToColour() const;
  /// Returns the mesh that waits for its colours, or `nullptr` if no mesh waits.
  [[nodiscard]] std::shared_ptr<const VoxelMesh> waiting() const;
  void showArrived();  ///< Shows the waiting mesh; the caller must set its colours immediately afterwards.

 signals:
  void built();                               ///< Emitted when a new mesh waits for its colours.
  void arriving(const spira::Point& origin);  ///< Emitted before a mesh with this origin is shown.
  void shown();
  void emptied();  ///< Emitted if no scene is open.
  void failed(const spira::Error& error);

 private:
  void takeMesh(std::shared_ptr<const VoxelMesh> mesh, std::shared_ptr<const ViewDetail> detail);
  void wantDetail();
  [[nodiscard]] ViewPoint detailPoint() const;

  Workspace* workspace_;
  Selection* selection_;
  SceneCanvas* canvas_;
  SceneCamera* camera_;
  MeshWorker* worker_;
  // Meshes of the scene `meshes_of_` that have been built, by stride.
  std::map<int, std::shared_ptr<const VoxelMesh>> meshes_;
  std::shared_ptr<const VoxelScene> meshes_of_;
  struct Arriving {
    std::shared_ptr<const VoxelMesh> mesh;
    std::shared_ptr<const ViewDetail> detail;
  };
  std::optional<Arriving> arriving_;  // Mesh that waits for its colours.
  // Viewpoint of the requested detail. Empty while a mesh is being built.
  std::optional<ViewPoint> wanted_detail_;
  std::optional<ViewPoint> too_many_from_;  // Viewpoint from which more voxels are visible than can be drawn.
};

}  // namespace spira::ui

// The open scene: its cloud, its frames, the voxels that the views show, and the kernel maps of these voxels.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/report/report.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/open_document.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>

namespace spira::ui {

/// The kernel map of the selected layer or of the scene. Views draw densities and highlights from it.
struct ShownMap {
  /// `nullptr` for a recorded run, which stores only the densities. The map of a layer of a batch contains
  /// the rows of the shown frame; it is `nullptr` until this part of the result was set.
  std::shared_ptr<const KernelMap> map;
  /// The densities of a layer of a batch count all frames.
  std::shared_ptr<const Densities> densities;
  int stride_in = 1, stride_out = 1;
  int layer = -1;  ///< Layer of the map, or -1 for a map of the scene.
  QString title;   ///< For example "s1.d (stage1.down), 2x2x2, stride 1 to 2" or "scene, 3x3x3, stride 1".
  /// Title of the densities: for a layer of a batch, it ends with "all frames" instead of the frame.
  QString densities_title;
};

/// A value is `nullptr` or empty until it has been computed. If the open scene is a batch, voxels() is the
/// frame that the views show. cloud() and facts() are of all frames: whole_scene() returns their voxels.
/// Workspace::setScene() and Workspace::setVoxels() change the scene, because this also removes results.
class OpenScene : public QObject {
  Q_OBJECT
 public:
  struct Contents {
    std::shared_ptr<const PointCloud> cloud;
    FileList frames;
    int frame = 0;
    bool frame_refused = false;
    std::shared_ptr<const VoxelScene> voxels;
    /// Maps by stride, all with the same kernel size. The map of a coarser stride is built when the user
    /// selects this stride.
    std::map<int, ShownMap> maps;
    std::optional<SceneFacts> facts;
  };

  using QObject::QObject;

  [[nodiscard]] const std::shared_ptr<const PointCloud>& cloud() const noexcept { return now_.cloud; }
  [[nodiscard]] const FileList& frames() const noexcept { return now_.frames; }
  /// Returns the index of the open frame in the sequence. 0 for a batch; VoxelScene::frame is its frame.
  [[nodiscard]] int frame() const noexcept { return now_.frame; }
  /// Returns true if the frame with the index frame() could not be opened. In this case, cloud() belongs to
  /// another frame.
  [[nodiscard]] bool frameRefused() const noexcept { return now_.frame_refused; }
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& voxels() const noexcept { return now_.voxels; }
  /// Returns true if the scene is a batch of frames, of which voxels() is one.
  [[nodiscard]] bool isBatch() const noexcept { return now_.voxels && now_.voxels->batch; }
  /// Returns the facts about the open scene or the open report. Returns an empty value if nothing is open.
  [[nodiscard]] const std::optional<SceneFacts>& facts() const noexcept { return now_.facts; }
  /// Returns the map of the scene at this stride. If the map was not built, `densities` is `nullptr`.
  [[nodiscard]] ShownMap map(int stride) const;

  /// Sets the frames and the index of the open frame. Does not replace the shared list if `frames` contains
  /// the same files.
  /// `refused` is true if the frame could not be opened.
  void setFrames(const FileList& frames, int frame, bool refused = false);
  /// Sets the kernel map of the scene at a stride, and its densities. Removes maps with a different kernel
  /// size. The densities must come from a job, because computing them takes too long for the GUI thread.
  void setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities, int stride);

 signals:
  void cloudChanged();
  void framesChanged();
  void voxelsChanged();
  /// Emitted after a map of the scene changed, or the part of a layer for the shown frame of a batch.
  void mapsChanged();

 private:
  friend class Workspace;
  void replaceVoxels(std::shared_ptr<const VoxelScene> voxels);  ///< Also removes the maps.
  void updateFacts();                                            ///< Sets the facts about the voxels.

  Contents now_;
};

}  // namespace spira::ui

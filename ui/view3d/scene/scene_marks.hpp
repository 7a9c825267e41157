// Marks the selected voxel with its neighbours, the voxel under the pointer and a measured distance.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/scene/native_marks.hpp"
#include "ui/view3d/voxels/voxel_marker.hpp"

#include <QObject>

#include <array>
#include <optional>
#include <vector>

namespace spira::ui {

class MeasureTool;
class SceneAnimation;
class SceneCanvas;
class Theme;
class ViewParts;
class Workspace;
struct MeasuredLine;

class SceneMarks : public QObject {
  Q_OBJECT
 public:
  SceneMarks(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme, SceneCanvas* canvas,
             SceneAnimation* animation, const MeasureTool* measure);

  void rehighlight();
  void forget();
  void prepareFrame();  ///< Moves all marks to their positions on the canvas.
  [[nodiscard]] NativeMarks& native() noexcept { return native_; }

 private:
  /// The marked voxel and its neighbours. Positions are relative to the origin of the mesh.
  struct Marked {
    std::array<double, 3> at;
    std::vector<std::array<double, 3>> hits{}, misses{};
    int stride = 1;
    // The neighbour at the selected offset. Empty unless exactly one offset is selected.
    std::optional<std::array<double, 3>> arrow_to{};
  };
  void followHover();
  void followMap();
  void followCells(const std::optional<double>& share);
  void mark(const ChosenVoxel& chosen);
  void markNeighbours(const ChosenVoxel& chosen, const ShownMap& shown, std::int32_t row);
  void showMarker();
  void boxNeighbours();
  void redraw();
  void showHovered();
  void showMeasured();
  /// Returns the voxel of the animation if it moves the cells of a native row, otherwise the selected voxel.
  [[nodiscard]] std::optional<ChosenVoxel> markedVoxel() const;
  [[nodiscard]] std::optional<VoxelMarker> marker() const;
  [[nodiscard]] std::optional<MeasuredLine> measured() const;
  [[nodiscard]] QVector<QLineF> edgesOf(const ChosenVoxel& voxel) const;

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  Theme* theme_;
  SceneCanvas* canvas_;
  SceneAnimation* animation_;
  const MeasureTool* measure_;
  NativeMarks native_;  // The marked voxel, if the shown map is native.
  std::optional<Marked> marked_;
  std::optional<ChosenVoxel> shown_, hovered_;  // `shown_` is the last result of markedVoxel().
};

}  // namespace spira::ui

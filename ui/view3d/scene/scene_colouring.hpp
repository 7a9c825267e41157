// Colours the voxels of the shown mesh. Small scenes are coloured immediately, large scenes in the thread
// pool, so that the window stays responsive. The previous colours stay until the new ones are complete.
#pragma once

#include "ui/view3d/voxels/scene_colours.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

class MeshWorker;
class SceneCanvas;
class SceneLevels;
class Tasks;
class Theme;
class ViewParts;

class SceneColouring : public QObject {
  Q_OBJECT
 public:
  SceneColouring(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
                 SceneCanvas* canvas, SceneLevels* levels);

  void recolour();
  void recolourSoon();
  void finish();  ///< Computes pending colours immediately.
  /// Computes the colour range from the current frame. Otherwise, the range does not change when the frame of
  /// a sequence changes.
  void recomputeRange();
  /// Sets the colour ranges that this view shares with the views of other scenes. If a colouring has no
  /// shared range, it uses the range of its own voxels.
  void setCommonRanges(std::map<ColourBy, ValueRange> ranges);
  void forgetRanges();  ///< Must be called after another sequence was opened.
  void prepareFrame();  ///< Recolours if the colour range depends on the view and the view has changed.
  [[nodiscard]] bool busy() const;
  [[nodiscard]] bool settled() const { return !busy() && !pending_; }
  /// Returns the value that determines the colour of the voxel, such as "height, m: 1.20". Returns an empty
  /// string if the colouring has no values.
  [[nodiscard]] QString valueText(const Voxel& voxel) const;

 signals:
  void legendChanged(const spira::ui::ColourLegend& legend);
  void coloured();  ///< Emitted after new colours, and possibly a new mesh, were shown.
  void failed(const spira::Error& error);

 private:
  void connectModel();
  void recolourIfChanged();
  void forget();
  void answerAtOnce(const ColourRequest& request);
  void take(SceneColours colours);
  [[nodiscard]] ColourRequest request(const std::shared_ptr<const VoxelMesh>& mesh) const;
  /// Returns the title of a legend in the form in which it is displayed. "height, m" becomes "z, m" if the up
  /// axis is not z.
  [[nodiscard]] QString titleHere(const QString& title) const;

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  Theme* theme_;
  SceneCanvas* canvas_;
  SceneLevels* levels_;
  MeshWorker* worker_;
  HeldRanges ranges_;
  std::map<ColourBy, ValueRange> common_ranges_;
  // Current colouring. Its values are reused if only the look changes.
  std::shared_ptr<const Colouring> colouring_;
  std::shared_ptr<const MovingColouring> moving_colouring_;
  std::optional<ColourRequest> shown_;  // Request of the shown colours, if they were computed at once.
  std::vector<int> hovered_columns_;
  bool pending_ = false, again_ = false;
};

}  // namespace spira::ui

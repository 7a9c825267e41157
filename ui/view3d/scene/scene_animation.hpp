// Shows the animation of a lesson in the 3D view, together with the voxels or instead of them.
#pragma once

#include "ui/view3d/motion/motion_actors.hpp"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace spira::ui {

class CropTool;
class SceneCanvas;
class Theme;
class ViewParts;

class SceneAnimation : public QObject {
  Q_OBJECT
 public:
  SceneAnimation(ViewParts* parts, Theme* theme, SceneCanvas* canvas, const CropTool* crop);

  /// Shows the start of an animation. `nullptr` removes the animation.
  void set(std::shared_ptr<const AnimationScene> picture, const QString& caption);
  void setAt(double part);  ///< Sets the time of the animation, from 0 (start) to 1 (end).
  void followMesh();        ///< Places the animation relative to the shown mesh.
  void followParts();
  void prepareFrame();  ///< Shows the marks for the current time of the animation.
  [[nodiscard]] bool allowsVoxels() const noexcept { return voxels_allowed_; }
  [[nodiscard]] bool replacesVoxels() const;
  /// Returns true if the animation consists of steps (moments) that mark cells.
  [[nodiscard]] bool hasMoments() const;
  /// Returns the voxel whose native row the animation shows. Empty if the animation moves no cells.
  [[nodiscard]] std::optional<ChosenVoxel> cellsOf() const;
  void boxMoment();  ///< Draws boxes around the cells that the current step marks.
  [[nodiscard]] const MotionActors& actors() const noexcept { return actors_; }

 signals:
  void momentsChanged();  ///< Emitted when a step-by-step animation (a list of moments) starts or ends.
  /// Emitted with the time of an animation that moves the cells of a native row. Empty if there is none.
  void cellsMoved(const std::optional<double>& part);

 private:
  void place(double part);
  void allowVoxels(bool allowed);

  ViewParts* parts_;
  Theme* theme_;
  SceneCanvas* canvas_;
  const CropTool* crop_;
  MotionActors actors_;
  std::shared_ptr<const AnimationScene> wanted_;  // Animation that is drawn as soon as a mesh exists.
  bool voxels_allowed_ = true;
};

}  // namespace spira::ui

// Draws the points in the voxels near the camera: kept points are filled, and merged points are hollow. The
// points are found in the view lane each time the camera comes to rest.
#pragma once

#include "ui/view3d/voxels/near_points.hpp"

#include <QObject>

#include <memory>
#include <optional>

namespace spira {
class Error;
}

namespace spira::ui {

class MeshWorker;
class SceneAnimation;
class SceneCanvas;
class Tasks;
class Theme;
class ViewParts;
class Workspace;

class ScenePoints : public QObject {
  Q_OBJECT
 public:
  ScenePoints(Tasks& tasks, Workspace* workspace, ViewParts* parts, Theme* theme, SceneCanvas* canvas,
              const SceneAnimation* animation);
  ~ScenePoints() override;
  ScenePoints(const ScenePoints&) = delete;
  ScenePoints& operator=(const ScenePoints&) = delete;

  void prepareFrame();  ///< Requests the points of a new view, and moves the points of the last request.
  [[nodiscard]] bool busy() const;
  /// Returns the points that are drawn, or `nullptr` if there are none.
  [[nodiscard]] const NearPoints* shown() const noexcept { return near_.get(); }

 signals:
  void failed(const spira::Error& error);

 private:
  [[nodiscard]] bool wanted() const;
  void take(std::shared_ptr<const NearPoints> near);
  void retheme();

  Workspace* workspace_;
  ViewParts* parts_;
  Theme* theme_;
  SceneCanvas* canvas_;
  const SceneAnimation* animation_;
  MeshWorker* worker_;
  std::shared_ptr<const NearPoints> near_;
  std::optional<ViewPoint> wanted_from_, placed_from_;
  struct Actors;
  std::unique_ptr<Actors> actors_;
};

}  // namespace spira::ui

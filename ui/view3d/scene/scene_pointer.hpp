// Handles the mouse input of the 3D view: selects voxels, shows information about the voxel under the
// pointer, and moves the camera.
#pragma once

#include "ui/model/selection.hpp"

#include <QObject>
#include <QPoint>
#include <QPointF>

#include <limits>
#include <optional>

class QMouseEvent;

namespace spira::ui {

class SceneCanvas;
class SceneColouring;
class SceneTools;
class ViewParts;
class Workspace;

class ScenePointer : public QObject {
  Q_OBJECT
 public:
  ScenePointer(Workspace* workspace, Selection* selection, ViewParts* parts, SceneCanvas* canvas,
               SceneTools* tools, const SceneColouring* colouring);

  /// Selects the visible voxel nearest to the middle of the view. Does nothing if no voxel is visible.
  void chooseInMiddle();
  /// Returns the position of a voxel of the current stride on the canvas, in device-independent pixels. Tests
  /// use it to click on a voxel.
  [[nodiscard]] QPoint positionOf(const Voxel& voxel) const;

 signals:
  void hovered(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Aimed {
    std::optional<Voxel> voxel;
    // Distance to the closest visible voxel, in pixels.
    double distance_px = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] Aimed aimedAt(const QPointF& position) const;
  bool mouse(QEvent* event);
  void drag(const QMouseEvent& event);
  void pickAt(const QPointF& position);
  void hoverAt(const QPointF& position);
  void moved();

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  SceneCanvas* canvas_;
  SceneTools* tools_;
  const SceneColouring* colouring_;
  QPointF pressed_, last_;
  bool dragging_ = false;
};

}  // namespace spira::ui

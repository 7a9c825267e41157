// Draws the marks of a lesson's animation over the 3D view, so that no voxel covers them. Also draws a panel
// with the memory words that the animation reads.
#pragma once

#include "ui/view3d/motion/animation_scene.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

#include <QPointF>
#include <QRectF>

#include <vector>

class QPainter;

namespace spira::ui {

class Theme;

/// The state of an animation at one moment, ready to be painted. Positions are in device-independent pixels.
/// Positions in a memory are fractions of its length.
struct MotionShown {
  struct Mark {
    MotionMark::Kind kind = MotionMark::Kind::asks;
    QPointF at;
    double cell = 0;  ///< Size of a cell on the screen.
    bool operator==(const Mark&) const = default;
  };
  struct Strip {
    QString name;
    double begin = 0, end = 0;  ///< Search interval. If `begin` equals `end`, no bracket is drawn.
    std::vector<double> now, before;
    bool operator==(const Strip&) const = default;
  };
  std::vector<Mark> marks;
  std::vector<MotionMark::Kind> kinds;  ///< All kinds of marks in the whole animation, for the legend.
  std::vector<Strip> strips;
  QString note;
  bool operator==(const MotionShown&) const = default;
};

/// Returns the memory strips at the fraction `part` (0 to 1) of the animation. A bracket marks the search
/// interval on a strip, and slides from each step of the animation to the next step.
[[nodiscard]] std::vector<MotionShown::Strip> strips_at(const AnimationScene& picture, double part);
/// Returns boxes around the cells that are marked at the step `moment`. Positions are relative to `origin`.
[[nodiscard]] std::vector<HighlightBox> boxes_at(const AnimationScene& picture, int moment,
                                                 const Point& origin, const Theme& theme);
/// Paints the marks. Also paints a panel with the memory strips and the legend in the upper right corner of
/// `area`.
void paint_motion(QPainter& painter, const MotionShown& shown, const QRectF& area, const Theme& theme);

}  // namespace spira::ui

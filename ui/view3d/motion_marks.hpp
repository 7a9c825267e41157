// The marks of a motion over the 3D view, so that they are seen from afar and behind other voxels, and beside
// them the words of memory that are read.
#pragma once

#include "ui/view3d/motion_picture.hpp"
#include "ui/view3d/voxel_actors.hpp"

#include <QPointF>
#include <QRectF>

#include <vector>

class QPainter;

namespace spira::ui {

class Theme;

/// Device-independent pixels; memory in shares of its length.
struct MotionShown {
  struct Mark {
    MotionMark::Kind kind = MotionMark::Kind::asks;
    QPointF at;
    double cell = 0;  ///< size on the screen
    bool operator==(const Mark&) const = default;
  };
  struct Strip {
    QString name;
    double begin = 0, end = 0;  ///< equal: no bracket
    std::vector<double> now, before;
    bool operator==(const Strip&) const = default;
  };
  std::vector<Mark> marks;
  std::vector<MotionMark::Kind> kinds;  ///< of the whole motion: what the key explains
  std::vector<Strip> strips;
  QString note;
  bool operator==(const MotionShown&) const = default;
};

/// What memory shows at that part of the motion; brackets slide from one moment to the next.
[[nodiscard]] std::vector<MotionShown::Strip> strips_at(const MotionPicture& picture, double part);
/// Around the cells that are marked at that moment; relative to the origin.
[[nodiscard]] std::vector<HighlightBox> boxes_at(const MotionPicture& picture, int moment,
                                                 const Point& origin, const Theme& theme);
/// The panel with memory and key stands in the right upper corner of `area`.
void paint_motion(QPainter& painter, const MotionShown& shown, const QRectF& area, const Theme& theme);

}  // namespace spira::ui

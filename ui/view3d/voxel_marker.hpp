// The chosen voxel over the picture, so that nothing hides it: its edges, or where it and its neighbours are
// too small for that a ring with a cross that keeps its size on the screen.
#pragma once

#include <QLineF>
#include <QPointF>
#include <QVector>

#include <optional>
#include <vector>

class QPainter;

namespace spira::ui {

class Theme;

/// Device-independent pixels.
struct VoxelMarker {
  QPointF at;
  QVector<QLineF> edges;            ///< of the voxel
  double cell = 0;                  ///< size of the voxel on the screen
  double reach = 0;                 ///< from the voxel to its farthest neighbour
  std::vector<QPointF> hits;        ///< neighbours that are inputs of it
  std::vector<QPointF> misses;      ///< places of neighbours that are not there
  std::optional<QPointF> arrow_to;  ///< the neighbour at the offset that is chosen
  bool operator==(const VoxelMarker&) const = default;
};

void paint_marker(QPainter& painter, const VoxelMarker& marker, const Theme& theme);

}  // namespace spira::ui

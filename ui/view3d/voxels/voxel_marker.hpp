// Marks the selected voxel on top of the picture, so that other voxels do not hide the mark. Draws the edges
// of the voxel. If the voxel is too small on the screen, draws a ring with a cross of constant size instead.
#pragma once

#include <QLineF>
#include <QPointF>
#include <QVector>

#include <optional>
#include <vector>

class QPainter;

namespace spira::ui {

class Theme;

/// Positions and sizes are in device-independent pixels.
struct VoxelMarker {
  QPointF at;
  QVector<QLineF> edges;
  double cell = 0;                  ///< size of the voxel on the screen
  double reach = 0;                 ///< distance from the voxel to its farthest neighbour
  std::vector<QPointF> hits;        ///< neighbours that exist: inputs of the voxel
  std::vector<QPointF> misses;      ///< positions of missing neighbours
  std::optional<QPointF> arrow_to;  ///< neighbour at the selected offset
  bool operator==(const VoxelMarker&) const = default;
};

void paint_marker(QPainter& painter, const VoxelMarker& marker, const Theme& theme);

}  // namespace spira::ui

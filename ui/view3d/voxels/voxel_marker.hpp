// Marks the selected voxel on top of the picture, so that other voxels do not hide the mark. Draws the edges
// of the voxel. If the voxel is too small on the screen, draws a ring with a cross of constant size instead.
#pragma once

#include "ui/view3d/voxels/native_marker.hpp"

#include <QLineF>
#include <QPointF>
#include <QVector>

#include <array>
#include <memory>
#include <optional>
#include <vector>

class QPainter;
class vtkCellArray;
class vtkPoints;
class vtkRenderer;

namespace spira::ui {

class Theme;

/// Positions and sizes are in device-independent pixels.
struct VoxelMarker {
  QPointF at;
  QVector<QLineF> edges;
  double cell = 0;                  ///< Size of the voxel on the screen.
  double reach = 0;                 ///< Distance from the voxel to its farthest neighbour.
  std::vector<QPointF> hits;        ///< Neighbours that exist, which are the inputs of the voxel.
  std::vector<QPointF> misses;      ///< Positions of missing neighbours.
  std::optional<QPointF> arrow_to;  ///< Neighbour at the selected offset.
  /// The inputs if the map is native. Empty if they are too small to be distinguished.
  std::optional<NativeMarker> native{};
  bool operator==(const VoxelMarker&) const = default;
};

void paint_marker(QPainter& painter, const VoxelMarker& marker, const Theme& theme);

/// A wireframe box around a highlighted cell, optionally with translucent faces.
struct HighlightBox {
  std::array<float, 3> centre{}, size{};
  std::array<double, 3> colour{};
  double width = 2.0;
  double filled = 0.0;  ///< Opacity of the faces; 0 draws no faces.
};

class HighlightBoxes {
 public:
  explicit HighlightBoxes(vtkRenderer* renderer);
  ~HighlightBoxes();
  HighlightBoxes(const HighlightBoxes&) = delete;
  HighlightBoxes& operator=(const HighlightBoxes&) = delete;

  void set(const std::vector<HighlightBox>& boxes);  ///< Replaces all boxes.

 private:
  void add(const HighlightBox& style, vtkPoints* points, vtkCellArray* lines, vtkCellArray* faces);
  struct Actors;
  vtkRenderer* renderer_;
  std::unique_ptr<Actors> actors_;
};

}  // namespace spira::ui

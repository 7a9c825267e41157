#include "ui/view3d/voxels/voxel_marker.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>
#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr double large_enough = 16.0, min_radius = 11.0, min_dot = 3.0;

void paint_ring(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  const double dot = std::max(min_dot, marker.cell * 0.7);
  const auto square = [&](const QPointF& at, double size, const QColor& colour) {
    painter.fillRect(QRectF(at.x() - (size / 2), at.y() - (size / 2), size, size), colour);
  };
  // Minimum distance between neighbours on the screen, in pixels. Closer neighbours are not distinguishable.
  constexpr double distinguishable_px = 4.0;
  if (marker.cell >= distinguishable_px) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.palette().text, 1));
    for (const QPointF& miss : marker.misses)
      painter.drawRect(QRectF(miss.x() - (dot / 2), miss.y() - (dot / 2), dot, dot));
  }
  for (const QPointF& hit : marker.hits)
    square(hit, dot + 2, halo);
  for (const QPointF& hit : marker.hits)
    square(hit, dot, theme.palette().match);
  square(marker.at, dot + 4, halo);
  square(marker.at, dot + 2, theme.palette().error);
  const double radius = std::max(min_radius, marker.reach + dot + 5);
  constexpr std::array<QPointF, 4> directions{QPointF{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  painter.setBrush(Qt::NoBrush);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme.palette().error, 2.0)}) {
    painter.setPen(pen);
    painter.drawEllipse(marker.at, radius, radius);
    for (const QPointF& d : directions)
      painter.drawLine(marker.at + (radius * d), marker.at + ((radius + 8) * d));
  }
}

void paint_edges(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.7F);
  for (const QPen& pen : {QPen(halo, 5.0, Qt::SolidLine, Qt::RoundCap), QPen(theme.palette().error, 2.5)}) {
    painter.setPen(pen);
    painter.drawLines(marker.edges);
  }
}

/// Paints an arrow with a minimum length, because the neighbour of a distant voxel may be only one pixel
/// away.
void paint_arrow(QPainter& painter, const QPointF& from, const QPointF& to, const Theme& theme) {
  constexpr double least = 26.0, head = 9.0, spread = 0.45;
  const QPointF way = to - from;
  const double length = std::hypot(way.x(), way.y());
  if (length < 0.01) return;  // The arrow points straight towards the eye.
  const QPointF direction = way / length;
  const QPointF tip = from + (std::max(length, least) * direction), across(-direction.y(), direction.x());
  const QPointF left = tip - (head * direction) + (head * spread * across),
                right = tip - (head * direction) - (head * spread * across);
  QColor halo = theme.palette().view_top;
  halo.setAlphaF(0.9F);
  for (const QPen& pen : {QPen(halo, 5.0), QPen(theme.palette().text, 2.0)}) {
    painter.setPen(pen);
    painter.drawLine(from, tip);
    painter.drawLine(tip, left);
    painter.drawLine(tip, right);
  }
}

}  // namespace

void paint_marker(QPainter& painter, const VoxelMarker& marker, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  // If a corner of the voxel is behind the eye, the list of edges is empty.
  const bool small = (marker.cell < large_enough || marker.edges.isEmpty()) && !marker.native;
  small ? paint_ring(painter, marker, theme) : paint_edges(painter, marker, theme);
  if (marker.native) paint_native(painter, *marker.native, theme);
  if (marker.arrow_to) paint_arrow(painter, marker.at, *marker.arrow_to, theme);
  painter.restore();
}

namespace {

void append(const HighlightBox& box, vtkPoints* points, vtkCellArray* lines, vtkCellArray* faces) {
  static constexpr std::array<std::array<int, 2>, 12> edges{
      {{0, 1}, {1, 3}, {3, 2}, {2, 0}, {4, 5}, {5, 7}, {7, 6}, {6, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
  static constexpr std::array<std::array<int, 4>, 6> sides{
      {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}}};
  const vtkIdType first = points->GetNumberOfPoints();
  for (int corner = 0; corner < 8; ++corner) {
    std::array<float, 3> p = box.centre;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      p[a] += ((corner >> axis) & 1 ? 0.5F : -0.5F) * box.size[a];
    }
    points->InsertNextPoint(p.data());
  }
  for (const auto& edge : edges) {
    const std::array<vtkIdType, 2> ends{first + edge[0], first + edge[1]};
    lines->InsertNextCell(2, ends.data());
  }
  for (const auto& side : sides) {
    const std::array<vtkIdType, 4> corners{first + side[0], first + side[1], first + side[2],
                                           first + side[3]};
    faces->InsertNextCell(4, corners.data());
  }
}

}  // namespace

struct HighlightBoxes::Actors {
  std::vector<vtkNew<vtkActor>> all;
};

HighlightBoxes::HighlightBoxes(vtkRenderer* renderer)
    : renderer_(renderer), actors_(std::make_unique<Actors>()) {}
HighlightBoxes::~HighlightBoxes() = default;

void HighlightBoxes::add(const HighlightBox& style, vtkPoints* points, vtkCellArray* lines,
                         vtkCellArray* faces) {
  const auto show = [&](double opacity, vtkCellArray* wires, vtkCellArray* polygons) {
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetLines(wires);
    data->SetPolys(polygons);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(data);
    vtkNew<vtkActor> actor;
    actor->SetMapper(mapper);
    std::array<double, 3> colour = style.colour;
    actor->GetProperty()->SetColor(colour.data());
    actor->GetProperty()->SetOpacity(opacity);
    actor->GetProperty()->SetLineWidth(static_cast<float>(style.width));
    actor->GetProperty()->LightingOff();
    renderer_->AddActor(actor);
    actors_->all.push_back(std::move(actor));
  };
  show(1.0, lines, nullptr);
  if (style.filled > 0) show(style.filled, nullptr, faces);
}

void HighlightBoxes::set(const std::vector<HighlightBox>& boxes) {
  for (auto& actor : actors_->all)
    renderer_->RemoveActor(actor);
  actors_->all.clear();
  // Boxes with the same style share one set of actors.
  std::vector<HighlightBox> left = boxes;
  while (!left.empty()) {
    const HighlightBox style = left.front();
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> lines, faces;
    std::erase_if(left, [&](const HighlightBox& box) {
      const bool same = box.colour == style.colour && box.width == style.width && box.filled == style.filled;
      if (same) append(box, points, lines, faces);
      return same;
    });
    add(style, points, lines, faces);
  }
}

}  // namespace spira::ui

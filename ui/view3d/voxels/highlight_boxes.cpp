#include "ui/view3d/voxels/highlight_boxes.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

#include <utility>

namespace spira::ui {
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

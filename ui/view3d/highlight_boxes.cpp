#include "ui/view3d/highlight_boxes.hpp"

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

/// The edges of one box, after those that are there.
void append(const HighlightBox& box, vtkPoints* points, vtkCellArray* lines) {
  static constexpr std::array<std::array<int, 2>, 12> edges{
      {{0, 1}, {1, 3}, {3, 2}, {2, 0}, {4, 5}, {5, 7}, {7, 6}, {6, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
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
}

}  // namespace

struct HighlightBoxes::Actors {
  std::vector<vtkNew<vtkActor>> all;
};

HighlightBoxes::HighlightBoxes(vtkRenderer* renderer)
    : renderer_(renderer), actors_(std::make_unique<Actors>()) {}
HighlightBoxes::~HighlightBoxes() = default;

void HighlightBoxes::set(const std::vector<HighlightBox>& boxes) {
  for (auto& actor : actors_->all)
    renderer_->RemoveActor(actor);
  actors_->all.clear();
  // One actor a style: boxes of one colour and width share it.
  std::vector<HighlightBox> left = boxes;
  while (!left.empty()) {
    const HighlightBox style = left.front();
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> lines;
    std::erase_if(left, [&](const HighlightBox& box) {
      const bool same = box.colour == style.colour && box.width == style.width;
      if (same) append(box, points, lines);
      return same;
    });
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetLines(lines);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(data);
    vtkNew<vtkActor> actor;
    actor->SetMapper(mapper);
    std::array<double, 3> colour = style.colour;
    actor->GetProperty()->SetColor(colour.data());
    actor->GetProperty()->SetLineWidth(static_cast<float>(style.width));
    actor->GetProperty()->LightingOff();
    renderer_->AddActor(actor);
    actors_->all.push_back(std::move(actor));
  }
}

}  // namespace spira::ui

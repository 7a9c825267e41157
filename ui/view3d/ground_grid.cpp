#include "ui/view3d/ground_grid.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>

namespace spira::ui {

struct GroundGrid::State {
  vtkNew<vtkPolyData> data;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  double spacing = 0;
  bool visible = false;

  void show() { actor->SetVisibility(visible && spacing > 0 ? 1 : 0); }
};

namespace {

/// The two axes along the ground, the axis that points up, and a flag that is true if the ground is at the
/// low end of the up axis.
struct Ground {
  std::size_t along, across, up;
  bool low;
};
Ground ground_of(UpAxis up) {
  if (up == UpAxis::z) return {0, 1, 2, true};
  return {0, 2, 1, up == UpAxis::y};
}

}  // namespace

double grid_spacing(double side_m) {
  constexpr double lines = 20;
  const double wanted = std::max(1e-6, side_m / lines);
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  return decade * (wanted / decade > 5 ? 10 : wanted / decade > 2 ? 5 : wanted / decade > 1 ? 2 : 1);
}

GroundGrid::GroundGrid(vtkRenderer* renderer) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.mapper->SetInputData(s.data);
  s.actor->SetMapper(s.mapper);
  s.actor->GetProperty()->LightingOff();
  s.actor->VisibilityOff();
  renderer->AddActor(s.actor);
}

GroundGrid::~GroundGrid() = default;

void GroundGrid::set(const VoxelMesh* mesh, UpAxis up) {
  constexpr double strays = 0.005;
  State& s = *state_;
  s.data->Initialize();
  s.spacing = 0;
  if (mesh == nullptr || mesh->voxels == 0) return s.show();
  const std::array<double, 6> bounds = bounds_of(mesh, strays);
  const Ground g = ground_of(up);
  const auto side = [&](std::size_t axis) { return bounds[(2 * axis) + 1] - bounds[2 * axis]; };
  s.spacing = grid_spacing(std::max(side(g.along), side(g.across)));
  const double half = (g.low ? -0.5 : 0.5) * static_cast<double>(mesh->cell[g.up]);
  const double height = bounds[(2 * g.up) + (g.low ? 0 : 1)] + half;
  const vtkNew<vtkPoints> points;
  const vtkNew<vtkCellArray> lines;
  for (const auto& [axis, other] : {std::pair{g.along, g.across}, {g.across, g.along}}) {
    // The grid starts at the last multiple of the spacing below the voxels and ends at the first multiple
    // above them, in scene coordinates.
    const auto below = [&](std::size_t a) {
      return (std::floor((bounds[2 * a] + mesh->origin[a]) / s.spacing) * s.spacing) - mesh->origin[a];
    };
    const auto above = [&](std::size_t a) {
      return (std::ceil((bounds[(2 * a) + 1] + mesh->origin[a]) / s.spacing) * s.spacing) - mesh->origin[a];
    };
    const auto count = static_cast<int>(std::lround((above(axis) - below(axis)) / s.spacing));
    for (int line = 0; line <= count; ++line) {
      std::array<double, 3> from{}, to{};
      from[axis] = to[axis] = below(axis) + (line * s.spacing);
      from[other] = below(other);
      to[other] = above(other);
      from[g.up] = to[g.up] = height;
      const std::array<vtkIdType, 2> ends{points->InsertNextPoint(from.data()),
                                          points->InsertNextPoint(to.data())};
      lines->InsertNextCell(2, ends.data());
    }
  }
  s.data->SetPoints(points);
  s.data->SetLines(lines);
  s.show();
}

void GroundGrid::show(bool visible) {
  state_->visible = visible;
  state_->show();
}

void GroundGrid::setColour(const QColor& colour) {
  state_->actor->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF());
}

bool GroundGrid::shown() const {
  return state_->visible;
}

double GroundGrid::spacing() const {
  return state_->spacing;
}

}  // namespace spira::ui

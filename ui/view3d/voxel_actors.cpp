#include "ui/view3d/voxel_actors.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <numeric>

namespace spira::ui {
namespace {

/// Software GL draws this many points, or half as many quads, in about 40 ms: more are thinned out while
/// moving.
constexpr std::int64_t most_points_moving = 150'000;

struct Drawn {
  vtkNew<vtkPolyData> data;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  vtkNew<vtkUnsignedCharArray> colours;

  explicit Drawn(vtkRenderer* renderer) {
    colours->SetNumberOfComponents(3);
    mapper->SetInputData(data);
    mapper->SetColorModeToDirectScalars();
    actor->SetMapper(mapper);
    actor->VisibilityOff();
    renderer->AddActor(actor);
  }
};

/// Cells of `corners` points each, over points 0, 1, 2, ...
vtkNew<vtkCellArray> cells_in_order(vtkIdType cells, int corners) {
  vtkNew<vtkTypeInt32Array> offsets, connectivity;
  offsets->SetNumberOfValues(cells + 1);
  connectivity->SetNumberOfValues(cells * corners);
  for (vtkIdType cell = 0; cell <= cells; ++cell)
    offsets->SetValue(cell, static_cast<int>(cell * corners));
  std::iota(connectivity->GetPointer(0), connectivity->GetPointer(0) + (cells * corners), 0);
  vtkNew<vtkCellArray> array;
  array->SetData(offsets, connectivity);
  return array;
}

/// The mesh owns the numbers; VTK reads them in place.
vtkNew<vtkPoints> points_over(const std::vector<float>& coordinates) {
  vtkNew<vtkFloatArray> values;
  values->SetNumberOfComponents(3);
  values->SetArray(const_cast<float*>(coordinates.data()), static_cast<vtkIdType>(coordinates.size()), 1);
  vtkNew<vtkPoints> points;
  points->SetData(values);
  return points;
}

Rgb faded(const Rgb& colour, const Rgb& background) {
  Rgb result{};
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = static_cast<std::uint8_t>((colour[c] + (7 * background[c])) / 8);
  return result;
}

void put(unsigned char* to, const Rgb& colour) {
  to[0] = colour[0];
  to[1] = colour[1];
  to[2] = colour[2];
}

}  // namespace

struct VoxelActors::State {
  explicit State(vtkRenderer* scene_renderer)
      : renderer(scene_renderer), faces(renderer), points(renderer), thinned(renderer) {
    faces.actor->GetProperty()->SetInterpolationToFlat();
    faces.actor->GetProperty()->SetAmbient(0.35);
    faces.actor->GetProperty()->SetDiffuse(0.65);
    for (Drawn* drawn : {&points, &thinned})
      drawn->actor->GetProperty()->LightingOff();
    points.actor->GetProperty()->SetPointSize(2.5F);
    thinned.actor->GetProperty()->SetPointSize(3.0F);
  }

  void show() {
    const bool any = mesh != nullptr && mesh->voxels > 0;
    const bool thin = any && moving && mesh->voxels > most_points_moving;
    const bool as_faces =
        any && mesh->has_faces() &&
        !(moving && static_cast<std::int64_t>(mesh->row_of_quad.size()) > most_points_moving / 2);
    faces.actor->SetVisibility(as_faces ? 1 : 0);
    points.actor->SetVisibility(any && !as_faces && !thin ? 1 : 0);
    thinned.actor->SetVisibility(thin && !as_faces ? 1 : 0);
  }

  vtkRenderer* renderer;
  std::shared_ptr<const VoxelMesh> mesh;
  Drawn faces, points, thinned;
  std::vector<float> thinned_centres;
  std::vector<std::size_t> thinned_rows;
  std::vector<vtkNew<vtkActor>> highlights;
  bool moving = false;
};

VoxelActors::VoxelActors(vtkRenderer* renderer) : state_(std::make_unique<State>(renderer)) {}
VoxelActors::~VoxelActors() = default;

void VoxelActors::setMesh(std::shared_ptr<const VoxelMesh> mesh) {
  State& s = *state_;
  const auto former = s.mesh;  // VTK reads its arrays until they are replaced below
  s.mesh = std::move(mesh);
  if (s.mesh && s.mesh->voxels > 0) {
    s.points.data->SetPoints(points_over(s.mesh->centres));
    s.points.data->SetVerts(cells_in_order(static_cast<vtkIdType>(s.mesh->voxels), 1));
    s.faces.data->Initialize();
    if (s.mesh->has_faces()) {
      s.faces.data->SetPoints(points_over(s.mesh->corners));
      s.faces.data->SetPolys(cells_in_order(static_cast<vtkIdType>(s.mesh->row_of_quad.size()), 4));
    }
    const auto step =
        static_cast<std::size_t>(std::max<std::int64_t>(1, s.mesh->voxels / most_points_moving));
    s.thinned_centres.clear();
    s.thinned_rows.clear();
    for (std::size_t row = 0; row < static_cast<std::size_t>(s.mesh->voxels); row += step) {
      s.thinned_rows.push_back(row);
      s.thinned_centres.insert(s.thinned_centres.end(),
                               s.mesh->centres.begin() + static_cast<std::ptrdiff_t>(row * 3),
                               s.mesh->centres.begin() + static_cast<std::ptrdiff_t>((row * 3) + 3));
    }
    s.thinned.data->SetPoints(points_over(s.thinned_centres));
    s.thinned.data->SetVerts(cells_in_order(static_cast<vtkIdType>(s.thinned_rows.size()), 1));
  }
  setHighlights({});
  s.show();
}

void VoxelActors::setColours(const std::vector<Rgb>& colours, const std::vector<bool>& keep,
                             const Rgb& background) {
  State& s = *state_;
  if (!s.mesh || colours.size() != static_cast<std::size_t>(s.mesh->voxels)) return;
  std::vector<Rgb> shown = colours;
  for (std::size_t row = 0; row < keep.size() && row < shown.size(); ++row) {
    if (!keep[row]) shown[row] = faded(shown[row], background);
  }
  s.points.colours->SetNumberOfTuples(static_cast<vtkIdType>(shown.size()));
  unsigned char* to = s.points.colours->GetPointer(0);
  for (const Rgb& colour : shown) {
    put(to, colour);
    to += 3;
  }
  s.thinned.colours->SetNumberOfTuples(static_cast<vtkIdType>(s.thinned_rows.size()));
  to = s.thinned.colours->GetPointer(0);
  for (const std::size_t row : s.thinned_rows) {
    put(to, shown[row]);
    to += 3;
  }
  s.faces.colours->SetNumberOfTuples(static_cast<vtkIdType>(s.mesh->row_of_quad.size()));
  to = s.faces.colours->GetPointer(0);
  for (const std::int32_t row : s.mesh->row_of_quad) {
    put(to, shown[static_cast<std::size_t>(row)]);
    to += 3;
  }
  s.points.data->GetPointData()->SetScalars(s.points.colours);
  s.thinned.data->GetPointData()->SetScalars(s.thinned.colours);
  if (s.mesh->has_faces()) {
    s.faces.data->GetCellData()->SetScalars(s.faces.colours);
    s.faces.mapper->SetScalarModeToUseCellData();
  }
  for (Drawn* drawn : {&s.points, &s.thinned, &s.faces}) {
    drawn->colours->Modified();
    drawn->data->Modified();
  }
}

void VoxelActors::setHighlights(const std::vector<HighlightBox>& boxes) {
  State& s = *state_;
  for (auto& actor : s.highlights)
    s.renderer->RemoveActor(actor);
  s.highlights.clear();
  static constexpr std::array<std::array<int, 2>, 12> edges{
      {{0, 1}, {1, 3}, {3, 2}, {2, 0}, {4, 5}, {5, 7}, {7, 6}, {6, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
  // One actor a style: boxes of one colour and width share it.
  std::vector<HighlightBox> left = boxes;
  while (!left.empty()) {
    const HighlightBox style = left.front();
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> lines;
    std::erase_if(left, [&](const HighlightBox& box) {
      if (box.colour != style.colour || box.width != style.width) return false;
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
      return true;
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
    s.renderer->AddActor(actor);
    s.highlights.push_back(std::move(actor));
  }
}

void VoxelActors::setMoving(bool moving) {
  state_->moving = moving;
  state_->show();
}

bool VoxelActors::moving() const {
  return state_->moving;
}
const VoxelMesh* VoxelActors::mesh() const {
  return state_->mesh.get();
}

std::int64_t VoxelActors::drawn() const {
  if (!state_->mesh) return 0;
  return state_->thinned.actor->GetVisibility() != 0 ? static_cast<std::int64_t>(state_->thinned_rows.size())
                                                     : state_->mesh->voxels;
}

}  // namespace spira::ui

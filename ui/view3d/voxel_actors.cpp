#include "ui/view3d/voxel_actors.hpp"

#include "ui/view3d/few_points.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPlane.h>
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

constexpr float point_size = 2.5F, moving_point_size = 4.0F, few_point_size = 6.0F;

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

/// A cell for each point that is not hidden.
vtkNew<vtkCellArray> points_shown(vtkIdType points, const std::vector<bool>& hidden) {
  vtkNew<vtkTypeInt32Array> offsets, connectivity;
  for (vtkIdType point = 0; point < points; ++point) {
    if (!hidden[static_cast<std::size_t>(point)]) connectivity->InsertNextValue(static_cast<int>(point));
  }
  offsets->SetNumberOfValues(connectivity->GetNumberOfValues() + 1);
  std::iota(offsets->GetPointer(0), offsets->GetPointer(0) + offsets->GetNumberOfValues(), 0);
  vtkNew<vtkCellArray> array;
  array->SetData(offsets, connectivity);
  return array;
}

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

void put(vtkUnsignedCharArray* to, const std::vector<Rgb>& of_row, const std::vector<std::int32_t>& rows) {
  to->SetNumberOfTuples(static_cast<vtkIdType>(rows.size()));
  unsigned char* next = to->GetPointer(0);
  for (const std::int32_t row : rows) {
    const Rgb& colour = of_row[static_cast<std::size_t>(row)];
    next = std::copy(colour.begin(), colour.end(), next);
  }
}

/// Cubes and points of one set of voxels. The arrays given must live as long as it shows them.
struct DrawnVoxels {
  explicit DrawnVoxels(vtkRenderer* renderer) : faces(renderer), points(renderer) {
    faces.actor->GetProperty()->SetInterpolationToFlat();
    faces.actor->GetProperty()->SetAmbient(0.35);
    faces.actor->GetProperty()->SetDiffuse(0.65);
    faces.mapper->SetScalarModeToUseCellData();
    points.actor->GetProperty()->LightingOff();
  }

  /// `hidden`: of the centres; empty: none.
  void set(const std::vector<float>& corners, const std::vector<float>& centres, float size,
           const std::vector<bool>& hidden = {}) {
    has_faces = !corners.empty();
    has_points = !centres.empty();
    faces.data->Initialize();
    points.data->Initialize();
    points.actor->GetProperty()->SetPointSize(size);
    if (has_faces) {
      faces.data->SetPoints(points_over(corners));
      faces.data->SetPolys(cells_in_order(static_cast<vtkIdType>(corners.size() / 12), 4));
    }
    if (has_points) {
      points.data->SetPoints(points_over(centres));
      const auto count = static_cast<vtkIdType>(centres.size() / 3);
      points.data->SetVerts(hidden.empty() ? cells_in_order(count, 1) : points_shown(count, hidden));
    }
  }

  void colour_faces(const std::vector<Rgb>& of_row, const std::vector<std::int32_t>& row_of_quad) {
    put(faces.colours, of_row, row_of_quad);
    faces.data->GetCellData()->SetScalars(faces.colours);
    faces.colours->Modified();
    faces.data->Modified();
  }
  void colour_points(const std::vector<Rgb>& of_row, const std::vector<std::int32_t>* row_of_point) {
    if (row_of_point != nullptr) {
      put(points.colours, of_row, *row_of_point);
    } else {
      points.colours->SetNumberOfTuples(static_cast<vtkIdType>(of_row.size()));
      std::copy_n(of_row.front().data(), 3 * of_row.size(), points.colours->GetPointer(0));
    }
    points.data->GetPointData()->SetScalars(points.colours);
    points.colours->Modified();
    points.data->Modified();
  }

  void show(bool visible) {
    faces.actor->SetVisibility(visible && has_faces ? 1 : 0);
    points.actor->SetVisibility(visible && has_points ? 1 : 0);
  }

  Drawn faces, points;
  bool has_faces = false, has_points = false;
};

const std::vector<float> nothing;

/// All of a mesh: as faces where it has some, else as points.
void set_mesh(DrawnVoxels& drawn, const VoxelMesh& mesh, bool faces, float size) {
  drawn.set(faces ? mesh.corners : nothing, faces ? nothing : mesh.centres, size, mesh.hidden);
}
void colour_mesh(DrawnVoxels& drawn, const VoxelMesh& mesh, const std::vector<Rgb>& of_row) {
  if (of_row.empty()) return;
  if (drawn.has_faces) {
    drawn.colour_faces(of_row, mesh.row_of_quad);
  } else {
    drawn.colour_points(of_row, nullptr);
  }
}

}  // namespace

struct VoxelActors::State {
  explicit State(vtkRenderer* scene_renderer)
      : renderer(scene_renderer), fine(renderer), coarse(renderer), sparse(renderer), near(renderer) {}

  [[nodiscard]] bool shows_detail() const { return mesh && mesh->voxels > 0 && detail && !moving; }
  [[nodiscard]] bool shows_moving() const { return moving && mesh && mesh->moving.mesh; }
  /// What the actor of the still picture holds.
  [[nodiscard]] const VoxelMesh& still_mesh() const { return mesh->still.mesh ? *mesh->still.mesh : *mesh; }
  [[nodiscard]] bool faces_of(const VoxelMesh& of) const {
    return of.has_faces() && style != VoxelStyle::points;
  }
  void set() {
    if (!mesh || mesh->voxels == 0) return;
    set_mesh(fine, still_mesh(), faces_of(still_mesh()), ratio * point_size);
    if (!mesh->moving.mesh) return;
    set_mesh(coarse, *mesh->moving.mesh, false, ratio * moving_point_size);
    const FewPoints former = std::move(few_points);  // VTK reads them until they are replaced
    few_points.choose(*mesh->moving.mesh);
    sparse.set(nothing, few_points.centres, ratio * few_point_size);
  }
  void show() {
    const bool any = allowed && mesh && mesh->voxels > 0;
    fine.show(any && !shows_moving() && !shows_detail());
    coarse.show(any && shows_moving() && !few);
    sparse.show(any && shows_moving() && few);
    near.show(any && shows_detail());
  }
  void colour() {
    if (!mesh) return;
    colour_mesh(fine, still_mesh(), mesh->still.mesh ? shown_still : shown);
    colour_moving();
    colour_detail();
  }
  void colour_moving() {
    if (!mesh->moving.mesh || shown_moving.empty()) return;
    colour_mesh(coarse, *mesh->moving.mesh, shown_moving);
    sparse.colour_points(shown_moving, &few_points.rows);
  }
  void colour_detail() {
    if (!detail || shown.empty()) return;
    near.colour_faces(shown, detail->row_of_quad);
    near.colour_points(shown, &detail->row_of_point);
  }

  vtkRenderer* renderer;
  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const ViewDetail> detail;
  std::vector<Rgb> shown, shown_moving, shown_still;  // colours as they are drawn, faded ones included
  FewPoints few_points;
  DrawnVoxels fine, coarse, sparse, near;
  std::vector<vtkNew<vtkActor>> highlights;
  VoxelStyle style = VoxelStyle::automatic;
  float ratio = 1.0F;
  bool moving = false, few = false;
  bool allowed = true;
  vtkNew<vtkPlane> above;
};

VoxelActors::VoxelActors(vtkRenderer* renderer) : state_(std::make_unique<State>(renderer)) {}
VoxelActors::~VoxelActors() = default;

void VoxelActors::setPixelRatio(double ratio) {
  state_->ratio = static_cast<float>(ratio);
}

void VoxelActors::setMesh(std::shared_ptr<const VoxelMesh> mesh) {
  State& s = *state_;
  const auto former = s.mesh;  // VTK reads their arrays until they are replaced below
  const auto former_detail = s.detail;
  s.mesh = std::move(mesh);
  s.detail.reset();
  s.shown.clear();
  s.shown_moving.clear();
  s.shown_still.clear();
  s.near.set(nothing, nothing, point_size);
  s.set();
  setHighlights({});
  s.show();
}

void VoxelActors::setDetail(std::shared_ptr<const ViewDetail> detail) {
  State& s = *state_;
  if (detail && detail->mesh != s.mesh) return;
  const auto former = s.detail;
  s.detail = detail && detail->whole ? std::move(detail) : nullptr;
  if (s.detail) s.near.set(s.detail->corners, s.detail->points, s.ratio * point_size);
  s.colour_detail();
  s.show();
}

void VoxelActors::setColours(std::vector<Rgb> shown, std::vector<Rgb> moving, std::vector<Rgb> still) {
  State& s = *state_;
  if (!s.mesh || shown.size() != static_cast<std::size_t>(s.mesh->voxels)) return;
  s.shown = std::move(shown);
  s.shown_moving = std::move(moving);
  s.shown_still = std::move(still);
  s.colour();
}

void VoxelActors::setMovingColours(std::vector<Rgb> moving) {
  State& s = *state_;
  if (!s.mesh || !s.mesh->moving.mesh) return;
  s.shown_moving = std::move(moving);
  s.colour_moving();
}

void VoxelActors::setStyle(VoxelStyle style) {
  State& s = *state_;
  if (style == s.style) return;
  s.style = style;
  for (DrawnVoxels* drawn : {&s.fine, &s.coarse, &s.sparse, &s.near})
    drawn->faces.actor->GetProperty()->SetEdgeVisibility(style == VoxelStyle::outlined ? 1 : 0);
  s.set();
  s.colour();
  s.show();
}

VoxelStyle VoxelActors::style() const {
  return state_->style;
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

void VoxelActors::setShown(bool shown) {
  state_->allowed = shown;
  state_->show();
}

void VoxelActors::setAbove(std::optional<double> height) {
  State& s = *state_;
  s.above->SetNormal(0, 0, 1);
  if (height) s.above->SetOrigin(0, 0, *height);
  for (DrawnVoxels* drawn : {&s.fine, &s.sparse, &s.coarse, &s.near}) {
    for (const vtkNew<vtkPolyDataMapper>* mapper : {&drawn->faces.mapper, &drawn->points.mapper}) {
      (*mapper)->RemoveAllClippingPlanes();
      if (height) (*mapper)->AddClippingPlane(s.above);
    }
  }
}

void VoxelActors::setFew(bool few) {
  state_->few = few;
  state_->show();
}

bool VoxelActors::few() const {
  return state_->few;
}

std::int64_t VoxelActors::pointsDrawnInstead() const {
  const State& s = *state_;
  const LevelOfDetail* instead = drawnInstead();
  if (instead == nullptr) return 0;
  return s.shows_moving() && s.few ? std::ssize(s.few_points.rows) : instead->mesh->voxels;
}

bool VoxelActors::moving() const {
  return state_->moving;
}
const std::shared_ptr<const VoxelMesh>& VoxelActors::mesh() const {
  return state_->mesh;
}
const ViewDetail* VoxelActors::detail() const {
  return state_->detail.get();
}

const LevelOfDetail* VoxelActors::drawnInstead() const {
  const State& s = *state_;
  if (s.shows_moving()) return &s.mesh->moving;
  return s.mesh && s.mesh->still.mesh && !s.shows_detail() ? &s.mesh->still : nullptr;
}

}  // namespace spira::ui

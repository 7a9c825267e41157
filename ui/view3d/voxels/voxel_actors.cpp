#include "ui/view3d/voxels/voxel_actors.hpp"

#include "engine/base/hash_and_random.hpp"
#include "ui/view3d/voxels/bounded_mapper.hpp"
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPlane.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

/// A random quarter of the points, for machines on which drawing all points takes too long. Every fourth row
/// would form stripes, because consecutive rows are neighbours in space.
struct FewPoints {
  std::vector<std::int32_t> rows;
  std::vector<float> centres;

  void choose(const VoxelMesh& mesh) {
    constexpr std::uint64_t one_of = 4;
    rows.clear();
    centres.clear();
    for (std::size_t row = 0; row < static_cast<std::size_t>(mesh.voxels); ++row) {
      if (mesh.hides(row) || (Random(row).bits() >> 32U) % one_of != 0) continue;
      rows.push_back(static_cast<std::int32_t>(row));
      centres.insert(centres.end(), mesh.centres.begin() + static_cast<std::ptrdiff_t>(3 * row),
                     mesh.centres.begin() + static_cast<std::ptrdiff_t>((3 * row) + 3));
    }
  }
};

constexpr float point_size = 2.5F, moving_point_size = 4.0F, few_point_size = 6.0F;
// Number of voxels. Drawing fewer voxels is fast enough without thinning.
constexpr std::int64_t worth_thinning = 20'000;

struct Drawn {
  vtkNew<vtkPolyData> data;
  vtkNew<BoundedMapper> mapper;
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

/// Returns one cell for each point that is not hidden.
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

/// Returns the numbers from 0 to `count` - 1. The cells of all meshes share this array, which exists until
/// the program ends. If a longer array is needed, a second array is allocated that is at least twice as long,
/// because VTK may still read the previous array.
vtkNew<vtkTypeInt32Array> counting(vtkIdType count) {
  static std::vector<std::vector<int>> rows(1);
  if (static_cast<std::size_t>(count) > rows.back().size()) {
    std::vector<int> longer(std::max(static_cast<std::size_t>(count), 2 * rows.back().size()));
    std::iota(longer.begin(), longer.end(), 0);
    rows.push_back(std::move(longer));
  }
  vtkNew<vtkTypeInt32Array> array;
  array->SetArray(rows.back().data(), count, 1);
  return array;
}

/// Returns cells with `corners` points each. The points of the cells are 0, 1, 2, and so on.
vtkNew<vtkCellArray> cells_in_order(vtkIdType cells, int corners) {
  vtkNew<vtkTypeInt32Array> offsets = counting(corners == 1 ? cells + 1 : 0);
  if (corners > 1) {
    offsets->SetNumberOfValues(cells + 1);
    for (vtkIdType cell = 0; cell <= cells; ++cell)
      offsets->SetValue(cell, static_cast<int>(cell * corners));
  }
  vtkNew<vtkCellArray> array;
  array->SetData(offsets, counting(cells * corners));
  return array;
}

/// Wraps the coordinates without copying them. VTK reads them in place, so the mesh must own them.
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

/// The cubes and points of one set of voxels. The arrays that are passed to set() must exist as long as they
/// are shown.
struct DrawnVoxels {
  explicit DrawnVoxels(vtkRenderer* renderer) : faces(renderer), points(renderer) {
    faces.actor->GetProperty()->SetInterpolationToFlat();
    faces.actor->GetProperty()->SetAmbient(0.35);
    faces.actor->GetProperty()->SetDiffuse(0.65);
    faces.mapper->SetScalarModeToUseCellData();
    points.actor->GetProperty()->LightingOff();
  }

  /// `box` must contain all voxels. `hidden` has one flag for each centre, or is empty if no voxel is hidden.
  void set(const std::vector<float>& corners, const std::vector<float>& centres,
           const std::array<double, 6>& box, float size, const std::vector<bool>& hidden = {}) {
    has_faces = !corners.empty();
    has_points = !centres.empty();
    faces.data->Initialize();
    points.data->Initialize();
    points.actor->GetProperty()->SetPointSize(size);
    faces.mapper->setBox(box);
    points.mapper->setBox(box);
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

/// Sets the whole mesh, as faces if `faces` is true, otherwise as points.
void set_mesh(DrawnVoxels& drawn, const VoxelMesh& mesh, bool faces, float size) {
  drawn.set(faces ? mesh.corners : nothing, faces ? nothing : mesh.centres, mesh.box, size, mesh.hidden);
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
  explicit State(vtkRenderer* renderer)
      : fine(renderer), coarse(renderer), sparse(renderer), near(renderer), highlights(renderer) {}

  [[nodiscard]] bool shows_detail() const { return mesh && mesh->voxels > 0 && detail && !moving; }
  [[nodiscard]] bool shows_moving() const { return moving && mesh && mesh->moving.mesh; }
  [[nodiscard]] bool shows_few() const { return moving && few && !few_points.rows.empty(); }
  /// Returns the mesh that is drawn while the camera moves.
  [[nodiscard]] const VoxelMesh& moving_mesh() const {
    return mesh->moving.mesh ? *mesh->moving.mesh : *mesh;
  }
  /// Returns the mesh that is drawn in a still picture.
  [[nodiscard]] const VoxelMesh& still_mesh() const { return mesh->still.mesh ? *mesh->still.mesh : *mesh; }
  [[nodiscard]] bool faces_of(const VoxelMesh& of) const {
    return of.has_faces() && style != VoxelStyle::points;
  }
  [[nodiscard]] float pointSize(float usual) const { return ratio * scale * usual; }
  void set() {
    if (!mesh || mesh->voxels == 0) return;
    set_mesh(fine, still_mesh(), faces_of(still_mesh()), pointSize(point_size));
    if (mesh->moving.mesh) set_mesh(coarse, *mesh->moving.mesh, false, pointSize(moving_point_size));
    // Keep the old points alive, because VTK reads them until they are replaced.
    const FewPoints former = std::exchange(few_points, {});
    if (moving_mesh().voxels >= worth_thinning) few_points.choose(moving_mesh());
    sparse.set(nothing, few_points.centres, moving_mesh().box, pointSize(few_point_size));
  }
  void show() {
    const bool any = allowed && mesh && mesh->voxels > 0;
    fine.show(any && !shows_moving() && !shows_detail() && !shows_few());
    coarse.show(any && shows_moving() && !shows_few());
    sparse.show(any && shows_few());
    near.show(any && shows_detail());
  }
  void colour() {
    if (!mesh) return;
    colour_mesh(fine, still_mesh(), mesh->still.mesh ? shown_still : shown);
    colour_moving();
    colour_detail();
  }
  void colour_moving() {
    const std::vector<Rgb>& of_moving = mesh->moving.mesh ? shown_moving : shown;
    if (of_moving.empty()) return;
    if (mesh->moving.mesh) colour_mesh(coarse, *mesh->moving.mesh, of_moving);
    if (!few_points.rows.empty()) sparse.colour_points(of_moving, &few_points.rows);
  }
  void colour_detail() {
    if (!detail || shown.empty()) return;
    near.colour_faces(shown, detail->row_of_quad);
    near.colour_points(shown, &detail->row_of_point);
  }

  std::shared_ptr<const VoxelMesh> mesh;
  std::shared_ptr<const ViewDetail> detail;
  std::vector<Rgb> shown, shown_moving, shown_still;  // Colours as they are drawn, including faded colours.
  FewPoints few_points;
  DrawnVoxels fine, coarse, sparse, near;
  HighlightBoxes highlights;
  VoxelStyle style = VoxelStyle::automatic;
  float ratio = 1.0F, scale = 1.0F;
  LevelOfDetail own;  // The mesh itself. Used if the mesh is thinned while the camera moves.
  bool moving = false, few = false;
  bool allowed = true, cut = false;
  vtkNew<vtkPlane> above;
};

VoxelActors::VoxelActors(vtkRenderer* renderer) : state_(std::make_unique<State>(renderer)) {}
VoxelActors::~VoxelActors() = default;

void VoxelActors::setPixelRatio(double ratio) {
  state_->ratio = static_cast<float>(ratio);
}

void VoxelActors::setPointScale(double scale) {
  State& s = *state_;
  s.scale = static_cast<float>(scale);
  for (const auto& [drawn, usual] : {std::pair{&s.fine, point_size},
                                     {&s.coarse, moving_point_size},
                                     {&s.sparse, few_point_size},
                                     {&s.near, point_size}})
    drawn->points.actor->GetProperty()->SetPointSize(s.pointSize(usual));
}

void VoxelActors::setMesh(std::shared_ptr<const VoxelMesh> mesh) {
  State& s = *state_;
  // Keep the old arrays alive, because VTK reads them until they are replaced below.
  const auto former = s.mesh;
  const auto former_detail = s.detail;
  const FewPoints former_few = std::move(s.few_points);
  s.mesh = std::move(mesh);
  s.own = {s.mesh, s.mesh ? s.mesh->voxels : 0, {}};
  s.few_points = {};
  s.detail.reset();
  s.shown.clear();
  s.shown_moving.clear();
  s.shown_still.clear();
  s.near.set(nothing, nothing, {}, point_size);
  s.set();
  setHighlights({});
  s.show();
}

void VoxelActors::setDetail(std::shared_ptr<const ViewDetail> detail) {
  State& s = *state_;
  if (detail && detail->mesh != s.mesh) return;
  const auto former = s.detail;
  s.detail = detail && detail->whole ? std::move(detail) : nullptr;
  if (s.detail) s.near.set(s.detail->corners, s.detail->points, s.mesh->box, s.pointSize(point_size));
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
  state_->highlights.set(boxes);
}

void VoxelActors::setMoving(bool moving) {
  state_->moving = moving;
  state_->show();
}

void VoxelActors::setShown(bool shown) {
  state_->allowed = shown;
  state_->show();
}

/// Moves an existing clipping plane instead of adding a new plane, because VTK would then process all cells
/// again.
void VoxelActors::setAbove(std::optional<double> height) {
  State& s = *state_;
  if (height) s.above->SetOrigin(0, 0, *height);
  if (std::exchange(s.cut, height.has_value()) == height.has_value()) return;
  s.above->SetNormal(0, 0, 1);
  for (DrawnVoxels* drawn : {&s.fine, &s.coarse, &s.sparse, &s.near}) {
    for (const vtkNew<BoundedMapper>* mapper : {&drawn->faces.mapper, &drawn->points.mapper}) {
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
  return s.shows_few() ? std::ssize(s.few_points.rows) : instead->mesh->voxels;
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
  if (s.shows_few()) return &s.own;
  return s.mesh && s.mesh->still.mesh && !s.shows_detail() ? &s.mesh->still : nullptr;
}

}  // namespace spira::ui

#include "ui/view3d/scene/scene_points.hpp"

#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>

#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

/// The points of one group, as discs of constant size.
struct Discs {
  vtkNew<vtkPolyData> data;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> places;

  explicit Discs(vtkRenderer* renderer) {
    places->SetNumberOfComponents(3);
    points->SetData(places);
    data->SetPoints(points);
    mapper->SetInputData(data);
    actor->SetMapper(mapper);
    actor->GetProperty()->LightingOff();
    actor->VisibilityOff();
    renderer->AddActor(actor);
  }
  void setCount(std::size_t count) {
    places->SetNumberOfTuples(static_cast<vtkIdType>(count));
    std::vector<vtkIdType> all(count);
    std::iota(all.begin(), all.end(), 0);
    const vtkNew<vtkCellArray> cells;
    if (count > 0) cells->InsertNextCell(static_cast<vtkIdType>(count), all.data());
    data->SetVerts(cells);
    actor->SetVisibility(count > 0 ? 1 : 0);
  }
  void place(const PointsInVoxels& group, const NearPoints& near, const ViewPoint& from) {
    if (group.count() == 0) return;
    move_out_of_voxels(group, *near.mesh, from, places->GetPointer(0));
    places->Modified();
    points->Modified();
    data->Modified();
  }
  /// Draws a disc of `ink` with an edge of `halo`. If `hole` is positive, the middle of the disc up to this
  /// radius has the colour `halo` too. Radii are fractions of the size of the point.
  void setStyle(const QColor& ink, const QColor& halo, float hole, float size) {
    const auto colour = [](const QColor& of) {
      return "vec4(" + std::to_string(of.redF()) + ", " + std::to_string(of.greenF()) + ", " +
             std::to_string(of.blueF()) + ", 1.0)";
    };
    vtkShaderProperty* shader = actor->GetShaderProperty();
    shader->ClearAllFragmentShaderReplacements();
    shader->AddFragmentShaderReplacement("//VTK::Light::Impl", true,
                                         "//VTK::Light::Impl\n"
                                         "  float spira_radius = length(gl_PointCoord - vec2(0.5));\n"
                                         "  if (spira_radius > 0.5) discard;\n"
                                         "  bool spira_ink = spira_radius < 0.37 && spira_radius >= " +
                                             std::to_string(hole) + ";\n  gl_FragData[0] = spira_ink ? " +
                                             colour(ink) + " : " + colour(halo) + ";\n",
                                         false);
    actor->GetProperty()->SetPointSize(size);
  }
};

}  // namespace

struct ScenePoints::Actors {
  Discs merged, kept;
  explicit Actors(vtkRenderer* renderer) : merged(renderer), kept(renderer) {}
};

ScenePoints::ScenePoints(Tasks& tasks, Workspace* workspace, ViewParts* parts, Theme* theme,
                         SceneCanvas* canvas, const SceneAnimation* animation)
    : workspace_(workspace),
      parts_(parts),
      theme_(theme),
      canvas_(canvas),
      animation_(animation),
      worker_(new MeshWorker(tasks, this)),
      actors_(std::make_unique<Actors>(canvas->widget()->renderer())) {
  connect(worker_, &MeshWorker::failed, this, &ScenePoints::failed);
  connect(worker_, &MeshWorker::nearReady, this, [this](std::shared_ptr<const NearPoints> near) {
    take(std::move(near));
    canvas_->redraw();
  });
  connect(theme_, &Theme::changed, this, &ScenePoints::retheme);
  retheme();
}

ScenePoints::~ScenePoints() = default;

bool ScenePoints::wanted() const {
  const VoxelMesh* mesh = canvas_->meshOfScene();
  return mesh != nullptr && mesh->voxels > 0 && parts_->shows(ViewPart::points) &&
         !animation_->replacesVoxels() && has_positions(*workspace_->scene().voxels(), mesh->stride);
}

void ScenePoints::prepareFrame() {
  if (near_ && (!wanted() || near_->mesh != canvas_->actors().mesh())) take(nullptr);
  if (!wanted()) {
    worker_->cancel();
    wanted_from_.reset();
    return;
  }
  const ViewPoint from = canvas_->viewPoint();
  const auto& mesh = canvas_->actors().mesh();
  const bool known = near_ && near_->from == from;
  const bool asked = worker_->busy() && wanted_from_ == from;
  if (!canvas_->actors().moving() && !known && !asked) {
    wanted_from_ = from;
    worker_->startNear(workspace_->scene().voxels(), mesh, from);
  }
  if (!near_ || placed_from_ == from) return;
  placed_from_ = from;
  actors_->merged.place(near_->merged, *near_, from);
  actors_->kept.place(near_->kept, *near_, from);
}

void ScenePoints::take(std::shared_ptr<const NearPoints> near) {
  near_ = std::move(near);
  placed_from_.reset();
  actors_->merged.setCount(near_ ? near_->merged.count() : 0);
  actors_->kept.setCount(near_ ? near_->kept.count() : 0);
}

bool ScenePoints::busy() const {
  return worker_->busy();
}

void ScenePoints::retheme() {
  constexpr float full = 0, hollow = 0.2F, size_px = 7;
  const auto size = static_cast<float>(size_px * canvas_->widget()->devicePixelRatioF());
  const Palette& p = theme_->palette();
  actors_->kept.setStyle(p.text, p.view_top, full, size);
  actors_->merged.setStyle(p.text, p.view_top, hollow, size);
}

}  // namespace spira::ui

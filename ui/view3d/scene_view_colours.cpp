// Colours and highlights of SceneView. Small scenes are coloured immediately, large ones on a worker thread.
// The window stays responsive, and the previous picture stays until the new one is complete.
#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <vtkRenderer.h>

#include <utility>

namespace spira::ui {
namespace {

constexpr std::int64_t at_once = 100'000;         // in voxels; takes about 10 ms
constexpr std::int64_t counted_at_once = 10'000;  // in voxels, for colourings that count or search matches

std::int64_t most_at_once(ColourBy colour_by) {
  const bool counted = colour_by == ColourBy::threshold_sides || colour_by == ColourBy::offset_match ||
                       colour_by == ColourBy::changed;
  return counted ? counted_at_once : at_once;
}

}  // namespace

/// Recolours once for all changes of a selection. A layer of another stride would otherwise colour a mesh
/// that is about to be replaced.
void SceneView::recolourSoon() {
  if (recolour_pending_) return;
  recolour_pending_ = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (recolour_pending_) recolour();
      },
      Qt::QueuedConnection);
}

std::shared_ptr<const VoxelMesh> SceneView::meshToColour() const {
  const auto& scene = workspace_->voxels();
  const auto& mesh = arriving_ ? arriving_->mesh : actors_->mesh();
  if (!scene || mesh == nullptr || (!arriving_ && shown_ != scene)) return nullptr;
  // The next mesh is being built.
  if (mesh->stride != selection_->stride() && worker_->busy()) return nullptr;
  return mesh;
}

ColourRequest SceneView::colourRequest(const std::shared_ptr<const VoxelMesh>& mesh) const {
  const auto rgb = [](const QColor& colour) {
    return Rgb{static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
               static_cast<std::uint8_t>(colour.blue())};
  };
  ColourRequest request;
  const ColourBy by = colouring_now(*workspace_, *selection_);
  request.key = {workspace_->voxels(), mesh->stride, by,
                 colour_sources(*workspace_, *selection_, mesh->stride, by)};
  request.key.sources.sides = {rgb(theme_->palette().dense), rgb(theme_->palette().sparse)};
  request.mesh = mesh;
  request.known = colouring_;
  request.known_moving = moving_colouring_;
  request.look = selection_->look();
  if (workspace_->frames().size() > 1) request.held = held_ranges_.of(workspace_->frame(), by, mesh->stride);
  request.from = camera_->viewPoint(canvas_->devicePixelRatioF());
  request.columns = selection_->hover().columns.empty() ? selection_->columns() : selection_->hover().columns;
  const auto& map = request.key.sources.map;  // may belong to another layer, whose t is being tried
  if (map && map != workspace_->shownMap(selection_->layer()).map) request.columns.clear();
  request.chosen = selection_->rows();
  if (!highlights_shown_) {
    request.columns.clear();
    request.chosen = nullptr;
  }
  request.hidden_labels = selection_->hiddenLabels();
  request.alarm = rgb(theme_->palette().error);
  request.background = rgb(theme_->palette().view_bottom);
  return request;
}

void SceneView::recolour() {
  recolour_pending_ = false;
  const auto mesh = meshToColour();
  if (!mesh) return;
  const ColourRequest request = colourRequest(mesh);
  if (mesh->voxels <= most_at_once(request.key.colour_by)) return takeColours(colour_scene(request, {}));
  answerAtOnce(request);
  // Show the result of a running request even if the pointer moved on; then start the next request.
  recolour_again_ = colourist_->busy();
  if (!recolour_again_) colourist_->startColours(request);
}

/// If a still picture takes longer than a frame, shows the highlight first in the points of a moving picture.
void SceneView::answerAtOnce(const ColourRequest& request) {
  constexpr double quick_ms = 16;
  if (arriving_ || request.mesh != actors_->mesh()) return;
  if ((actors_->moving() ? still_ms_ : canvas_->frameMs()) <= quick_ms) return;
  std::vector<Rgb> colours = colour_moving(request);
  if (colours.empty()) return;
  actors_->setMovingColours(std::move(colours));
  startMoving(quick_ms);
  redraw();
}

void SceneView::takeRangeAnew() {
  held_ranges_.forget();
  recolourSoon();
}

void SceneView::finishColours() {
  const bool wanted = recolour_pending_ || recolour_again_ || colourist_->busy();
  const auto mesh = meshToColour();
  if (!wanted || !mesh) return;
  colourist_->cancel();
  recolour_pending_ = recolour_again_ = false;
  takeColours(colour_scene(colourRequest(mesh), {}));
}

void SceneView::takeColours(SceneColours colours) {
  if (arriving_ && colours.mesh == arriving_->mesh) showArrived();
  if (colours.mesh == actors_->mesh()) {
    colouring_ = colours.colouring;
    colours.legend.title = titleHere(colours.legend.title);
    if (colouring_->of_all)
      held_ranges_.take(colouring_->key.colour_by, colouring_->key.stride,
                        {workspace_->frame(), colouring_->colours.legend.range});
    moving_colouring_ = colours.moving_colouring;
    actors_->setColours(std::move(colours.shown), std::move(colours.moving), std::move(colours.still));
    overlay_->setLegend(colours.group ? *colours.group : colours.legend);
    emit legendChanged(colours.legend);
    rehighlight();
  }
  if (std::exchange(recolour_again_, false)) recolour();
}

void SceneView::rehighlight() {
  marked_.reset();
  motionMarks() ? boxMotion() : boxChosen();
  redrawHighlights();
}

/// Shows the neighbours of the selected voxel as boxes in the scene. The overlay also marks the voxel and its
/// neighbours.
void SceneView::boxChosen() {
  const auto& scene = workspace_->voxels();
  const auto& chosen = selection_->voxel();
  std::vector<HighlightBox> boxes;
  const auto add = [&](const Voxel& voxel, int stride, bool hit) {
    constexpr double over = 1.04, within = 0.96;  // exact boxes would coincide with the faces of the cells
    const QColor& colour = hit ? theme_->palette().sparse : theme_->palette().faint_text;
    HighlightBox box;
    const auto centre = placeOf(voxel, stride);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.centre[axis] = static_cast<float>(centre[axis]);
      box.size[axis] = static_cast<float>(scene->grid.voxel_m[axis] * stride * (hit ? over : within));
    }
    box.colour = {colour.redF(), colour.greenF(), colour.blueF()};
    box.width = hit ? 2.0 : 1.0;
    box.filled = hit ? 0.45 : 0.0;
    boxes.push_back(box);
  };
  if (const VoxelMesh* mesh = meshOfScene(); mesh != nullptr && chosen && chosen->stride == mesh->stride) {
    const auto shown = workspace_->shownMap(selection_->layer());
    const auto row = row_of_voxel(scene->level(chosen->stride), chosen->voxel);
    marked_ = Marked{placeOf(chosen->voxel, chosen->stride)};
    const auto& columns =
        selection_->hover().columns.empty() ? selection_->columns() : selection_->hover().columns;
    if (selection_->neighboursShown() && shown.map && row && shown.stride_out == chosen->stride &&
        *row < shown.map->outputs) {
      const auto inputs = row_of(*shown.map, static_cast<std::int32_t>(*row));
      for (int column = 0; column < shown.map->offsets->columns(); ++column) {
        const Voxel d = shown.map->offsets->offset(column);
        const Voxel voxel{chosen->voxel[0] + d[0], chosen->voxel[1] + d[1], chosen->voxel[2] + d[2]};
        if (columns == std::vector{column} && voxel != chosen->voxel)
          marked_->arrow_to = placeOf(voxel, shown.stride_in);
        const bool hit = inputs[static_cast<std::size_t>(column)] >= 0;
        if (voxel == chosen->voxel) continue;
        add(voxel, shown.stride_in, hit);
        (hit ? marked_->hits : marked_->misses).push_back(placeOf(voxel, shown.stride_in));
      }
    }
  }
  if (!highlights_shown_) boxes.clear();
  actors_->setHighlights(boxes);
}

/// Updates the overlay immediately. A large scene is redrawn after a short delay.
void SceneView::redrawHighlights() {
  const auto& mesh = actors_->mesh();
  if (announce_ || mesh == nullptr || !mesh->moving.mesh) return redraw();
  overlay_->setMarker(marker());
  overlay_->setHovered(hoveredEdges());
  later_.start();
}

void SceneView::retheme() {
  const Palette& p = theme_->palette();
  canvas_->renderer()->SetBackground(p.view_bottom.redF(), p.view_bottom.greenF(), p.view_bottom.blueF());
  canvas_->renderer()->SetBackground2(p.view_top.redF(), p.view_top.greenF(), p.view_top.blueF());
  placeGrid();
  recolour();
  overlay_->update();
  redraw();
}

}  // namespace spira::ui

#include "ui/view3d/scene/scene_marks.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {

SceneMarks::SceneMarks(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
                       SceneCanvas* canvas, SceneAnimation* animation, const MeasureTool* measure)
    : workspace_(workspace),
      selection_(selection),
      parts_(parts),
      theme_(theme),
      canvas_(canvas),
      animation_(animation),
      measure_(measure),
      native_(selection, theme, canvas) {
  connect(selection_, &Selection::voxelChanged, this, &SceneMarks::rehighlight);
  // The neighbours depend on the map, which can change while the colours stay the same.
  connect(selection_, &Selection::layerChanged, this, &SceneMarks::followMap);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &SceneMarks::followMap);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer == selection_->layer()) followMap();
  });
  connect(selection_, &Selection::hoverChanged, this, &SceneMarks::followHover);
  connect(animation_, &SceneAnimation::momentsChanged, this, &SceneMarks::rehighlight);
  connect(animation_, &SceneAnimation::cellsMoved, this, &SceneMarks::followCells);
  connect(measure_, &MeasureTool::changed, this, &SceneMarks::showMeasured);
  connect(&native_, &NativeMarks::moved, this, &SceneMarks::showMarker);
}

void SceneMarks::followMap() {
  if (selection_->voxel() && workspace_->scene().voxels()) rehighlight();
}

void SceneMarks::followHover() {
  if (selection_->hover().voxel == hovered_) return;
  hovered_ = selection_->hover().voxel;
  showHovered();
  showMeasured();
}

std::optional<ChosenVoxel> SceneMarks::markedVoxel() const {
  const auto cells = animation_->cellsOf();
  return cells ? cells : selection_->voxel();
}

void SceneMarks::followCells(const std::optional<double>& share) {
  if (markedVoxel() != shown_) rehighlight();
  native_.hold(share);
}

void SceneMarks::rehighlight() {
  forget();
  shown_ = markedVoxel();
  if (animation_->hasMoments()) {
    animation_->boxMoment();
  } else {
    const VoxelMesh* mesh = canvas_->meshOfScene();
    if (mesh != nullptr && shown_ && shown_->stride == mesh->stride) mark(*shown_);
    boxNeighbours();
  }
  redraw();
}

void SceneMarks::forget() {
  marked_.reset();
  native_.set(std::nullopt, {});
}

void SceneMarks::mark(const ChosenVoxel& chosen) {
  const ShownMap shown = shown_map(*workspace_, *selection_);
  const auto row = row_of_voxel(workspace_->scene().voxels()->level(chosen.stride), chosen.voxel);
  marked_ = Marked{canvas_->placeOf(chosen.voxel, chosen.stride)};
  if (!has_level(*workspace_->scene().voxels(), shown.stride_in)) return;
  marked_->stride = shown.stride_in;
  if (!selection_->neighboursShown() || !shown.map || !row || shown.stride_out != chosen.stride ||
      *row >= shown.map->outputs)
    return;
  markNeighbours(chosen, shown, static_cast<std::int32_t>(*row));
}

void SceneMarks::markNeighbours(const ChosenVoxel& chosen, const ShownMap& shown, std::int32_t row) {
  const auto& columns =
      selection_->hover().columns.empty() ? selection_->columns() : selection_->hover().columns;
  const VoxelScene& scene = *workspace_->scene().voxels();
  if (shown.map->many() && has_positions(scene, shown.stride_in) && has_positions(scene, shown.stride_out)) {
    native_.set(native_row(scene, *shown.map, shown.stride_in, shown.stride_out, row), columns);
    marked_->hits = native_.inputPlaces();
    return;
  }
  // Without positions, show the voxels of the inputs. They need not be at the offsets of the kernel.
  if (shown.map->many()) {
    for (int column = 0; column < shown.map->offsets->columns(); ++column) {
      for (const std::int32_t input : inputs_of(*shown.map, row, column)) {
        const Voxel voxel = voxel_at(scene.level(shown.stride_in), input);
        if (voxel != chosen.voxel) marked_->hits.push_back(canvas_->placeOf(voxel, shown.stride_in));
      }
    }
    return;
  }
  const auto inputs = row_of(*shown.map, row);
  for (int column = 0; column < shown.map->offsets->columns(); ++column) {
    const Voxel d = shown.map->offsets->offset(column);
    const Voxel voxel{chosen.voxel[0] + d[0], chosen.voxel[1] + d[1], chosen.voxel[2] + d[2]};
    if (voxel == chosen.voxel) continue;
    const auto place = canvas_->placeOf(voxel, shown.stride_in);
    if (columns == std::vector{column}) marked_->arrow_to = place;
    (inputs[static_cast<std::size_t>(column)] >= 0 ? marked_->hits : marked_->misses).push_back(place);
  }
}

/// Shows the neighbours of the selected voxel as boxes in the scene. The overlay also marks the voxel and its
/// neighbours.
void SceneMarks::boxNeighbours() {
  std::vector<HighlightBox> boxes;
  const PerAxis step =
      marked_ ? workspace_->scene().voxels()->level(marked_->stride).rule.stride() : PerAxis();
  const auto add = [&](const std::array<double, 3>& centre, bool hit) {
    // Make the boxes a little larger or smaller than a cell, because boxes of the same size would coincide
    // with the faces of the cells.
    constexpr double over = 1.04, within = 0.96;
    const QColor& colour = hit ? theme_->palette().match : theme_->palette().faint_text;
    HighlightBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.centre[axis] = static_cast<float>(centre[axis]);
      box.size[axis] = static_cast<float>(workspace_->scene().voxels()->grid.voxel_m[axis] * step[axis] *
                                          (hit ? over : within));
    }
    box.colour = {colour.redF(), colour.greenF(), colour.blueF()};
    box.width = hit ? 2.0 : 1.0;
    box.filled = hit ? 0.45 : 0.0;
    boxes.push_back(box);
  };
  // The inputs of a native row are points, not voxels.
  if (marked_ && !native_.row() && parts_->shows(ViewPart::highlights)) {
    for (const auto& place : marked_->hits)
      add(place, true);
    for (const auto& place : marked_->misses)
      add(place, false);
  }
  canvas_->actors().setHighlights(boxes);
}

/// Updates the overlay immediately. If the scene is large, redraws the scene itself after a short delay.
void SceneMarks::redraw() {
  const auto& mesh = canvas_->actors().mesh();
  if (canvas_->announcing() || mesh == nullptr || !mesh->moving.mesh) return canvas_->redraw();
  showMarker();
  showHovered();
  canvas_->redrawLater();
}

void SceneMarks::showMarker() {
  canvas_->overlay().setMarker(marker());
}

void SceneMarks::prepareFrame() {
  showMarker();
  showHovered();
  showMeasured();
}

void SceneMarks::showHovered() {
  const auto& over = selection_->hover().voxel;
  canvas_->overlay().setHovered(over && over != selection_->voxel() ? edgesOf(*over) : QVector<QLineF>());
}

void SceneMarks::showMeasured() {
  canvas_->overlay().setMeasured(measured());
}

std::optional<VoxelMarker> SceneMarks::marker() const {
  const auto& mesh = canvas_->actors().mesh();
  if (!marked_ || mesh == nullptr || animation_->hasMoments() || !parts_->shows(ViewPart::highlights))
    return std::nullopt;
  const ViewPoint from = canvas_->viewPoint();
  const auto at = on_picture(from, canvas_->size(), marked_->at);
  if (!at) return std::nullopt;
  VoxelMarker marker;
  marker.at = {at->x, at->y};
  if (shown_) marker.edges = edgesOf(*shown_);
  marker.cell = static_cast<double>(*std::min_element(mesh->cell.begin(), mesh->cell.end())) *
                from.pixels_per_radian / at->depth;
  if (marked_->arrow_to) {
    if (const auto to = on_picture(from, canvas_->size(), *marked_->arrow_to))
      marker.arrow_to = QPointF(to->x, to->y);
  }
  // An animation that replaces the voxels explains something else than the inputs of a native row.
  if (native_.row() && animation_->replacesVoxels()) return marker;
  const auto place = [&](const auto& neighbours, std::vector<QPointF>& places) {
    for (const auto& neighbour : neighbours) {
      const auto there = on_picture(from, canvas_->size(), neighbour);
      if (!there) continue;
      places.emplace_back(there->x, there->y);
      marker.reach = std::max(marker.reach, std::hypot(there->x - at->x, there->y - at->y));
    }
  };
  place(marked_->hits, marker.hits);
  place(marked_->misses, marker.misses);
  marker.native = native_.marker();
  return marker;
}

/// Returns the edges of a voxel as lines on the canvas. Returns an empty list if a corner is behind the eye.
QVector<QLineF> SceneMarks::edgesOf(const ChosenVoxel& voxel) const {
  if (canvas_->meshOfScene() == nullptr || !has_level(*workspace_->scene().voxels(), voxel.stride)) return {};
  const ViewPoint from = canvas_->viewPoint();
  const std::array<double, 3> centre = canvas_->placeOf(voxel.voxel, voxel.stride);
  const PerAxis step = workspace_->scene().voxels()->level(voxel.stride).rule.stride();
  std::array<QPointF, 8> corners;
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    std::array<double, 3> place = centre;
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] += (((corner >> axis) & 1U) != 0 ? 0.5 : -0.5) *
                     workspace_->scene().voxels()->grid.voxel_m[axis] * step[axis];
    const auto at = on_picture(from, canvas_->size(), place);
    if (!at) return {};
    corners[corner] = {at->x, at->y};
  }
  QVector<QLineF> edges;
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (((corner >> axis) & 1U) == 0) edges.append({corners[corner], corners[corner | (1U << axis)]});
    }
  }
  return edges;
}

/// Returns the measured line. It starts at the first voxel and ends at the second voxel, or at the voxel
/// under the pointer until the user has chosen a second voxel.
std::optional<MeasuredLine> SceneMarks::measured() const {
  const auto& ends = measure_->ends();
  const auto& over = selection_->hover().voxel;
  const VoxelMesh* mesh = canvas_->meshOfScene();
  if (mesh == nullptr || ends.empty()) return std::nullopt;
  const auto& scene = *workspace_->scene().voxels();
  const Point& from = ends.front();
  const Point to = ends.size() == 2 ? ends.back() : over ? scene.centre_m(over->voxel, over->stride) : from;
  const ViewPoint eye = canvas_->viewPoint();
  const auto place = [&](const Point& of) {
    return on_picture(eye, canvas_->size(),
                      {of[0] - mesh->origin[0], of[1] - mesh->origin[1], of[2] - mesh->origin[2]});
  };
  const auto a = place(from), b = place(to);
  if (!a || !b) return std::nullopt;
  const bool both = ends.size() == 2 || over;
  return MeasuredLine{{a->x, a->y},
                      {b->x, b->y},
                      both ? distance_text(from, to, scene.grid, scene.cloud->unit()) : QString()};
}

}  // namespace spira::ui

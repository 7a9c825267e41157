// Camera functions of SceneView: framing, projection, depth shading, up axis and ground grid.
#include "engine/backend/host_read.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spira::ui {
namespace {

/// Bounds that grow to include positions. with_room() adds space, so that a few voxels do not fill the view.
class Around {
 public:
  void add(const std::array<double, 3>& place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bounds_[2 * axis] = std::min(bounds_[2 * axis], place[axis]);
      bounds_[(2 * axis) + 1] = std::max(bounds_[(2 * axis) + 1], place[axis]);
    }
  }
  [[nodiscard]] std::array<double, 6> with_room(double metres) const {
    std::array<double, 6> result = bounds_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result[2 * axis] -= metres;
      result[(2 * axis) + 1] += metres;
    }
    return result;
  }

 private:
  static constexpr double most = std::numeric_limits<double>::max();
  std::array<double, 6> bounds_{most, -most, most, -most, most, -most};
};

}  // namespace

void SceneView::frameAll() {
  camera_->frame(bounds_of(actors_->mesh().get(), 0.0));
  redraw();
}

void SceneView::frameChosen() {
  constexpr double cells_of_room = 6;
  const auto& chosen = selection_->voxel();
  const auto& rows = selection_->rows();
  const auto& mesh = actors_->mesh();
  if (mesh == nullptr || (!chosen && !rows)) return frameAll();
  Around around;
  if (chosen) {
    around.add(placeOf(chosen->voxel, chosen->stride));
  } else {
    const CoordSet& level = rows->scene->level(rows->stride);
    const std::size_t step = (rows->rows.size() / 100'000) + 1;  // an even selection: takes some milliseconds
    for (std::size_t at = 0; at < rows->rows.size(); at += step)
      around.add(placeOf(voxel_at(level, rows->rows[at]), rows->stride));
  }
  const auto cell = static_cast<double>(*std::max_element(mesh->cell.begin(), mesh->cell.end()));
  camera_->frame(around.with_room(cells_of_room * cell));
  redraw();
}

void SceneView::resetCamera() {
  camera_->reset(bounds_of(actors_->mesh().get(), 0.08));
  redraw();
}

void SceneView::look(double x, double y, double z) {
  constexpr double strays = 0.005;
  camera_->look(bounds_of(actors_->mesh().get(), strays), {x, y, z},
                std::abs(z) > 0.9 ? std::array<double, 3>{0, 1, 0} : std::array<double, 3>{0, 0, 1});
  redraw();
}

void SceneView::setOrthographic(bool orthographic) {
  camera_->setOrthographic(orthographic);
  redraw();
}

ViewPoint SceneView::detailPoint() const {
  ViewPoint from = camera_->viewPoint(canvas_->devicePixelRatioF());
  if (always_cubes(selection_->voxelStyle())) from.least_cube = 0;
  return from;
}

void SceneView::setDepthShading(bool on) {
  canvas_->setDepthShading(on);
  redraw();
}

void SceneView::setUp(UpAxis up) {
  camera_->setUp(up);
  placeGrid();
  recolour();
  resetCamera();
}

QString SceneView::titleHere(const QString& title) const {
  return camera_->up() == UpAxis::z || title != height_title() ? title : tr("z, m");
}

/// Builds the grid only if it is visible, because it requires the bounds of all voxels.
void SceneView::placeGrid() {
  if (!grid_->shown()) return overlay_->setGridSpacing(0);
  grid_->set(actors_->mesh().get(), camera_->up());
  const auto mixed = [](const QColor& a, const QColor& b) {
    return QColor::fromRgbF((0.45F * a.redF()) + (0.55F * b.redF()),
                            (0.45F * a.greenF()) + (0.55F * b.greenF()),
                            (0.45F * a.blueF()) + (0.55F * b.blueF()));
  };
  grid_->setColour(mixed(theme_->palette().faint_text, theme_->palette().view_bottom));
  overlay_->setGridSpacing(grid_->spacing());
}

}  // namespace spira::ui

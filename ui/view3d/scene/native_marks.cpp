#include "ui/view3d/scene/native_marks.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace spira::ui {

/// The K^3 cells where they are drawn now, relative to the origin of the mesh.
struct NativeMarks::Cells {
  int size = 3;
  std::array<double, 3> centre{}, cell{};

  /// Returns a corner of the cells. `at` is from 0 to `size` on each axis.
  [[nodiscard]] std::array<double, 3> corner(const std::array<double, 3>& at) const {
    std::array<double, 3> place = centre;
    for (std::size_t axis = 0; axis < 3; ++axis)
      place[axis] += (at[axis] - (0.5 * size)) * cell[axis];
    return place;
  }
};

NativeMarks::NativeMarks(Selection* selection, Theme* theme, SceneCanvas* canvas)
    : selection_(selection),
      theme_(theme),
      canvas_(canvas),
      share_(selection->look().cellsOnPoint() ? 1 : 0) {
  constexpr int slide_ms = 350;
  slide_.setDuration(slide_ms);
  slide_.setEasingCurve(QEasingCurve::InOutCubic);
  connect(&slide_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    share_ = value.toDouble();
    emit moved();
  });
  connect(&selection_->look(), &SceneLook::cellsOnPointChanged, this, &NativeMarks::followLook);
}

void NativeMarks::followLook() {
  slide_.stop();
  slide_.setStartValue(share_);
  slide_.setEndValue(selection_->look().cellsOnPoint() ? 1.0 : 0.0);
  if (!calm_ && row_) return slide_.start();
  share_ = slide_.endValue().toDouble();
  emit moved();
}

void NativeMarks::hold(const std::optional<double>& share) {
  const bool held = std::exchange(held_, share.has_value());
  if (!share && !held) return;
  slide_.stop();
  share_ = share ? *share : selection_->look().cellsOnPoint() ? 1.0 : 0.0;
  emit moved();
}

void NativeMarks::finish() {
  if (!settled()) slide_.setCurrentTime(slide_.duration());
}

void NativeMarks::set(std::optional<NativeRow> row, std::vector<int> columns) {
  row_ = std::move(row);
  columns_ = std::move(columns);
}

std::array<double, 3> NativeMarks::placeOf(const Point& point) const {
  const Point& origin = canvas_->actors().mesh()->origin;
  return {point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]};
}

std::vector<std::array<double, 3>> NativeMarks::inputPlaces() const {
  std::vector<std::array<double, 3>> places;
  for (const NativeInput& input : row_->inputs) {
    if (input.column >= 0) places.push_back(placeOf(input.position_m));
  }
  return places;
}

NativeMarks::Cells NativeMarks::cells() const {
  Cells cells{row_->kernel_size};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cells.centre[axis] = std::lerp(row_->voxel_centre_m[axis], row_->position_m[axis], share_);
    cells.cell[axis] = std::lerp(row_->voxel_cell_m[axis], row_->cell_m[axis], share_);
  }
  cells.centre = placeOf(cells.centre);
  return cells;
}

/// Returns the positions on the canvas. Returns an empty polygon if one of them is behind the eye.
QPolygonF NativeMarks::onCanvas(const std::vector<std::array<double, 3>>& places) const {
  const ViewPoint from = canvas_->viewPoint();
  QPolygonF polygon;
  for (const auto& place : places) {
    const auto at = on_picture(from, canvas_->size(), place);
    if (!at) return {};
    polygon << QPointF(at->x, at->y);
  }
  return polygon;
}

void NativeMarks::addEdges(const Cells& cells, NativeMarker& marker) const {
  const ViewPoint from = canvas_->viewPoint();
  const auto centre = on_picture(from, canvas_->size(), cells.centre);
  if (!centre) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int one = 0; one <= cells.size; ++one) {
      for (int other = 0; other <= cells.size; ++other) {
        std::array<double, 3> low{};
        low[(axis + 1) % 3] = one;
        low[(axis + 2) % 3] = other;
        std::array<double, 3> middle = low, high = low;
        middle[axis] = 0.5 * cells.size;
        high[axis] = cells.size;
        const auto a = on_picture(from, canvas_->size(), cells.corner(low));
        const auto b = on_picture(from, canvas_->size(), cells.corner(high));
        const auto m = on_picture(from, canvas_->size(), cells.corner(middle));
        if (!a || !b || !m) continue;
        (m->along > centre->along ? marker.far_edges : marker.near_edges)
            .append(QLineF(a->x, a->y, b->x, b->y));
      }
    }
  }
}

/// Adds the faces that point towards the eye.
void NativeMarks::addChosen(const Cells& cells, NativeMarker& marker) const {
  for (const int column : columns_) {
    const int size = cells.size;
    const std::array<int, 3> cell{column / (size * size), column / size % size, column % size};
    if (cell[0] >= size) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int side : {0, 1}) {
        std::vector<std::array<double, 3>> corners;
        for (const auto& [u, v] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
          std::array<double, 3> at{};
          at[axis] = cell[axis] + side;
          at[(axis + 1) % 3] = cell[(axis + 1) % 3] + u;
          at[(axis + 2) % 3] = cell[(axis + 2) % 3] + v;
          corners.push_back(cells.corner(at));
        }
        const QPolygonF face = onCanvas(corners);
        double doubled_area = 0;
        for (qsizetype at = 0; at < face.size(); ++at) {
          const QPointF a = face[at], b = face[(at + 1) % face.size()];
          doubled_area += (a.x() * b.y()) - (b.x() * a.y());
        }
        // The y axis of the canvas points down, so the area of a face on the high side is negative if the
        // face points towards the eye.
        if (side == 1 ? doubled_area < 0 : doubled_area > 0)
          marker.chosen.push_back({face, marker.scale[static_cast<std::size_t>(column)]});
      }
    }
  }
}

void NativeMarks::addBall(NativeMarker& marker) const {
  if (!row_->ball_m) return;
  constexpr int steps = 72;
  marker.ball_opacity = share_;
  const std::array<double, 3> centre = placeOf(row_->position_m);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<std::array<double, 3>> circle;
    for (int step = 0; step <= steps; ++step) {
      const double angle = 2 * std::numbers::pi * step / steps;
      std::array<double, 3> place = centre;
      place[(axis + 1) % 3] += std::cos(angle) * (*row_->ball_m)[(axis + 1) % 3];
      place[(axis + 2) % 3] += std::sin(angle) * (*row_->ball_m)[(axis + 2) % 3];
      circle.push_back(place);
    }
    marker.ball.append(onCanvas(circle));
  }
}

/// Adds the inputs with the colours of their columns. The columns are those of the cells that are shown.
void NativeMarks::addInputs(NativeMarker& marker) const {
  const ViewPoint from = canvas_->viewPoint();
  const bool local = share_ >= 0.5;
  std::vector<std::pair<double, NativeMarker::Input>> by_distance;
  for (const NativeInput& input : row_->inputs) {
    const auto at = on_picture(from, canvas_->size(), placeOf(input.position_m));
    if (!at) continue;
    const int column = local ? input.column : input.voxel_column;
    const QColor colour =
        column < 0 ? theme_->palette().faint_text : marker.scale[static_cast<std::size_t>(column)];
    by_distance.emplace_back(at->along,
                             NativeMarker::Input{{at->x, at->y}, input.change(), input.folded, colour});
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [distance, input] : by_distance)
    marker.inputs.push_back(input);
}

std::optional<NativeMarker> NativeMarks::marker() const {
  constexpr double distinguishable_px = 14;  // Minimum size of a cell. Inputs of smaller cells would overlap.
  if (!row_ || canvas_->meshOfScene() == nullptr) return std::nullopt;
  const Cells cells = this->cells();
  const ViewPoint from = canvas_->viewPoint();
  const auto at = on_picture(from, canvas_->size(), placeOf(row_->position_m));
  const double smallest = *std::min_element(cells.cell.begin(), cells.cell.end());
  if (!at || smallest * from.pixels_per_radian < distinguishable_px * at->depth) return std::nullopt;
  NativeMarker marker;
  marker.at = {at->x, at->y};
  const int columns = row_->kernel_size * row_->kernel_size * row_->kernel_size;
  const ColourMap map = selection_->look().colours().map;
  for (int column = 0; column < columns; ++column) {
    const Rgb rgb = colour_of(theme_->dark() ? on_dark(map) : map, column / (columns - 1.0));
    marker.scale.emplace_back(rgb[0], rgb[1], rgb[2]);
  }
  addEdges(cells, marker);
  addChosen(cells, marker);
  addBall(marker);
  addInputs(marker);
  marker.title = counted(std::ssize(inputPlaces()), tr("1 input, compared with voxels"),
                         tr("%1 inputs, compared with voxels"));
  // While the cells slide to where the user wants them, the note does not change.
  const bool on_point = held_ ? share_ >= 0.5 : selection_->look().cellsOnPoint();
  marker.note = on_point ? tr("Cells around the point") : tr("Cells around the voxel");
  return marker;
}

}  // namespace spira::ui

#include "ui/view3d/motion/motion_actors.hpp"

#include "engine/base/hash_and_random.hpp"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPlane.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTypeInt32Array.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace spira::ui {

struct MotionActors::State {
  vtkNew<vtkPolyData> data;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> places;
  vtkNew<vtkPlane> plane;
  std::shared_ptr<const AnimationScene> picture;
  // Positions relative to the origin. `way` contains the vector from the start to the end of each point, or
  // is empty if the points do not move.
  std::vector<float> from, way;
  Point origin{};
  double part = 0;
  int moment = not_shown;  // Step whose points are shown.
  // Indices of the points that are drawn if `few` is true, in ascending order. Empty if there are only few
  // points anyway.
  std::vector<int> few_points;
  bool few = false;
  double size = 0;                                     // Point size or line width, in device pixels.
  std::pair<std::int64_t, std::int64_t> span{-1, -1};  // Range of the points that are shown.

  static constexpr int not_shown = -2;

  [[nodiscard]] bool thinned() const { return few && !few_points.empty(); }
  void thin() {
    // Number of points that software OpenGL can draw in about 10 ms in addition to the voxels.
    constexpr std::int64_t enough = 8'000;
    few_points.clear();
    const std::int64_t count = std::ssize(picture->from);
    const auto one_of = static_cast<std::uint64_t>((count + enough - 1) / enough);
    for (std::int64_t at = 0; one_of > 1 && at < count; ++at) {
      if ((Random(static_cast<std::uint64_t>(at)).bits() >> 32U) % one_of == 0)
        few_points.push_back(static_cast<int>(at));
    }
  }
  /// Shows the points from `begin` to `end`, either as one VTK cell of points or as one line.
  void show(std::int64_t begin, std::int64_t end) {
    span = {begin, end};
    const vtkNew<vtkTypeInt32Array> offsets, connectivity;
    if (thinned()) {
      const auto first = std::lower_bound(few_points.begin(), few_points.end(), begin);
      const auto last = std::lower_bound(first, few_points.end(), end);
      connectivity->SetNumberOfValues(last - first);
      std::copy(first, last, connectivity->GetPointer(0));
    } else {
      connectivity->SetNumberOfValues(end - begin);
      std::iota(connectivity->GetPointer(0), connectivity->GetPointer(0) + (end - begin),
                static_cast<int>(begin));
    }
    const vtkIdType count = connectivity->GetNumberOfValues();
    offsets->SetNumberOfValues(2);
    offsets->SetValue(0, 0);
    offsets->SetValue(1, static_cast<int>(count));
    const vtkNew<vtkCellArray> cells;
    if (count > 0) cells->SetData(offsets, connectivity);
    const vtkNew<vtkCellArray> none;
    data->SetVerts(picture->joined ? none : cells);
    data->SetLines(picture->joined ? cells : none);
    data->Modified();
  }
  /// Enlarges the points if only a thinned selection of them is drawn.
  void style() const {
    constexpr double thinned_size = 1.5;
    const auto wide = static_cast<float>(thinned() && !picture->joined ? thinned_size * size : size);
    actor->GetProperty()->SetPointSize(wide);
    actor->GetProperty()->SetLineWidth(wide);
  }
  /// Shows the points in the search interval of the step `now`. Shows no points if the step has no interval.
  /// The interval counts all points, even if the picture contains only an evenly spread selection of them.
  void showMoment(int now) {
    if (now == moment) return;
    moment = now;
    if (from.empty()) return;
    const auto shown = static_cast<std::int64_t>(picture->from.size());
    const std::int64_t all = std::max(picture->of, shown), step = (all + shown - 1) / shown;
    std::int64_t begin = 0, end = 0;
    if (now >= 0) {
      begin = picture->moments[static_cast<std::size_t>(now)].begin;
      end = picture->moments[static_cast<std::size_t>(now)].end;
    }
    show(std::min(shown, (begin + step - 1) / step), std::min(shown, (end + step - 1) / step));
  }
};

namespace {

std::vector<float> relative(const std::vector<Point>& places, const Point& origin) {
  std::vector<float> result;
  result.reserve(3 * places.size());
  for (const Point& place : places) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      result.push_back(static_cast<float>(place[axis] - origin[axis]));
  }
  return result;
}

}  // namespace

MotionActors::MotionActors(vtkRenderer* renderer) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.places->SetNumberOfComponents(3);
  s.points->SetData(s.places);
  s.data->SetPoints(s.points);
  s.mapper->SetInputData(s.data);
  s.actor->SetMapper(s.mapper);
  s.actor->GetProperty()->LightingOff();
  s.actor->VisibilityOff();
  s.plane->SetNormal(0, 0, -1);
  renderer->AddActor(s.actor);
}

MotionActors::~MotionActors() = default;

void MotionActors::set(std::shared_ptr<const AnimationScene> picture, const Point& origin) {
  State& s = *state_;
  s.picture = std::move(picture);
  s.origin = origin;
  s.mapper->RemoveAllClippingPlanes();
  s.actor->SetVisibility(s.picture && !s.picture->from.empty() ? 1 : 0);
  s.from.clear();
  s.way.clear();
  if (!s.picture) return;
  s.from = relative(s.picture->from, origin);
  if (!s.picture->to.empty()) {
    s.way = relative(s.picture->to, origin);
    for (std::size_t at = 0; at < s.way.size(); ++at)
      s.way[at] -= s.from[at];
  }
  s.places->SetNumberOfTuples(static_cast<vtkIdType>(s.picture->from.size()));
  std::copy(s.from.begin(), s.from.end(), s.places->GetPointer(0));
  if (s.picture->plane_m) s.mapper->AddClippingPlane(s.plane);
  s.thin();
  s.show(0, std::ssize(s.picture->from));
  s.moment = State::not_shown;
  s.places->Modified();
  s.points->Modified();
  setAt(0);
}

/// Marks only changed data as modified, because VTK processes all data that is marked as modified.
void MotionActors::setAt(double part) {
  State& s = *state_;
  s.part = std::clamp(part, 0.0, 1.0);
  if (!s.picture) return;
  if (!s.picture->moments.empty()) return s.showMoment(s.picture->moment_at(s.part));
  const auto along = static_cast<float>(s.part);
  if (!s.way.empty()) {
    float* place = s.places->GetPointer(0);
    for (std::size_t at = 0; at < s.way.size(); ++at)
      place[at] = s.from[at] + (along * s.way[at]);
    s.places->Modified();
    s.points->Modified();
    s.data->Modified();
  }
  if (const auto& remain = s.picture->remain) {
    const std::int64_t shown = s.part < 1 ? std::ssize(s.picture->from) : *remain;
    if (s.span.second != shown) s.show(0, shown);
  }
  if (s.picture->one_by_one) s.show(0, std::llround(s.part * static_cast<double>(s.picture->from.size())));
  if (const auto height = plane()) s.plane->SetOrigin(0, 0, *height);
}

void MotionActors::setFew(bool few) {
  State& s = *state_;
  if (std::exchange(s.few, few) == few || !s.picture || s.few_points.empty()) return;
  s.show(s.span.first, s.span.second);
  s.style();
}

std::int64_t MotionActors::drawn() const {
  const State& s = *state_;
  if (!s.picture || s.picture->from.empty()) return 0;
  return s.picture->joined ? s.data->GetLines()->GetNumberOfConnectivityIds()
                           : s.data->GetVerts()->GetNumberOfConnectivityIds();
}

void MotionActors::setStyle(const QColor& colour, double pixel_ratio) {
  State& s = *state_;
  s.size = (s.picture ? s.picture->size : 1) * pixel_ratio;
  s.actor->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF());
  // Lines up to this width are not drawn as tubes, because thin tubes would hide the objects that they pass
  // through.
  constexpr double thin = 2;
  s.actor->GetProperty()->SetRenderLinesAsTubes(s.picture && s.picture->size > thin);
  if (s.picture) s.style();
}

const std::shared_ptr<const AnimationScene>& MotionActors::picture() const noexcept {
  return state_->picture;
}

std::optional<std::array<double, 6>> MotionActors::bounds() const {
  const State& s = *state_;
  if (s.from.empty() && (!s.picture || s.picture->marks.empty())) return std::nullopt;
  constexpr double most = std::numeric_limits<double>::max();
  std::array<double, 6> box{most, -most, most, -most, most, -most};
  for (std::size_t at = 0; at < s.from.size(); ++at) {
    const auto first = static_cast<double>(s.from[at]);
    const double last = first + (s.way.empty() ? 0.0 : static_cast<double>(s.way[at]));
    const std::size_t axis = at % 3;
    box[2 * axis] = std::min({box[2 * axis], first, last});
    box[(2 * axis) + 1] = std::max({box[(2 * axis) + 1], first, last});
  }
  if (!s.picture) return box;
  const auto add = [&](const Point& place, double cells) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = place[axis] - s.origin[axis], room = cells * s.picture->cell_m[axis];
      box[2 * axis] = std::min(box[2 * axis], at - room);
      box[(2 * axis) + 1] = std::max(box[(2 * axis) + 1], at + room);
    }
  };
  for (const MotionMark& mark : s.picture->marks)
    add(mark.at, 2);
  for (const Point& place : s.picture->around)
    add(place, 0);
  return box;
}

const Point& MotionActors::origin() const noexcept {
  return state_->origin;
}

double MotionActors::part() const noexcept {
  return state_->part;
}

std::optional<double> MotionActors::plane() const {
  const State& s = *state_;
  if (!s.picture || !s.picture->plane_m) return std::nullopt;
  const auto& [high, low] = *s.picture->plane_m;
  return high + (s.part * (low - high)) - s.origin[2];
}

}  // namespace spira::ui

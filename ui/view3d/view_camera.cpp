#include "ui/view3d/view_camera.hpp"

#include <vtkCamera.h>
#include <vtkMath.h>
#include <vtkMatrix4x4.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

using Vector = std::array<double, 3>;

Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector operator*(double f, const Vector& a) {
  return {f * a[0], f * a[1], f * a[2]};
}
double dot(const Vector& a, const Vector& b) {
  return (a[0] * b[0]) + (a[1] * b[1]) + (a[2] * b[2]);
}
Vector cross(const Vector& a, const Vector& b) {
  return {(a[1] * b[2]) - (a[2] * b[1]), (a[2] * b[0]) - (a[0] * b[2]), (a[0] * b[1]) - (a[1] * b[0])};
}
/// Rotates a vector of the scene so that the up axis of the scene becomes z. turned() is the inverse.
Vector upright(const Vector& a, UpAxis up) {
  if (up == UpAxis::z) return a;
  return up == UpAxis::y ? Vector{a[0], -a[2], a[1]} : Vector{a[0], a[2], -a[1]};
}
Vector turned(const Vector& a, UpAxis up) {
  if (up == UpAxis::z) return a;
  return up == UpAxis::y ? Vector{a[0], a[2], -a[1]} : Vector{a[0], -a[2], a[1]};
}
Vector unit(const Vector& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? (1.0 / length) * a : a;
}

using Pose = ViewCamera::Pose;

Pose pose_of(vtkCamera* camera) {
  Pose pose;
  camera->GetPosition(pose.position.data());
  camera->GetFocalPoint(pose.focal.data());
  camera->GetViewUp(pose.up.data());
  return pose;
}
void set_pose(vtkCamera* camera, const Pose& pose) {
  camera->SetPosition(pose.position.data());
  camera->SetFocalPoint(pose.focal.data());
  camera->SetViewUp(pose.up.data());
}

/// Returns the quantiles `cut` and 1 - `cut` of the coordinates [places][3] along one axis. They are computed
/// from an evenly spaced sample of the coordinates.
std::pair<double, double> middle_of(const std::vector<float>& places, std::size_t axis, double cut) {
  constexpr std::size_t samples = 20'000;
  const std::size_t step = std::max<std::size_t>(1, places.size() / 3 / samples);
  std::vector<float> values;
  for (std::size_t at = axis; at < places.size(); at += 3 * step)
    values.push_back(places[at]);
  const auto at = [&](double share) {
    const auto nth =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return static_cast<double>(*nth);
  };
  const double low = at(cut);
  return {low, at(1.0 - cut)};
}

/// Moves the far plane closer if the focal point would otherwise be in front of the near plane and therefore
/// invisible. This happens if an object is very far away, because the depth buffer limits the ratio of far
/// plane to near plane.
void keep_focus_in_front(vtkRenderer* renderer) {
  constexpr double nearest = 0.25, cut_from = 0.5;  // Fractions of the distance to the focal point.
  vtkCamera* camera = renderer->GetActiveCamera();
  const double distance = camera->GetDistance(), tolerance = renderer->GetNearClippingPlaneTolerance();
  std::array<double, 2> range{};
  camera->GetClippingRange(range.data());
  const bool forced = range[0] <= 1.01 * tolerance * range[1];
  if (forced && range[0] > cut_from * distance)
    camera->SetClippingRange(nearest * distance, nearest * distance / tolerance);
}

}  // namespace

std::array<double, 6> bounds_of(const VoxelMesh* mesh, double cut) {
  constexpr double min_cells = 12;  // Minimum length of the longest side, in cells.
  // An axis has stray points only if it is longer than its middle range by more than this factor.
  constexpr double much_longer = 2.0;
  // A point is not stray if its distance to the middle range is at most this fraction of the range.
  constexpr double around = 0.25;
  std::array<double, 6> bounds{-1, 1, -1, 1, -1, 1};
  if (mesh == nullptr || mesh->centres.empty()) return bounds;
  bool small = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = cut > 0 ? middle_of(mesh->centres, axis, cut)
                                     : std::pair{mesh->box[2 * axis], mesh->box[(2 * axis) + 1]};
    const double lowest = mesh->box[2 * axis], highest = mesh->box[(2 * axis) + 1],
                 beyond = around * (high - low);
    const bool strays = cut > 0 && highest - lowest > much_longer * (high - low);
    bounds[2 * axis] = strays ? std::max(lowest, low - beyond) : lowest;
    bounds[(2 * axis) + 1] = strays ? std::min(highest, high + beyond) : highest;
    small = small && high - low < min_cells * static_cast<double>(mesh->cell[axis]);
  }
  for (std::size_t axis = 0; small && axis < 3; ++axis) {
    const double centre = (bounds[2 * axis] + bounds[(2 * axis) + 1]) / 2.0;
    const double half = min_cells * static_cast<double>(mesh->cell[axis]) / 2.0;
    bounds[2 * axis] = centre - half;
    bounds[(2 * axis) + 1] = centre + half;
  }
  return bounds;
}

void ViewCamera::fit_clipping() {
  std::array<double, 6> bounds{};
  renderer_->ComputeVisiblePropBounds(bounds.data());
  for (std::size_t axis = 0; included_ && axis < 3; ++axis) {
    bounds[2 * axis] = std::min(bounds[2 * axis], (*included_)[2 * axis]);
    bounds[(2 * axis) + 1] = std::max(bounds[(2 * axis) + 1], (*included_)[(2 * axis) + 1]);
  }
  renderer_->ResetCameraClippingRange(bounds.data());
  keep_focus_in_front(renderer_);
}

void ViewCamera::include(const std::optional<std::array<double, 6>>& bounds) {
  included_ = bounds;
  fit_clipping();
}

namespace {

struct Box {
  Vector centre{}, half{};
};
Box box_of(const std::array<double, 6>& bounds) {
  Box box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.centre[axis] = (bounds[2 * axis] + bounds[(2 * axis) + 1]) / 2.0;
    box.half[axis] = (bounds[(2 * axis) + 1] - bounds[2 * axis]) / 2.0;
  }
  return box;
}

std::vector<Vector> corners_of(const Vector& half) {
  std::vector<Vector> corners(8, half);
  for (unsigned corner = 0; corner < 8; ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      corners[corner][axis] *= ((corner >> axis) & 1U) != 0 ? 1.0 : -1.0;
  }
  return corners;
}

/// Returns the voxels inside the box that are at the edge of a picture with these axes, relative to the
/// centre of the box. `slope` is the tangent of half the view angle. Uses an evenly spaced sample of the
/// voxels, which takes less than a millisecond.
std::vector<Vector> outline_of(std::span<const float> centres, const Box& box, const Vector& forward,
                               const Vector& right, double slope) {
  constexpr std::size_t samples = 10'000, sectors = 64;
  struct Farthest {
    double across = -1, distance = -1;
    Vector flat{}, near{};
  };
  std::array<Farthest, sectors> found;
  const Vector above = cross(right, forward);
  const std::size_t step = (centres.size() / 3 / samples) + 1;
  for (std::size_t at = 0; at + 2 < centres.size(); at += 3 * step) {
    const Vector arm = Vector{centres[at], centres[at + 1], centres[at + 2]} - box.centre;
    if (std::abs(arm[0]) > box.half[0] || std::abs(arm[1]) > box.half[1] || std::abs(arm[2]) > box.half[2])
      continue;
    const double x = dot(arm, right), y = dot(arm, above), across = std::hypot(x, y);
    const double turn = (std::atan2(y, x) / (2 * std::numbers::pi)) + 0.5;
    Farthest& sector = found.at(static_cast<std::size_t>(turn * sectors) % sectors);
    // A near voxel appears farther away from the centre of a perspective picture than a distant voxel.
    const double distance = (across / slope) - dot(arm, forward);
    if (across > sector.across) std::tie(sector.across, sector.flat) = std::tie(across, arm);
    if (distance > sector.distance) std::tie(sector.distance, sector.near) = std::tie(distance, arm);
  }
  std::vector<Vector> outline;
  for (const Farthest& sector : found) {
    if (sector.across >= 0) outline.insert(outline.end(), {sector.flat, sector.near});
  }
  return outline;
}

}  // namespace

void ViewCamera::look(const std::array<double, 6>& bounds, const Vector& direction, const Vector& up,
                      std::span<const float> centres) {
  // The bounds of a small scene include space around its voxels. A scene with fewer voxels than this fits the
  // view with its bounds, and a larger scene with the outline of its voxels.
  constexpr std::size_t min_voxels = 1000;
  const Box box = box_of(bounds);
  const Vector forward = unit(turned(direction, up_)), right = unit(cross(forward, turned(up, up_)));
  std::vector<Vector> outline;
  if (centres.size() / 3 >= min_voxels) outline = outline_of(centres, box, forward, right, slope());
  fit(bounds, direction, up, outline.empty() ? corners_of(box.half) : std::move(outline));
}

void ViewCamera::fit(const std::array<double, 6>& bounds, const Vector& direction, const Vector& up,
                     std::vector<Vector> outline) {
  constexpr double room = 1.05;
  const auto [centre, half] = box_of(bounds);
  vtkCamera* camera = renderer_->GetActiveCamera();
  const Vector forward = unit(turned(direction, up_)), right = unit(cross(forward, turned(up, up_))),
               above = cross(right, forward);
  double scale = 1e-6, distance = std::max(1e-6, std::sqrt(dot(half, half)));
  for (const Vector& arm : outline) {
    const double across = room * std::max(std::abs(dot(arm, above)), std::abs(dot(arm, right)) / aspect());
    scale = std::max(scale, across);
    distance = std::max(distance, (across / slope()) - dot(arm, forward));
  }
  set_pose(camera, {centre - (distance * forward), centre, turned(up, up_)});
  camera->SetParallelScale(scale);
  fit_clipping();
  framed_ = Framed{bounds, direction, up, std::move(outline), pose(), aspect()};
}

double ViewCamera::slope() const {
  return std::tan(vtkMath::RadiansFromDegrees(renderer_->GetActiveCamera()->GetViewAngle() / 2.0));
}

double ViewCamera::aspect() const {
  const int* size = renderer_->GetSize();
  return static_cast<double>(std::max(1, size[0])) / std::max(1, size[1]);
}

void ViewCamera::frameAgain() {
  if (!framed_ || framed_->pose != pose() || framed_->aspect == aspect()) return;
  const Framed framed = *framed_;
  fit(framed.bounds, framed.direction, framed.up, framed.outline);
}

void ViewCamera::setOrthographic(bool orthographic) {
  vtkCamera* camera = renderer_->GetActiveCamera();
  if (orthographic == this->orthographic()) return;
  const auto framed = framed_ && framed_->pose == pose() ? framed_ : std::nullopt;
  const double half_angle = vtkMath::RadiansFromDegrees(camera->GetViewAngle() / 2.0);
  if (orthographic) {
    camera->SetParallelScale(camera->GetDistance() * std::tan(half_angle));
  } else {
    Pose pose = pose_of(camera);
    const double distance = camera->GetParallelScale() / std::tan(half_angle);
    pose.position = pose.focal + (distance * unit(pose.position - pose.focal));
    set_pose(camera, pose);
  }
  camera->SetParallelProjection(orthographic ? 1 : 0);
  if (framed) return fit(framed->bounds, framed->direction, framed->up, framed->outline);
  fit_clipping();
}

bool ViewCamera::orthographic() const {
  return renderer_->GetActiveCamera()->GetParallelProjection() != 0;
}

ViewCamera::Pose ViewCamera::pose() const {
  return pose_of(renderer_->GetActiveCamera());
}

void ViewCamera::setPose(const Pose& pose) {
  set_pose(renderer_->GetActiveCamera(), pose);
  fit_clipping();
}

void ViewCamera::frame(const std::array<double, 6>& bounds) {
  const Pose pose = pose_of(renderer_->GetActiveCamera());
  look(bounds, upright(pose.focal - pose.position, up_), upright(pose.up, up_));
}

void ViewCamera::reset(const std::array<double, 6>& bounds, std::span<const float> centres) {
  look(bounds, {0.55, 0.75, -0.62}, {0, 0, 1}, centres);
}

void ViewCamera::orbit(double dx, double dy) {
  constexpr double degrees_per_pixel = 0.35;
  vtkCamera* camera = renderer_->GetActiveCamera();
  Pose pose = pose_of(camera);
  const Vector arm = upright(pose.position - pose.focal, up_), above = upright(pose.up, up_);
  const double radius = std::sqrt(dot(arm, arm));
  double azimuth = std::atan2(arm[1], arm[0]), elevation = std::asin(std::clamp(arm[2] / radius, -1.0, 1.0));
  if (std::abs(arm[0]) + std::abs(arm[1]) < 1e-9 * radius) azimuth = std::atan2(-above[1], -above[0]);
  azimuth -= vtkMath::RadiansFromDegrees(dx * degrees_per_pixel);
  elevation = std::clamp(elevation - vtkMath::RadiansFromDegrees(dy * degrees_per_pixel), -1.55, 1.55);
  const Vector around{radius * std::cos(elevation) * std::cos(azimuth),
                      radius * std::cos(elevation) * std::sin(azimuth), radius * std::sin(elevation)};
  pose.position = pose.focal + turned(around, up_);
  pose.up = turned({0, 0, 1}, up_);
  set_pose(camera, pose);
  fit_clipping();
}

std::array<double, 9> ViewCamera::axes() const {
  const Pose pose = pose_of(renderer_->GetActiveCamera());
  const Vector back = unit(pose.position - pose.focal);
  const Vector right = unit(cross(pose.up, back));
  const Vector up = cross(back, right);
  return {right[0], right[1], right[2], up[0], up[1], up[2], back[0], back[1], back[2]};
}

double ViewCamera::metresPerPixel() const {
  vtkCamera* camera = renderer_->GetActiveCamera();
  const double height =
      orthographic()
          ? 2.0 * camera->GetParallelScale()
          : 2.0 * camera->GetDistance() * std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle() / 2.0));
  return height / std::max(1, renderer_->GetSize()[1]);
}

void ViewCamera::pan(double dx, double dy) {
  vtkCamera* camera = renderer_->GetActiveCamera();
  Pose pose = pose_of(camera);
  const auto a = axes();
  const double scale = metresPerPixel();
  const Vector shift = (-dx * scale) * Vector{a[0], a[1], a[2]} + (-dy * scale) * Vector{a[3], a[4], a[5]};
  pose.position = pose.position + shift;
  pose.focal = pose.focal + shift;
  set_pose(camera, pose);
  fit_clipping();
}

ViewPoint ViewCamera::viewPoint(double pixel_ratio) const {
  ViewPoint point;
  vtkCamera* camera = renderer_->GetActiveCamera();
  const int* size = renderer_->GetSize();
  const double height = std::max(1, size[1]);
  // Use a fixed clipping range. It affects only the depth in z, which is not used here. With the real
  // clipping range, equal views would compare as different.
  const vtkMatrix4x4* matrix =
      camera->GetCompositeProjectionTransformMatrix(std::max(1, size[0]) / height, -1, 1);
  for (std::size_t row : {0U, 1U, 3U}) {
    for (std::size_t column = 0; column < 4; ++column)
      point.to_clip[(4 * row) + column] = matrix->GetElement(static_cast<int>(row), static_cast<int>(column));
  }
  const Pose pose = pose_of(camera);
  const auto a = axes();
  const Vector forward{-a[6], -a[7], -a[8]};
  for (std::size_t axis = 0; axis < 3; ++axis)
    point.to_clip[8 + axis] = forward[axis];
  point.to_clip[11] = -dot(forward, pose.position);
  point.eye = pose.position;
  point.pixels_per_radian =
      height / pixel_ratio / 2.0 / std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle() / 2.0));
  if (orthographic()) {  // Treat every depth as one metre, and place the eye very far away.
    constexpr double far_away = 1e7;
    point.eye = pose.position - (far_away * forward);
    point.pixels_per_radian = height / pixel_ratio / 2.0 / camera->GetParallelScale();
  }
  return point;
}

Ray ViewCamera::ray(const QPointF& pixel) const {
  vtkCamera* camera = renderer_->GetActiveCamera();
  const Pose pose = pose_of(camera);
  const auto a = axes();
  const int* size = renderer_->GetSize();
  const double half = std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle() / 2.0));
  const double x = ((2.0 * pixel.x() / std::max(1, size[0])) - 1.0) * half * aspect();
  const double y = ((2.0 * pixel.y() / std::max(1, size[1])) - 1.0) * half;
  if (orthographic()) {
    const double scale = camera->GetParallelScale() / half;
    const Vector from =
        pose.position + (x * scale * Vector{a[0], a[1], a[2]}) + (y * scale * Vector{a[3], a[4], a[5]});
    return {from, -1.0 * Vector{a[6], a[7], a[8]}};
  }
  const Vector direction =
      (x * Vector{a[0], a[1], a[2]}) + (y * Vector{a[3], a[4], a[5]}) - Vector{a[6], a[7], a[8]};
  return {pose.position, unit(direction)};
}

void ViewCamera::zoom(double factor, const QPointF& pixel) {
  vtkCamera* camera = renderer_->GetActiveCamera();
  Pose pose = pose_of(camera);
  const Ray through = ray(pixel);
  const double distance = camera->GetDistance();
  const double depth =
      distance / std::max(0.1, -dot(through.direction, Vector{axes()[6], axes()[7], axes()[8]}));
  const Vector target = through.from + (depth * through.direction);
  const double move = 1.0 - (1.0 / factor);
  if (orthographic()) camera->SetParallelScale(camera->GetParallelScale() / factor);
  pose.position = pose.position + (move * (target - pose.position));
  pose.focal = pose.focal + (move * (target - pose.focal));
  set_pose(camera, pose);
  fit_clipping();
}

void ViewCamera::focus(const Vector& point) {
  vtkCamera* camera = renderer_->GetActiveCamera();
  Pose pose = pose_of(camera);
  pose.position = pose.position + (point - pose.focal);
  pose.focal = point;
  set_pose(camera, pose);
  fit_clipping();
}

}  // namespace spira::ui

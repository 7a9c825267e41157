#include "ui/view3d/voxels/voxel_values.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/voxel_attributes.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/voxels/match_values.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

std::vector<float> heights(const VoxelScene& scene, int stride) {
  const CoordSet& level = scene.level(stride);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(size_of(level)));
  for (std::int64_t row = 0; row < size_of(level); ++row)
    result.push_back(static_cast<float>(scene.centre_m(voxel_at(level, row), stride)[2]));
  return result;
}

VoxelValues values_of(const VoxelScene& scene, int stride, ColourBy colour_by, const ColourSources& sources) {
  VoxelValues values;
  switch (colour_by) {
    case ColourBy::height:
      values.title = height_title();
      values.amount = heights(scene, stride);
      break;
    case ColourBy::intensity:
      values.title = tr("intensity, mean");
      values.amount = mean_intensities(scene, stride);
      break;
    case ColourBy::colour:
      values.title = tr("point colour");
      values.rgb = mean_colours(scene, stride);
      break;
    case ColourBy::label:
      values.title = tr("label");
      values.label = voxel_labels(scene, stride);
      values.label_format = scene.cloud->format;
      break;
    case ColourBy::points_per_voxel: {
      const auto points = points_in_voxels(scene, stride);
      values.title = tr("points per voxel");
      values.amount.assign(points.begin(), points.end());
      break;
    }
    case ColourBy::match_count: {
      const auto matches = matches_per_output(*sources.map);
      values.title = tr("kernel map matches");
      values.amount.assign(matches.begin(), matches.end());
      break;
    }
    case ColourBy::feature_norm: {
      const auto norms = feature_norms(*sources.layer->features);
      values.title = tr("feature norm");
      values.amount.assign(norms.begin(), norms.end());
      break;
    }
    case ColourBy::threshold_sides:
      return threshold_side_values(*sources.map, sources.threshold, sources.sides);
    case ColourBy::density:
      return density_values(*sources.map);
    case ColourBy::offset_match:
      return offset_match_values(*sources.map, sources.columns);
    case ColourBy::changed:
      return changed_values(scene, stride, *sources.other);
  }
  return values;
}

}  // namespace

QString colouring_unavailable_reason(ColourBy colour_by, const VoxelScene& scene, int stride,
                                     const ColourSources& sources) {
  const PointCloud& cloud = *scene.cloud;
  if (colour_by == ColourBy::intensity && cloud.intensity.empty()) return tr("the scene has no intensity");
  if (colour_by == ColourBy::colour && cloud.colour.empty()) return tr("the scene has no colours");
  if (colour_by == ColourBy::label && cloud.label.empty()) return tr("the scene has no labels");
  const bool of_map = colour_by == ColourBy::match_count || colour_by == ColourBy::density ||
                      colour_by == ColourBy::offset_match;
  if (of_map && !sources.map) return tr("no match counts at this stride yet");
  if (colour_by == ColourBy::changed && !sources.other)
    return tr("no other scene: press B to set the open run as the baseline, then open the next scene");
  if (colour_by == ColourBy::changed && sources.other->grid.voxel_m != scene.grid.voxel_m)
    return tr("the other scene has a different voxel size");
  // A smaller network has fewer levels.
  if (colour_by == ColourBy::changed && !has_level(*sources.other, stride))
    return tr("the other scene has no level of this stride");
  if (colour_by == ColourBy::threshold_sides && (!sources.map || sources.threshold < 0))
    return tr("no t at this stride: choose a layer that has run");
  if (colour_by == ColourBy::feature_norm && !sources.layer)
    return tr("no features at this stride: choose a layer that has run");
  return {};
}

QString height_title() {
  return tr("height, m");
}

VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by,
                         const ColourSources& sources) {
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  QString why = colouring_unavailable_reason(colour_by, scene, stride, sources);
  if (why.isEmpty()) {
    VoxelValues values = values_of(scene, stride, colour_by, sources);
    const auto special = std::count_if(values.amount.begin(), values.amount.end(),
                                       [](float value) { return !std::isfinite(value); });
    // Other colourings use NaN for voxels without a value.
    if (special > 0 && (colour_by == ColourBy::feature_norm || colour_by == ColourBy::intensity))
      values.note = tr("%1 of %2 voxels are NaN or infinite")
                        .arg(onScreen(count_text(special)), onScreen(count_text(std::ssize(values.amount))));
    if (values.size() == count) return values;
    why = colour_by == ColourBy::feature_norm ? tr("no features at this stride")
                                              : tr("no match counts at this stride yet");
  }
  VoxelValues instead = values_of(scene, stride, ColourBy::height, {});
  instead.note = why;
  return instead;
}

ValueRange middle_range(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto at = [&](double share) {
    const auto nth =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return static_cast<double>(*nth);
  };
  const double low = at(0.01);
  return {low, at(0.99)};
}

ValueRange range_in_view(const std::vector<float>& values, const VoxelMesh& mesh, const ViewPoint& from) {
  constexpr std::size_t most = 200'000;  // a selection of this size takes some milliseconds
  const std::size_t step = (values.size() / most) + 1;
  std::vector<float> seen;
  for (std::size_t row = 0; row < values.size(); row += step) {
    if (mesh.hides(row)) continue;
    const float* p = mesh.centres.data() + (3 * row);
    if (in_picture(from, {p[0], p[1], p[2]})) seen.push_back(values[row]);
  }
  if (seen.empty()) return middle_range(values);
  return middle_range(std::move(seen));
}

}  // namespace spira::ui

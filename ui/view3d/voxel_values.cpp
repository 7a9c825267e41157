#include "ui/view3d/voxel_values.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

/// Row of the level's voxel that holds each level-0 voxel.
std::vector<std::int32_t> parent_rows(const VoxelScene& scene, int stride) {
  const CoordSet& fine = scene.level(1);
  const CoordSet& coarse = scene.level(stride);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(size_of(fine)));
  std::int32_t last = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Voxel v = voxel_at(fine, static_cast<std::int64_t>(row));
    for (auto& c : v)
      c = c / stride * stride;
    if (voxel_at(coarse, last) != v) last = static_cast<std::int32_t>(row_of_voxel(coarse, v).value_or(0));
    rows[row] = last;
  }
  return rows;
}

/// Means of a point attribute over the voxels of a level.
template <class Value>
std::vector<float> point_means(const VoxelScene& scene, int stride, const Value& value) {
  const auto parents = parent_rows(scene, stride);
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  std::vector<double> sums(count, 0.0), points(count, 0.0);
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    const auto row = static_cast<std::size_t>(parents[static_cast<std::size_t>(scene.voxel_of_point[at])]);
    sums[row] += value(at);
    points[row] += 1.0;
  }
  std::vector<float> result(count);
  for (std::size_t row = 0; row < count; ++row)
    result[row] = static_cast<float>(sums[row] / std::max(1.0, points[row]));
  return result;
}

std::vector<float> heights(const VoxelScene& scene, int stride) {
  const CoordSet& level = scene.level(stride);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(size_of(level)));
  for (std::int64_t row = 0; row < size_of(level); ++row)
    result.push_back(static_cast<float>(scene.centre_m(voxel_at(level, row), stride)[2]));
  return result;
}

std::vector<float> point_counts(const VoxelScene& scene, int stride) {
  const auto parents = parent_rows(scene, stride);
  std::vector<float> points(static_cast<std::size_t>(size_of(scene.level(stride))), 0.0F);
  for (std::size_t row = 0; row < parents.size(); ++row)
    points[static_cast<std::size_t>(parents[row])] += static_cast<float>(scene.points_per_voxel[row]);
  return points;
}

std::vector<Rgb> mean_colours(const VoxelScene& scene, int stride) {
  std::vector<Rgb> result(static_cast<std::size_t>(size_of(scene.level(stride))));
  for (std::size_t c = 0; c < 3; ++c) {
    const auto channel = point_means(
        scene, stride, [&](std::size_t at) { return static_cast<double>(scene.cloud->colour[at][c]); });
    for (std::size_t row = 0; row < result.size(); ++row)
      result[row][c] = static_cast<std::uint8_t>(channel[row]);
  }
  return result;
}

VoxelValues values_of(const VoxelScene& scene, int stride, ColourBy colour_by, const LayerResult* layer,
                      const KernelMap* map) {
  VoxelValues values;
  switch (colour_by) {
    case ColourBy::height:
      values.title = "height, m";
      values.amount = heights(scene, stride);
      break;
    case ColourBy::intensity:
      values.title = "intensity, mean";
      values.amount = point_means(
          scene, stride, [&](std::size_t at) { return static_cast<double>(scene.cloud->intensity[at]); });
      break;
    case ColourBy::colour:
      values.title = "colour of the points";
      values.rgb = mean_colours(scene, stride);
      break;
    case ColourBy::label:
      values.title = "label";
      values.label = voxel_labels(scene, stride);
      values.label_format = scene.cloud->format;
      break;
    case ColourBy::points_per_voxel:
      values.title = "points in a voxel";
      values.amount = point_counts(scene, stride);
      break;
    case ColourBy::match_count: {
      const auto matches = matches_per_output(*map);
      values.title = "matches of the kernel map";
      values.amount.assign(matches.begin(), matches.end());
      break;
    }
    case ColourBy::feature_norm: {
      const auto norms = feature_norms(*layer->features);
      values.title = "norm of the features";
      values.amount.assign(norms.begin(), norms.end());
      break;
    }
  }
  return values;
}

}  // namespace

QString why_not_colour(ColourBy colour_by, const VoxelScene& scene, const LayerResult* layer,
                       const KernelMap* map) {
  const PointCloud& cloud = *scene.cloud;
  if (colour_by == ColourBy::intensity && cloud.intensity.empty()) return "the scene has no intensity";
  if (colour_by == ColourBy::colour && cloud.colour.empty()) return "the scene has no colours";
  if (colour_by == ColourBy::label && cloud.label.empty()) return "the scene has no labels";
  if (colour_by == ColourBy::match_count && map == nullptr) return "no match counts at this stride yet";
  if (colour_by == ColourBy::feature_norm && layer == nullptr)
    return "no features at this stride: choose a layer that was run";
  return {};
}

std::vector<std::uint32_t> voxel_labels(const VoxelScene& scene, int stride) {
  const auto parents = parent_rows(scene, stride);
  std::vector<std::pair<std::int32_t, std::uint32_t>> pairs;
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    pairs.emplace_back(parents[static_cast<std::size_t>(scene.voxel_of_point[at])], scene.cloud->label[at]);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(size_of(scene.level(stride))));
  std::ptrdiff_t most = 0;
  for (auto at = pairs.begin(); at != pairs.end();) {
    const auto next = std::upper_bound(at, pairs.end(), *at);
    const bool first = at == pairs.begin() || std::prev(at)->first != at->first;
    if (first || next - at > most) {
      most = next - at;
      labels[static_cast<std::size_t>(at->first)] = at->second;
    }
    at = next;
  }
  return labels;
}

VoxelValues voxel_values(const VoxelScene& scene, int stride, ColourBy colour_by, const LayerResult* layer,
                         const KernelMap* map) {
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  QString why = why_not_colour(colour_by, scene, layer, map);
  if (why.isEmpty()) {
    VoxelValues values = values_of(scene, stride, colour_by, layer, map);
    if (values.size() == count) return values;
    why = colour_by == ColourBy::match_count ? "no match counts at this stride yet"
                                             : "no features at this stride";
  }
  VoxelValues instead = values_of(scene, stride, ColourBy::height, nullptr, nullptr);
  instead.note = why;
  return instead;
}

ValueRange middle_range(std::vector<float> values) {
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
  constexpr std::size_t most = 200'000;  // some milliseconds
  const std::size_t step = (values.size() / most) + 1;
  std::vector<float> seen;
  for (std::size_t row = 0; row < values.size(); row += step) {
    const float* p = mesh.centres.data() + (3 * row);
    if (in_picture(from, {p[0], p[1], p[2]})) seen.push_back(values[row]);
  }
  if (seen.empty()) return middle_range(values);
  return middle_range(std::move(seen));
}

std::vector<bool> rows_matched(const KernelMap& map, const std::vector<int>& columns) {
  std::vector<bool> matched(static_cast<std::size_t>(map.outputs), false);
  for (const int column : columns) {
    const auto inputs = column_of(map, column);
    for (std::size_t row = 0; row < inputs.size(); ++row) {
      if (inputs[row] >= 0) matched[row] = true;
    }
  }
  return matched;
}

}  // namespace spira::ui

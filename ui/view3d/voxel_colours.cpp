#include "ui/view3d/voxel_colours.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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
std::vector<double> point_means(const VoxelScene& scene, int stride, const Value& value) {
  const auto parents = parent_rows(scene, stride);
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  std::vector<double> sums(count, 0.0), points(count, 0.0);
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    const auto row = static_cast<std::size_t>(parents[static_cast<std::size_t>(scene.voxel_of_point[at])]);
    sums[row] += value(at);
    points[row] += 1.0;
  }
  for (std::size_t row = 0; row < count; ++row)
    sums[row] /= std::max(1.0, points[row]);
  return sums;
}

/// From low to high over the middle 98 % of the values, so that a few strays do not grey out the rest.
VoxelColours by_amount(const std::vector<double>& values, QString title) {
  VoxelColours result;
  result.legend.title = std::move(title);
  if (values.empty()) return result;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  result.legend.low = at(0.01);
  result.legend.high = at(0.99);
  const double range = std::max(1e-12, result.legend.high - result.legend.low);
  const bool equal = sorted.front() == sorted.back();  // they get the middle, seen on both backgrounds
  for (const double value : values)
    result.colour.push_back(viridis(equal ? 0.5 : (value - result.legend.low) / range));
  return result;
}

VoxelColours by_height(const VoxelScene& scene, int stride) {
  const CoordSet& level = scene.level(stride);
  std::vector<double> heights;
  for (std::int64_t row = 0; row < size_of(level); ++row)
    heights.push_back(scene.centre_m(voxel_at(level, row), stride)[2]);
  return by_amount(heights, "height, m");
}

/// A voxel has the label that most of its points have, the lower of two that are equal.
VoxelColours by_label(const VoxelScene& scene, int stride) {
  const auto parents = parent_rows(scene, stride);
  std::vector<std::pair<std::int32_t, std::uint32_t>> pairs;
  std::set<std::uint32_t> seen;
  for (std::size_t at = 0; at < scene.voxel_of_point.size(); ++at) {
    if (scene.voxel_of_point[at] < 0) continue;
    pairs.emplace_back(parents[static_cast<std::size_t>(scene.voxel_of_point[at])], scene.cloud->label[at]);
    seen.insert(scene.cloud->label[at]);
  }
  std::sort(pairs.begin(), pairs.end());
  const auto colours = class_colours(seen);
  VoxelColours result;
  result.legend.title = "label";
  result.colour.resize(static_cast<std::size_t>(size_of(scene.level(stride))));
  std::ptrdiff_t most = 0;
  for (auto at = pairs.begin(); at != pairs.end();) {
    const auto next = std::upper_bound(at, pairs.end(), *at);
    const bool first = at == pairs.begin() || std::prev(at)->first != at->first;
    if (first || next - at > most) {
      most = next - at;
      result.colour[static_cast<std::size_t>(at->first)] = colours.at(at->second);
    }
    at = next;
  }
  for (const auto& [label, colour] : colours)
    result.legend.classes.emplace_back(colour, QString::number(label));
  return result;
}

VoxelColours by_rgb(const VoxelScene& scene, int stride) {
  VoxelColours result;
  result.legend.title = "colour of the points";
  std::array<std::vector<double>, 3> channels;
  for (std::size_t c = 0; c < 3; ++c) {
    channels[c] = point_means(
        scene, stride, [&](std::size_t at) { return static_cast<double>(scene.cloud->colour[at][c]); });
  }
  for (std::size_t row = 0; row < channels[0].size(); ++row) {
    result.colour.push_back({static_cast<std::uint8_t>(channels[0][row]),
                             static_cast<std::uint8_t>(channels[1][row]),
                             static_cast<std::uint8_t>(channels[2][row])});
  }
  result.legend.classes = {};
  result.legend.low = result.legend.high = 0;
  return result;
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

VoxelColours colour_voxels(const VoxelScene& scene, int stride, ColourBy colour_by, const LayerResult* layer,
                           const KernelMap* map) {
  const auto height_because = [&](const QString& why) {
    VoxelColours instead = by_height(scene, stride);
    instead.legend.note = why;
    return instead;
  };
  if (const QString why = why_not_colour(colour_by, scene, layer, map); !why.isEmpty())
    return height_because(why);
  const auto count = static_cast<std::size_t>(size_of(scene.level(stride)));
  switch (colour_by) {
    case ColourBy::intensity:
      return by_amount(
          point_means(scene, stride,
                      [&](std::size_t at) { return static_cast<double>(scene.cloud->intensity[at]); }),
          "intensity, mean");
    case ColourBy::colour:
      return by_rgb(scene, stride);
    case ColourBy::label:
      return by_label(scene, stride);
    case ColourBy::points_per_voxel: {
      const auto parents = parent_rows(scene, stride);
      std::vector<double> points(count, 0.0);
      for (std::size_t row = 0; row < parents.size(); ++row)
        points[static_cast<std::size_t>(parents[row])] += scene.points_per_voxel[row];
      return by_amount(points, "points in a voxel");
    }
    case ColourBy::match_count: {
      const auto matches = matches_per_output(*map);
      if (matches.size() != count) return height_because("no match counts at this stride yet");
      return by_amount({matches.begin(), matches.end()}, "matches of the kernel map");
    }
    case ColourBy::feature_norm: {
      const auto norms = feature_norms(*layer->features);
      if (norms.size() != count) return height_because("no features at this stride");
      return by_amount({norms.begin(), norms.end()}, "norm of the features");
    }
    case ColourBy::height:
      break;
  }
  return by_height(scene, stride);
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

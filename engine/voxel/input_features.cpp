#include "engine/voxel/input_features.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace spira {
namespace {

using Cell = std::array<std::int64_t, 3>;

Cell cell_of(const Point& p, const Grid& grid) {
  Cell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    cell[axis] = static_cast<std::int64_t>(std::floor(p[axis] / grid.voxel_m[axis]));
  return cell;
}

/// Returns, for each point, the number of points in its voxel. Points outside the crop are not counted.
std::vector<double> counts(const PointCloud& cloud, const Grid& grid) {
  std::vector<std::pair<Cell, std::size_t>> order;
  order.reserve(cloud.positions.size());
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    if (grid.keeps(cloud.positions[at])) order.emplace_back(cell_of(cloud.positions[at], grid), at);
  }
  std::sort(order.begin(), order.end());
  std::vector<double> result(cloud.positions.size(), 0.0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && order[end].first == order[begin].first)
      ++end;
    for (std::size_t at = begin; at < end; ++at)
      result[order[at].second] = static_cast<double>(end - begin);
  }
  return result;
}

double position(const Point& p, std::size_t axis, PointFrame frame, const Grid& grid) {
  const double size = grid.voxel_m[axis], cells = p[axis] / size;
  if (frame == PointFrame::scene) return p[axis];
  return frame == PointFrame::grid ? cells : p[axis] - ((std::floor(cells) + 0.5) * size);
}

void require_attributes(const PointCloud& cloud, std::span<const InputFeature> features) {
  for (const InputFeature& feature : features) {
    const PointValue value = feature.value;
    const bool colour = value == PointValue::red || value == PointValue::green || value == PointValue::blue;
    const char* const missing = value == PointValue::intensity && cloud.intensity.empty() ? "intensity"
                                : value == PointValue::label && cloud.label.empty()       ? "labels"
                                : colour && cloud.colour.empty()                          ? "colours"
                                                                                          : nullptr;
    if (missing != nullptr)
      throw Error(ErrorKind::input, cloud.name + ": the scene has no " + missing +
                                        ", but the network reads '" + std::string(text_of(value)) +
                                        "' as an input feature");
  }
}

}  // namespace

std::string_view text_of(PointValue value) noexcept {
  constexpr std::array<std::string_view, 10> names{"x", "y", "z",     "intensity", "r",
                                                   "g", "b", "label", "count",     "one"};
  return names.at(static_cast<std::size_t>(value));
}

std::string_view text_of(PointFrame frame) noexcept {
  constexpr std::array<std::string_view, 3> names{"scene", "grid", "voxel"};
  return names.at(static_cast<std::size_t>(frame));
}

std::shared_ptr<const PointCloud> with_input_features(const PointCloud& cloud, const Grid& grid,
                                                      std::span<const InputFeature> features, Job& job) {
  require_attributes(cloud, features);
  const bool counted = std::any_of(features.begin(), features.end(),
                                   [](const InputFeature& f) { return f.value == PointValue::count; });
  const std::vector<double> in_voxel = counted ? counts(cloud, grid) : std::vector<double>{};
  const auto value_of = [&](const InputFeature& feature, std::size_t at) {
    switch (feature.value) {
      case PointValue::x:
      case PointValue::y:
      case PointValue::z:
        return position(cloud.positions[at], static_cast<std::size_t>(feature.value), feature.frame, grid);
      case PointValue::intensity:
        return static_cast<double>(cloud.intensity[at]);
      case PointValue::red:
      case PointValue::green:
      case PointValue::blue:
        return static_cast<double>(cloud.colour[at][static_cast<std::size_t>(feature.value) -
                                                    static_cast<std::size_t>(PointValue::red)]);
      case PointValue::label:
        return static_cast<double>(cloud.label[at]);
      case PointValue::count:
        return in_voxel[at];
      case PointValue::one:
        break;
    }
    return 1.0;
  };
  auto result = std::make_shared<PointCloud>();
  result->name = cloud.name;
  result->positions = cloud.positions;
  result->feature_channels = static_cast<int>(features.size());
  result->features.reserve(cloud.positions.size() * features.size());
  constexpr std::size_t points_per_checkpoint = 1U << 18U;
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    if (at % points_per_checkpoint == 0)
      job.checkpoint({"computing input features", static_cast<std::int64_t>(at), cloud.size()});
    for (const InputFeature& feature : features)
      result->features.push_back(static_cast<float>((value_of(feature, at) * feature.scale) + feature.add));
  }
  return result;
}

}  // namespace spira

#include "engine/voxel/input_features.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace spira {
namespace {

using Cell = std::array<std::int64_t, 3>;

/// The cells of a grid. Computes the positions of points in these cells.
struct Cells {
  std::array<double, 3> voxel_m{};
  Point low_m{};
  CellRounding rounding = CellRounding::floor;
  bool fp32 = false;  ///< True if cells are computed in float32, as other libraries do.

  explicit Cells(const Grid& grid) : voxel_m(grid.voxel_m) {}
  explicit Cells(const InputGrid& input)
      : voxel_m(input.voxel_m), low_m(input.low_m), rounding(input.rounding), fp32(true) {}

  /// Returns the cell of a coordinate as a whole number. The number may be too large for an integer type.
  [[nodiscard]] double cell(const Point& p, std::size_t axis) const {
    const double cells =
        fp32 ? static_cast<double>((static_cast<float>(p[axis]) - static_cast<float>(low_m[axis])) /
                                   static_cast<float>(voxel_m[axis]))
             : from_low(p, axis) / voxel_m[axis];
    return rounding == CellRounding::floor ? std::floor(cells) : std::nearbyint(cells);
  }
  [[nodiscard]] double from_low(const Point& p, std::size_t axis) const { return p[axis] - low_m[axis]; }
  /// Returns the centre of cell 0 as a distance from the low corner, in cells.
  [[nodiscard]] double centre() const { return rounding == CellRounding::floor ? 0.5 : 0.0; }
};

Cell cell_of(const Point& p, const Grid& grid) {
  const Cells cells(grid);
  Cell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    cell[axis] = static_cast<std::int64_t>(cells.cell(p, axis));
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

double position(const Point& p, std::size_t axis, PointFrame frame, const Cells& cells) {
  if (frame == PointFrame::scene) return p[axis];
  const double size = cells.voxel_m[axis], above = cells.from_low(p, axis);
  return frame == PointFrame::grid ? above / size : above - ((cells.cell(p, axis) + cells.centre()) * size);
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

namespace {

/// Returns the values of one point. `in_voxel` is the number of points in its voxel.
float value_of(const InputFeature& feature, const PointCloud& cloud, std::size_t at, const Cells& cells,
               double in_voxel) {
  const auto value = [&] {
    switch (feature.value) {
      case PointValue::x:
      case PointValue::y:
      case PointValue::z:
        return position(cloud.positions[at], static_cast<std::size_t>(feature.value), feature.frame, cells);
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
        return in_voxel;
      case PointValue::one:
        break;
    }
    return 1.0;
  };
  return static_cast<float>((value() * feature.scale) + feature.add);
}

bool reads_count(std::span<const InputFeature> features) {
  return std::any_of(features.begin(), features.end(),
                     [](const InputFeature& f) { return f.value == PointValue::count; });
}

constexpr std::size_t points_per_checkpoint = 1U << 18U;

}  // namespace

std::shared_ptr<const PointCloud> with_input_features(const PointCloud& cloud, const Grid& grid,
                                                      std::span<const InputFeature> features, Job& job) {
  require_attributes(cloud, features);
  const std::vector<double> in_voxel = reads_count(features) ? counts(cloud, grid) : std::vector<double>{};
  const Cells cells(grid);
  auto result = std::make_shared<PointCloud>();
  result->name = cloud.name;
  result->positions = cloud.positions;
  result->feature_channels = static_cast<int>(features.size());
  result->features.reserve(cloud.positions.size() * features.size());
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    if (at % points_per_checkpoint == 0)
      job.checkpoint({"computing input features", static_cast<std::int64_t>(at), cloud.size()});
    for (const InputFeature& feature : features)
      result->features.push_back(value_of(feature, cloud, at, cells, in_voxel.empty() ? 0 : in_voxel[at]));
  }
  return result;
}

namespace {

/// Computes the result of on_input_grid().
class Gridder {
 public:
  Gridder(const PointCloud& cloud, const InputGrid& input, std::span<const InputFeature> features, Job& job)
      : cloud_(cloud), input_(input), cells_(input), features_(features), job_(job) {}

  std::shared_ptr<const PointCloud> run() {
    if (cloud_.positions.empty()) throw Error(ErrorKind::input, cloud_.name + ": contains no points");
    find_cells();
    if (points_.empty())
      throw Error(ErrorKind::input, cloud_.name + ": no point lies inside the input grid of the network, " +
                                        cells_text() + "; the points span " +
                                        text_of(bounds(cloud_), cloud_.unit()));
    const std::int64_t inside = std::ssize(points_);
    choose_points();
    auto result = made();
    if (outside_ > 0)
      result->notes.push_back(count_text(outside_) + " of " + count_text(cloud_.size()) +
                              " points are outside the input grid of the network (" + cells_text() +
                              ") and were dropped");
    if (result->size() < inside)
      result->notes.push_back(counted_text(inside - result->size(), "point was", "points were") +
                              " not kept, because " + reduction_text());
    return result;
  }

 private:
  struct PlacedPoint {
    Cell cell;
    std::size_t index;
    auto operator<=>(const PlacedPoint&) const = default;
  };

  [[nodiscard]] std::string cells_text() const {
    std::string count, low;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      count += (axis == 0 ? "" : " x ") + count_text(input_.cells.at(axis));
      low += (axis == 0 ? "" : ", ") + shortest(input_.low_m.at(axis));
    }
    return count + " cells of " + grid_text(input_.voxel_m) + " m from (" + low + ")";
  }
  [[nodiscard]] std::string reduction_text() const {
    if (input_.reduction == VoxelReduction::max)
      return "the network reads only the largest values of each voxel";
    const int most = most_points();
    return most == 1 ? "the network reads only the first point of each voxel"
                     : "the network reads only the first " + std::to_string(most) + " points of each voxel";
  }
  [[nodiscard]] int most_points() const {
    if (input_.reduction == VoxelReduction::first) return 1;
    return input_.most_points == 0 ? std::numeric_limits<int>::max() : input_.most_points;
  }

  /// Returns the cell of a point, or an empty optional if the point is outside the limits.
  [[nodiscard]] std::optional<Cell> cell_of_point(const Point& p) const {
    constexpr double most = 1U << 30U;
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double found = cells_.cell(p, axis);
      const bool near = found >= -most && found <= most;
      if (!near && !input_.limited())
        throw Error(ErrorKind::does_not_fit,
                    cloud_.name +
                        ": a point is more than 2^30 voxels from the origin of the network on axis " +
                        std::string(1, "xyz"[axis]));
      if (!near || (input_.limited() && (found < 0 || found >= static_cast<double>(input_.cells.at(axis)))))
        return std::nullopt;
      cell[axis] = static_cast<std::int64_t>(found);
    }
    return cell;
  }

  void find_cells() {
    points_.reserve(cloud_.positions.size());
    for (std::size_t at = 0; at < cloud_.positions.size(); ++at) {
      if (at % points_per_checkpoint == 0)
        job_.checkpoint({"finding the cells of the network", static_cast<std::int64_t>(at), cloud_.size()});
      if (const auto cell = cell_of_point(cloud_.positions[at])) {
        points_.push_back({*cell, at});
      } else {
        ++outside_;
      }
    }
  }

  /// Finds the points that `reduction` and `most_points` do not exclude. Sets `first_of_` and `in_voxel_`.
  void choose_points() {
    in_voxel_.assign(points_.size(), 0);
    first_of_.resize(points_.size());
    std::iota(first_of_.begin(), first_of_.end(), std::size_t{0});
    if (input_.reduction == VoxelReduction::mean && input_.most_points == 0 && !reads_count(features_))
      return;
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return points_[a] < points_[b]; });
    const auto most = static_cast<std::size_t>(most_points());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && points_[order[end]].cell == points_[order[begin]].cell)
        ++end;
      const std::size_t used = std::min(end - begin, most);
      for (std::size_t at = begin; at < end; ++at) {
        in_voxel_[order[at]] = at - begin < used ? static_cast<double>(used) : 0;
        if (at - begin >= used) first_of_[order[at]] = unused;
        if (at - begin < used && input_.reduction == VoxelReduction::max) first_of_[order[at]] = order[begin];
      }
    }
  }

  /// Returns the position of the point relative to the low corner of cell 0. The position lies in the cell of
  /// the point, even in double precision.
  [[nodiscard]] Point placed(const PlacedPoint& point) const {
    Point result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double size = input_.voxel_m[axis];
      const auto cell = static_cast<double>(point.cell[axis]);
      const double here =
          cells_.from_low(cloud_.positions[point.index], axis) + ((0.5 - cells_.centre()) * size);
      result[axis] = std::floor(here / size) == cell ? here : (cell + 0.5) * size;
    }
    return result;
  }

  [[nodiscard]] std::shared_ptr<PointCloud> made() const {
    auto result = std::make_shared<PointCloud>(cloud_);
    result->feature_channels = static_cast<int>(features_.size());
    result->features.reserve(points_.size() * features_.size());
    std::vector<std::size_t> row_of(points_.size());  // The row of each kept point in the result.
    std::size_t rows = 0;
    for (std::size_t at = 0; at < points_.size(); ++at) {
      if (at % points_per_checkpoint == 0)
        job_.checkpoint({"computing input features", static_cast<std::int64_t>(at), std::ssize(points_)});
      if (first_of_[at] == unused) continue;
      const std::size_t index = points_[at].index;
      const bool kept = first_of_[at] == at;
      row_of[at] = kept ? rows++ : row_of[first_of_[at]];
      for (std::size_t channel = 0; channel < features_.size(); ++channel) {
        const float value = value_of(features_[channel], cloud_, index, cells_, in_voxel_[at]);
        if (kept) {
          result->features.push_back(value);
        } else {
          float& largest = result->features[(row_of[at] * features_.size()) + channel];
          largest = std::max(largest, value);
        }
      }
      if (!kept) continue;
      const std::size_t row = row_of[at];
      result->positions[row] = placed(points_[at]);
      if (!cloud_.intensity.empty()) result->intensity[row] = cloud_.intensity[index];
      if (!cloud_.colour.empty()) result->colour[row] = cloud_.colour[index];
      if (!cloud_.label.empty()) result->label[row] = cloud_.label[index];
    }
    result->positions.resize(rows);
    if (!cloud_.intensity.empty()) result->intensity.resize(rows);
    if (!cloud_.colour.empty()) result->colour.resize(rows);
    if (!cloud_.label.empty()) result->label.resize(rows);
    return result;
  }

  static constexpr std::size_t unused = std::numeric_limits<std::size_t>::max();
  const PointCloud& cloud_;
  const InputGrid& input_;
  Cells cells_;
  std::span<const InputFeature> features_;
  Job& job_;
  std::vector<PlacedPoint> points_;  ///< The points inside the limits, in file order.
  /// For each point, the index in `points_` of the point whose row receives the values of this point: the
  /// point itself, the first point of its voxel, or `unused`.
  std::vector<std::size_t> first_of_;
  std::vector<double>
      in_voxel_;  ///< For each point, the number of used points in its voxel, or 0 if they were not counted.
  std::int64_t outside_ = 0;
};

}  // namespace

std::string_view text_of(CellRounding rounding) noexcept {
  return rounding == CellRounding::floor ? "floor" : "nearest";
}

std::string_view text_of(VoxelReduction reduction) noexcept {
  constexpr std::array<std::string_view, 3> names{"mean", "first", "max"};
  return names.at(static_cast<std::size_t>(reduction));
}

std::shared_ptr<const PointCloud> on_input_grid(const PointCloud& cloud, const InputGrid& input,
                                                std::span<const InputFeature> features, Job& job) {
  SPIRA_ASSERT(input.has_voxel_size(), "the grid of the network has no voxel size");
  static constexpr std::array<InputFeature, 4> usual{
      {{PointValue::x}, {PointValue::y}, {PointValue::z}, {PointValue::intensity}}};
  if (features.empty()) features = usual;
  require_attributes(cloud, features);
  return Gridder(cloud, input, features, job).run();
}

}  // namespace spira

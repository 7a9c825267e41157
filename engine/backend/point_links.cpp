#include "engine/backend/point_links.hpp"

#include "engine/backend/host_read.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

/// Returns the index of `key` in ascending keys, or -1 if the keys do not contain it.
template <class Key> std::int64_t index_of(std::span<const Key> keys, std::uint64_t key) {
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  return found == keys.end() || *found != key ? -1 : found - keys.begin();
}

}  // namespace

PointLocator::PointLocator(const CoordSet& level, const PointRows& points,
                           const std::array<std::int64_t, 3>& shift)
    : points_(points), pack_(level.pack), stride_(level.rule.stride()), shift_(shift) {
  const auto size = static_cast<std::size_t>(size_of(level));
  if (pack_.word_bits() == 32) {
    narrow_ = level.keys.host_span<std::uint32_t>().first(size);
  } else {
    wide_ = level.keys.host_span<std::uint64_t>().first(size);
  }
}

PointLocator::Cell PointLocator::cell_of(const Point& point) const {
  Cell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    cell.at(axis) = static_cast<std::int64_t>(std::floor(point[axis] / stride_[axis]));
  return cell;
}

std::int64_t PointLocator::row_of_cell(const Cell& cell, int frame) const {
  const std::array bits{pack_.x_bits, pack_.y_bits, pack_.z_bits};
  Voxel voxel{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t at = (cell.at(axis) * stride_[axis]) - shift_.at(axis);
    if (at < 0 || at >= std::int64_t{1} << bits.at(axis)) return -1;
    voxel[axis] = static_cast<std::int32_t>(at);
  }
  const std::uint64_t key = pack_.pack(voxel, frame);
  return pack_.word_bits() == 32 ? index_of(narrow_, key) : index_of(wide_, key);
}

std::int64_t PointLocator::row_of(std::int64_t point) const {
  return row_of_cell(cell_of(points_.positions[static_cast<std::size_t>(point)]), points_.frame(point));
}

int PointLocator::links_of(std::int64_t point, PointMode mode, std::array<PointLink, 8>& links) const {
  if (mode != PointMode::trilinear) {
    const std::int64_t row = row_of(point);
    links[0] = {static_cast<std::int32_t>(row), 1.0F};
    return row < 0 ? 0 : 1;
  }
  const Point& position = points_.positions[static_cast<std::size_t>(point)];
  const Cell low = cell_of(position);
  std::array<double, 3> inside{};  // The position in the cell, from 0 to 1.
  for (std::size_t axis = 0; axis < 3; ++axis)
    inside.at(axis) = (position[axis] / stride_[axis]) - static_cast<double>(low.at(axis));
  std::array<double, 8> weights{};
  double sum = 0;
  int count = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::array<std::size_t, 3> step{corner >> 2U, (corner >> 1U) & 1U, corner & 1U};
    Cell cell = low;
    double weight = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cell.at(axis) += static_cast<std::int64_t>(step.at(axis));
      weight *= step.at(axis) == 1 ? inside.at(axis) : 1 - inside.at(axis);
    }
    const std::int64_t row = row_of_cell(cell, points_.frame(point));
    if (row < 0) continue;
    links.at(static_cast<std::size_t>(count)).row = static_cast<std::int32_t>(row);
    weights.at(static_cast<std::size_t>(count++)) = weight;
    sum += weight;
  }
  // calc_ti_weights() of torchsparse divides by this sum.
  constexpr double tiny = 1e-8;
  for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at)
    links.at(at).weight = static_cast<float>(weights.at(at) / (sum + tiny));
  return count;
}

PointsOfVoxels points_of_voxels(std::span<const std::int64_t> row_of_point, std::int64_t voxels) {
  PointsOfVoxels groups;
  groups.starts.assign(static_cast<std::size_t>(voxels) + 1, 0);
  for (const std::int64_t row : row_of_point) {
    if (row >= 0) ++groups.starts[static_cast<std::size_t>(row) + 1];
  }
  for (std::size_t at = 1; at < groups.starts.size(); ++at)
    groups.starts[at] += groups.starts[at - 1];
  groups.points.resize(static_cast<std::size_t>(groups.starts.back()));
  std::vector<std::int64_t> next = groups.starts;
  for (std::size_t point = 0; point < row_of_point.size(); ++point) {
    const std::int64_t row = row_of_point[point];
    if (row >= 0)
      groups.points[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] =
          static_cast<std::int32_t>(point);
  }
  return groups;
}

}  // namespace spira

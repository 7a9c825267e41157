#include "engine/lesson/lesson_voxel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/shapes.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/run/native_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace spira {
namespace {

/// Returns how many of the 26 cells around a voxel contain a voxel.
int neighbours(const CoordSet& level, std::int64_t row) {
  const Voxel v = voxel_at(level, row);
  int found = -1;  // The loop also counts the voxel itself, so the count begins at -1.
  for (const int dx : {-level.stride, 0, level.stride}) {
    for (const int dy : {-level.stride, 0, level.stride}) {
      for (const int dz : {-level.stride, 0, level.stride})
        found += row_of_voxel(level, {v[0] + dx, v[1] + dy, v[2] + dz}) ? 1 : 0;
    }
  }
  return found;
}

/// Returns the rows of one z layer. For `highest`, this is the highest layer. Otherwise, it is the lowest
/// layer that is not below the required height.
std::vector<std::int64_t> rows_of_layer(const CoordSet& level, VoxelPlace place, Job& job) {
  const auto walk = [&](const auto& use) {
    for (std::int64_t row = 0; row < size_of(level); ++row) {
      if (row % rows_per_checkpoint == 0) job.checkpoint({"choosing a voxel", row, size_of(level)});
      use(row, voxel_at(level, row)[2]);
    }
  };
  std::int32_t lowest = voxel_at(level, 0)[2], highest = lowest;
  walk([&](std::int64_t, std::int32_t z) {
    lowest = std::min(lowest, z);
    highest = std::max(highest, z);
  });
  std::int32_t wanted = highest;
  if (place != VoxelPlace::highest) {
    const std::int32_t from = place == VoxelPlace::lowest ? lowest : (lowest + highest) / 2;
    walk([&](std::int64_t, std::int32_t z) { wanted = z >= from ? std::min(wanted, z) : wanted; });
  }
  std::vector<std::int64_t> rows;
  walk([&](std::int64_t row, std::int32_t z) {
    if (z == wanted) rows.push_back(row);
  });
  return rows;
}

}  // namespace

std::int64_t row_at_place(const CoordSet& level, VoxelPlace place, Job& job) {
  constexpr std::size_t looked_at = 64;
  const std::vector<std::int64_t> rows = rows_of_layer(level, place, job);
  if (place != VoxelPlace::middle) return rows[rows.size() / 2];
  const std::size_t count = std::min(looked_at, rows.size());
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>((rows.size() - count) / 2);
  return *std::max_element(first, first + static_cast<std::ptrdiff_t>(count), [&](auto one, auto other) {
    return neighbours(level, one) < neighbours(level, other);
  });
}

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// Applies one Jacobi rotation. It makes covariance[p][q] zero. The columns of `axes` are the axes.
void rotate(Matrix& covariance, Matrix& axes, std::size_t p, std::size_t q) {
  const double off = covariance.at(p).at(q);
  if (off == 0) return;
  const double theta = (covariance.at(q).at(q) - covariance.at(p).at(p)) / (2 * off);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt((theta * theta) + 1));
  const double c = 1 / std::sqrt((t * t) + 1), s = t * c;
  for (auto& row : covariance)
    std::tie(row.at(p), row.at(q)) =
        std::pair{(c * row.at(p)) - (s * row.at(q)), (s * row.at(p)) + (c * row.at(q))};
  for (std::size_t at = 0; at < 3; ++at) {
    const double of_p = covariance.at(p).at(at), of_q = covariance.at(q).at(at);
    covariance.at(p).at(at) = (c * of_p) - (s * of_q);
    covariance.at(q).at(at) = (s * of_p) + (c * of_q);
  }
  for (auto& row : axes)
    std::tie(row.at(p), row.at(q)) =
        std::pair{(c * row.at(p)) - (s * row.at(q)), (s * row.at(p)) + (c * row.at(q))};
}

}  // namespace

PrincipalAxes principal_axes_of(Matrix covariance) {
  // Each sweep squares the off-diagonal elements, so they become small quickly.
  constexpr int sweeps = 6;
  Matrix axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(covariance, axes, 0, 1);
    rotate(covariance, axes, 0, 2);
    rotate(covariance, axes, 1, 2);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return covariance.at(a).at(a) > covariance.at(b).at(b); });
  PrincipalAxes spread;
  for (std::size_t at = 0; at < 3; ++at) {
    const std::size_t from = order.at(at);
    spread.variance.at(at) = std::max(0.0, covariance.at(from).at(from));
    for (std::size_t axis = 0; axis < 3; ++axis)
      spread.direction.at(at).at(axis) = axes.at(axis).at(from);
  }
  return spread;
}

std::int64_t row_with_moved_input(const VoxelScene& scene, const KernelMap& map, int stride, Job& job) {
  const CoordSet& level = scene.level(stride);
  const std::int64_t middle = row_at_place(level, VoxelPlace::middle, job), rows = size_of(level);
  for (std::int64_t at = 0; at < rows; ++at) {
    if (at % rows_per_checkpoint == 0) job.checkpoint({"looking for a row", at, rows});
    const std::int64_t row = (middle + at) % rows;
    const auto inputs = native_row(scene, map, stride, stride, static_cast<std::int32_t>(row)).inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [](const NativeInput& input) {
          return input.change() == NativeInput::Change::other_column;
        }))
      return row;
  }
  return middle;
}

}  // namespace spira

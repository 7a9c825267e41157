#include "engine/lesson/lesson_voxel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/fact_list.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace spira {
namespace {

/// Returns how many of the 26 cells around a voxel contain another voxel.
int neighbours(const CoordSet& level, std::int64_t row) {
  const Voxel v = voxel_at(level, row);
  int found = -1;  // the loop also counts the voxel itself
  for (const int dx : {-level.stride, 0, level.stride}) {
    for (const int dy : {-level.stride, 0, level.stride}) {
      for (const int dz : {-level.stride, 0, level.stride})
        found += row_of_voxel(level, {v[0] + dx, v[1] + dy, v[2] + dz}) ? 1 : 0;
    }
  }
  return found;
}

/// Returns the rows of one z layer. This is the highest layer, or the lowest layer at or above the wanted
/// height.
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

}  // namespace spira

// An occupancy grid of one level that lives for one call: how levels are sorted and made unique one at a time
// where their box is small enough. A whole network has one grid of all levels instead (occupancy.hpp).
#pragma once

#include "kernels/cuda/occupancy.hpp"
#include "kernels/cuda/zeros.hpp"

#include <array>
#include <cstdint>

namespace spira::cuda {

/// What the host reads back of a grid.
struct GridFound {
  std::int64_t voxels;
  std::int32_t outside;  ///< something lies outside the box
  std::int32_t crowded;  ///< a voxel has more points than a thread puts in order
};

/// A voxel with more points has them sorted by the device as a whole.
constexpr int most_in_order = 64;

/// Whether emptying the grid of a box and ranking its words is less work than sorting `rows` words.
[[nodiscard]] bool suits_grid(const std::array<std::int64_t, 3>& extent, int stride, std::int64_t rows);

class LevelGrid {
 public:
  /// Empty.
  LevelGrid(const Device& device, const PackSpec& pack, const std::array<std::int64_t, 3>& extent,
            int stride);

  /// Bits of the points' cells, and into `places` where in the grid each point lies, -1: outside the crop.
  /// `hits`, one more than points, become zeros.
  void mark_points(const Device& device, const PointsOnDevice& points, std::int64_t count,
                   std::int32_t* places, std::int32_t* hits);
  /// Bits of the cells of finer keys, of the grid's packing; counts them.
  void mark_keys(const Device& device, const void* keys, std::int64_t count);
  /// Writes the sorted keys, of which there is room for `capacity`, and their number.
  void rank(const Device& device, void* keys, std::int64_t capacity, std::int64_t* count);
  /// After rank(): the place of each point becomes the row of its voxel, and `slots` which of the points of
  /// its voxel it is, in no order. `hits`: points of each row.
  void find_rows(const Device& device, std::int32_t* places, std::int64_t count, std::int32_t* slots,
                 std::int32_t* hits);

  /// Where rank() may leave the number for found().
  [[nodiscard]] std::int64_t* voxels() { return &found_->voxels; }
  /// After rank() and all that asks the grid: takes the voxels of these keys, which are all that it has, out
  /// again, so that the next grid finds its memory empty.
  void empty(const Device& device, const void* keys, std::int64_t count);
  /// Waits. Throws Error(internal) where something lay outside the box.
  [[nodiscard]] GridFound found(const Device& device) const;

 private:
  Zeros memory_;
  GridFound* found_ = nullptr;
  Occupancy grid_;  // of one level
};

}  // namespace spira::cuda

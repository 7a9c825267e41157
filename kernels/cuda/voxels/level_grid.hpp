// The occupancy grid of a single level. It exists only during one call of the back end. It sorts the voxels
// and removes duplicates if the bounding box of the level is small enough. A compiled network uses one grid
// for all levels instead (occupancy.hpp).
#pragma once

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <array>
#include <cstdint>

namespace spira::cuda {

/// Results of a grid operation that the host reads.
struct GridFound {
  std::int64_t voxels;
  std::int32_t outside;  ///< Nonzero if a point or key lies outside the box.
  std::int32_t crowded;  ///< Nonzero if a voxel has more than max_in_order points.
};

/// Maximum number of points of a voxel that one thread sorts. If a voxel has more points, the whole device
/// sorts all points of the scene.
constexpr int max_in_order = 64;

/// Returns true if a grid is faster than a sort: clearing a grid of this extent and ranking its words is then
/// less work than sorting `rows` words.
[[nodiscard]] bool suits_grid(const std::array<std::int64_t, 3>& extent, int stride, std::int64_t rows);

class LevelGrid {
 public:
  LevelGrid(const Device& device, const PackSpec& pack, const std::array<std::int64_t, 3>& extent,
            int stride);

  /// Sets the bits of the points' cells. Writes the grid position of each point to `positions`, or -1 if the
  /// point is outside the crop. Also sets `hits` to zero; `hits` has one more element than there are points.
  void mark_points(const Device& device, const PointsOnDevice& points, std::int64_t count,
                   std::int32_t* positions, std::int32_t* hits);
  /// Sets the bits of the cells that contain keys of a finer level, and counts these cells. The keys must
  /// have the grid's packing.
  void mark_keys(const Device& device, const void* keys, std::int64_t count);
  /// Writes the sorted keys to `keys`, and their number to `count`. `keys` has space for `capacity` keys.
  void rank(const Device& device, void* keys, std::int64_t capacity, std::int64_t* count);
  /// Replaces the grid position of each point in `positions` with the row of its voxel. Numbers the points of
  /// each voxel in arbitrary order and writes these numbers to `slots`. Writes the number of points of each
  /// row to `hits`. Must be called after rank().
  void find_rows(const Device& device, std::int32_t* positions, std::int64_t count, std::int32_t* slots,
                 std::int32_t* hits);

  /// Returns the address at which rank() may store the number of voxels. found() returns this number.
  [[nodiscard]] std::int64_t* voxels() { return &found_->voxels; }
  /// Clears the cells of `keys`, so that the next grid gets zeroed memory. `keys` must contain all voxels of
  /// this grid. Must be called after rank() and after all work that reads the grid.
  void empty(const Device& device, const void* keys, std::int64_t count);
  /// Waits for the device and returns the results. Throws Error(internal) if a point or key lies outside the
  /// box.
  [[nodiscard]] GridFound found(const Device& device) const;

 private:
  Zeros memory_;
  GridFound* found_ = nullptr;
  Occupancy grid_;
};

}  // namespace spira::cuda

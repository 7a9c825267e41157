// Finds the voxels of points and the points of voxels, for back ends that move features between them.
#pragma once

#include "engine/backend/backend.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace spira {

/// A row that a result reads, and the factor of this row.
struct PointLink {
  std::int32_t row = 0;
  float weight = 0;
};

/// Finds the voxels of points by binary search. The level must be in host memory, and it must outlive this
/// object, as must the points.
class PointLocator {
 public:
  PointLocator(const CoordSet& level, const PointRows& points, const std::array<std::int64_t, 3>& shift);

  /// Returns the row of the voxel that contains a point, or -1 if the level has no such voxel.
  [[nodiscard]] std::int64_t row_of(std::int64_t point) const;
  /// Writes the voxels that a point reads, as PointMode describes, in the order of their cells. Returns their
  /// number.
  int links_of(std::int64_t point, PointMode mode, std::array<PointLink, 8>& links) const;

 private:
  using Cell = std::array<std::int64_t, 3>;
  /// Returns the cell of a point in steps of the stride, without the shift.
  [[nodiscard]] Cell cell_of(const Point& point) const;
  [[nodiscard]] std::int64_t row_of_cell(const Cell& cell, int frame) const;

  const PointRows& points_;
  PackSpec pack_;
  PerAxis stride_;
  std::array<std::int64_t, 3> shift_;
  std::span<const std::uint32_t> narrow_;  ///< The keys of the level if they have 32 bits, otherwise empty.
  std::span<const std::uint64_t> wide_;
};

/// The points of each voxel, in the order of the points. The points of voxel v are points[starts[v]] to
/// points[starts[v + 1] - 1].
struct PointsOfVoxels {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> points;
};
/// Groups points by the row of their voxel. Points with the row -1 are in no group.
[[nodiscard]] PointsOfVoxels points_of_voxels(std::span<const std::int64_t> row_of_point,
                                              std::int64_t voxels);

}  // namespace spira

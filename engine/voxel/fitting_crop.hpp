// The way out of a scene that does not fit its packing that keeps voxel size and packing: a part of it.
#pragma once

#include "engine/voxel/grid.hpp"

#include <optional>
#include <string>

namespace spira {

struct FittingCrop {
  Bounds box;        ///< whole voxels; all of the scene on the axes that fit
  std::string axes;  ///< those that it shortens: "z", "xz"
  std::array<double, 3> length_m{};
  std::int64_t points = 0, kept = 0;
  [[nodiscard]] std::string text() const;  ///< "z to 25.4 m": what to do, for a button
};
/// On each axis that does not fit, the longest box that does, where it holds the most points. Empty: all
/// fits, or there are no points. O(n log n).
[[nodiscard]] std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid,
                                                        PackSpec pack, int max_kernel_size, int max_stride,
                                                        Job& job);

}  // namespace spira

// Suggests a crop for a scene that does not fit its packing. The voxel size and the packing stay the same.
#pragma once

#include "engine/voxel/grid.hpp"

#include <optional>
#include <string>

namespace spira {

struct FittingCrop {
  Bounds box;        ///< Whole voxels. Covers the scene on the axes that fit.
  std::string axes;  ///< Axes that the crop shortens, such as "z" or "xz".
  std::array<double, 3> length_m{};
  std::int64_t points = 0, kept = 0;
  [[nodiscard]] std::string text() const;  ///< The fix as the text of a button, such as "z to 25.4 m".
};
/// Shortens each axis that does not fit to the longest box that fits, at the position with the most points.
/// Returns an empty optional if the scene fits, has no points or no such crop exists. O(n log n).
[[nodiscard]] std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid,
                                                        PackSpec pack, int max_kernel_size, int max_stride,
                                                        Job& job);

}  // namespace spira

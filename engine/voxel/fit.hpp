// Checks whether a scene fits a packing. If a scene does not fit, an offset of the network can move a voxel
// out of its bit field, and the result matches a wrong voxel (trap 1 in docs/architecture.md).
#pragma once

#include "engine/voxel/grid.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct AxisFit {
  char axis;  ///< 'x', 'y' or 'z'.
  /// Number of cells from coordinate 0 after the shift to the highest voxel, inclusive. It includes the empty
  /// cells that the shift leaves below the scene.
  std::int64_t extent;
  std::int64_t limit;  ///< Largest extent that fits the packing.
  int bits_given;
  /// Number of bits for the extent and its guard cells. On the x axis, unused bits of the word can hold the
  /// guard cells.
  int bits_needed;
  [[nodiscard]] bool fits() const noexcept { return extent <= limit; }
};

struct Fit {
  std::array<AxisFit, 3> axes;
  [[nodiscard]] bool fits() const noexcept { return axes[0].fits() && axes[1].fits() && axes[2].fits(); }
};

/// Checks whether an extent fits a packing. `max_kernel_size` (K) and `max_stride` are the largest values of
/// all layers of the network. The largest extents in cells, with h = (K - 1) / 2 for odd K and K - 1 for even
/// K, are:
/// - z: 2^bz - h;
/// - y: 2^by - h;
/// - x: the smaller of 2^bx and 2^(w - by - bz) - h * max_stride.
/// w is the number of usable bits: 32 for a 32-bit word, and 63 for a 64-bit word, whose top bit is not used
/// because searches compare signed words. The proof is in docs/packing.md, and a property test compares the
/// limits with unpacked triplets.
[[nodiscard]] Fit fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

/// Returns the packings that fit, preferred packings first. Tries the default 32-bit split (or else another
/// 32-bit split) and then the default 64-bit split. If none of them fits, tries another 64-bit split. Returns
/// an empty list if no packing fits.
[[nodiscard]] std::vector<PackSpec> packings_that_fit(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                      int max_stride);

/// Returns the packings that are tried on every scene, even if they do not fit: three 32-bit splits and one
/// 64-bit split.
[[nodiscard]] std::vector<PackSpec> usual_packings();
/// Returns usual_packings(), followed by the other packings of packings_that_fit().
[[nodiscard]] std::vector<PackSpec> packings_to_try(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                    int max_stride);

/// Returns a text that explains why a scene does not fit, such as "z spans 301 cells; 8 bits hold 255 (9
/// needed); packings that fit: 11/12/9, 24/24/16".
[[nodiscard]] std::string misfit_text(const Fit& fit, const std::vector<PackSpec>& alternatives);

/// Throws `Error(does_not_fit)` with the text of misfit_text() if the extent does not fit the packing.
void require_fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

struct FittingCrop {
  /// Box of whole voxels. On the axes that fit without a crop, it covers the whole scene.
  Bounds box;
  std::string axes;  ///< Axes that the crop shortens, such as "z" or "xz".
  std::array<double, 3> length_m{};
  std::int64_t points = 0, kept = 0;
  [[nodiscard]] std::string text() const;  ///< Text for a button, such as "z to 25.4 m".
};
/// Returns the crop that makes a scene fit the packing. On each axis that does not fit, the crop is the
/// longest range that fits, at the position with the most points. Returns an empty optional if the scene fits
/// without a crop, has no points, or cannot be made to fit by a crop. O(n log n) in the number of points.
[[nodiscard]] std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid,
                                                        PackSpec pack, int max_kernel_size, int max_stride,
                                                        Job& job);

}  // namespace spira

// Checks whether a scene fits a packing. If it does not fit, offsets of the network can leave their bit field
// and match other voxels (trap 1).
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
  /// Cells from 0 after the shift: the cells of the scene and the empty cells that the shift leaves below
  /// them.
  std::int64_t extent;
  std::int64_t limit;  ///< Largest extent that fits the packing.
  int bits_given;
  /// Bits for the extent and its guard cells. On x, bits of the word that no field uses can hold the guard
  /// cells.
  int bits_needed;
  [[nodiscard]] bool fits() const noexcept { return extent <= limit; }
};

struct Fit {
  std::array<AxisFit, 3> axes;
  [[nodiscard]] bool fits() const noexcept { return axes[0].fits() && axes[1].fits() && axes[2].fits(); }
};

/// `max_kernel_size` (K) and `max_stride` are the largest values of all layers of the network. The limits in
/// cells, with h = (K - 1) / 2 (K - 1 for even K), are:
/// - z: 2^bz - h;
/// - y: 2^by - h;
/// - x: the smaller of 2^bx and 2^(w - by - bz) - h * max_stride.
/// The usable bits w are 32, or 63 for a 64-bit word: its top bit stays free because searches compare signed
/// words. Proof: docs/packing.md, and the property test against unpacked triplets.
[[nodiscard]] Fit fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

/// Returns the packings that fit, preferred packings first: the default 32-bit split or else another 32-bit
/// split, then the default 64-bit split. If none of them fits, tries another 64-bit split. Returns an empty
/// list if no packing fits.
[[nodiscard]] std::vector<PackSpec> packings_that_fit(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                      int max_stride);

/// Returns the packings that are tried on every scene, even if they do not fit: three 32-bit splits and the
/// 64-bit split.
[[nodiscard]] std::vector<PackSpec> usual_packings();
/// Returns usual_packings() and then the other packings of packings_that_fit().
[[nodiscard]] std::vector<PackSpec> packings_to_try(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                    int max_stride);

/// Returns a text such as "z spans 301 cells; 8 bits hold 255 (9 needed); packings
/// that fit: 11/12/9, 24/24/16".
[[nodiscard]] std::string misfit_text(const Fit& fit, const std::vector<PackSpec>& alternatives);

/// Throws `Error(does_not_fit)` with misfit_text() if the extent does not fit.
void require_fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

struct FittingCrop {
  Bounds box;        ///< Box of whole voxels. It covers the whole scene on the axes that fit.
  std::string axes;  ///< Axes that the crop shortens, such as "z" or "xz".
  std::array<double, 3> length_m{};
  std::int64_t points = 0, kept = 0;
  [[nodiscard]] std::string text() const;  ///< The fix as the text of a button, such as "z to 25.4 m".
};
/// Returns the crop that makes the scene fit the packing. On each axis that does not fit, it keeps the
/// longest range that fits, at the position with the most points. Returns an empty optional if the scene
/// fits without a crop, has no points, or no crop makes it fit. O(n log n).
[[nodiscard]] std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid,
                                                        PackSpec pack, int max_kernel_size, int max_stride,
                                                        Job& job);

}  // namespace spira

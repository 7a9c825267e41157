// Checks whether a scene fits a packing. If it does not fit, an offset of the network can move a voxel out of
// its bit field, and a query then matches a wrong voxel (trap 1 in docs/architecture.md).
#pragma once

#include "engine/voxel/grid.hpp"
#include "engine/voxel/level_rule.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct AxisFit {
  char axis;  ///< 'x', 'y' or 'z'.
  /// Number of cells from coordinate 0 to the highest voxel, after the shift. Includes the empty cells that
  /// the shift leaves below the scene.
  std::int64_t extent;
  std::int64_t limit;  ///< The largest extent that fits the packing.
  int bits_given;
  /// Number of bits for the extent and its guard cells. The guard cells of the x axis may use the unused bits
  /// of the word.
  int bits_needed;
  [[nodiscard]] bool fits() const noexcept { return extent <= limit; }
};

struct Fit {
  std::array<AxisFit, 3> axes;
  int batch_bits = 0;  ///< The width of the batch index above x.
  int used_bits = 0;   ///< The width of all fields together.
  int word_bits = 64;  ///< The usable bits of the word of the packing, without the batch index.
  /// Returns true if the batch index and the three fields fit in a word of the same size as without the
  /// batch.
  [[nodiscard]] bool batch_fits() const noexcept { return batch_bits == 0 || used_bits <= word_bits; }
  [[nodiscard]] bool fits() const noexcept {
    return axes[0].fits() && axes[1].fits() && axes[2].fits() && batch_fits();
  }
};

/// The requirements that the kernels and levels of a network place on a packing.
struct PackNeeds {
  std::array<std::int64_t, 3> guard{};  ///< Result of guard_cells().
  LevelReach levels;
  std::string text;  ///< For example "K = 3, strides up to 16", for messages.
  int batch = 1;     ///< The number of frames. packings_that_fit() leaves room for their index.
  PackNeeds() = default;
  /// Requirements of kernels with up to `max_kernel_size` cells on each axis, on levels with the floor rule
  /// and strides of up to `max_stride`.
  PackNeeds(int max_kernel_size, int max_stride);
  /// Returns the same requirements for a batch of frames.
  [[nodiscard]] PackNeeds with_batch(int frames) const {
    PackNeeds needs = *this;
    needs.batch = frames;
    return needs;
  }
};

/// Returns the number of cells that must stay empty on each axis. Without these guard cells, a query of the
/// network could overflow its bit field and match a wrong voxel. Let h be the number of kernel cells on the
/// larger side of the output: (K - 1) / 2 for odd K, and K - 1 for even K. The result is h on the axes y and
/// z, and h * max_stride on x.
[[nodiscard]] std::array<std::int64_t, 3> guard_cells(int max_kernel_size, int max_stride);
/// Returns the guard cells of one kernel. The kernel has `below` cells below the output and `above` cells
/// above it. `stride` is the stride of its inputs.
[[nodiscard]] std::array<std::int64_t, 3> guard_cells(PerAxis below, PerAxis above, PerAxis stride);

/// Checks whether an extent fits a packing. The largest extents in cells are:
/// - z: 2^bz - guard;
/// - y: 2^by - guard;
/// - x: the smaller of 2^bx and 2^(w - by - bz) - guard.
/// w is the number of usable bits: 32 for a 32-bit word and 63 for a 64-bit word, because searches compare
/// words as signed numbers. If the packing has a batch index, x is limited to 2^bx - guard, and all fields
/// together to w. docs/packing.md contains the proof. A property test compares the limits with unpacked
/// triplets.
[[nodiscard]] Fit fit(std::array<std::int64_t, 3> extent, PackSpec pack, const PackNeeds& needs);

/// Returns the packings that fit, the preferred packing first. Tries the default 32-bit packing, or a
/// different 32-bit packing if it does not fit, then the default 64-bit packing. If none of them fits, tries
/// other 64-bit packings. Returns an empty list if no packing fits. The packings have the batch index of
/// `needs.batch` frames.
[[nodiscard]] std::vector<PackSpec> packings_that_fit(std::array<std::int64_t, 3> extent,
                                                      const PackNeeds& needs);

/// Returns the packings that are tried on every scene, even if they do not fit: three with 32 bits and one
/// with 64 bits.
[[nodiscard]] std::vector<PackSpec> usual_packings();
/// Returns usual_packings() and then the other packings of packings_that_fit().
[[nodiscard]] std::vector<PackSpec> packings_to_try(std::array<std::int64_t, 3> extent,
                                                    const PackNeeds& needs);

/// Explains why a scene does not fit, such as "z spans 301 cells; 8 bits hold 255 (9 needed); packings that
/// fit: 11/12/9, 24/24/16".
[[nodiscard]] std::string misfit_text(const Fit& fit, const std::vector<PackSpec>& alternatives);

/// Throws `Error(does_not_fit)` with misfit_text() if the extent does not fit the packing.
void require_fit(std::array<std::int64_t, 3> extent, PackSpec pack, const PackNeeds& needs);

struct FittingCrop {
  /// A box of whole voxels. On axes that need no crop, it covers the whole scene.
  Bounds box;
  std::string axes;  ///< The axes that the crop shortens, such as "z" or "xz".
  std::array<double, 3> length_m{};
  LengthUnit unit = LengthUnit::metres;  ///< Unit of `box` and `length_m`.
  std::int64_t points = 0, kept = 0;
  [[nodiscard]] std::string text() const;  ///< Returns the text for a button, such as "z to 25.4 m".
};
/// Returns a crop with which the scene fits the packing. On each axis that does not fit, the crop has the
/// largest size that fits, at the position where it contains the most points. Returns an empty optional if
/// the scene fits without a crop, has no points, or does not fit with any crop. O(n log n) in the number of
/// points.
[[nodiscard]] std::optional<FittingCrop> crop_that_fits(const PointCloud& cloud, const Grid& grid,
                                                        PackSpec pack, const PackNeeds& needs, Job& job);

}  // namespace spira

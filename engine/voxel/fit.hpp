// The fit meter: does a scene fit a packing, so that no offset of the network leaves a field unseen (trap 1)?
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace spira {

struct AxisFit {
  char axis;            ///< 'x', 'y', 'z'
  std::int64_t extent;  ///< cells from 0 after the shift: those of the scene and the shift's rest below it
  std::int64_t limit;   ///< the most cells that fit
  int bits_given;
  int bits_needed;  ///< for the extent and its guard; x may have its guard in bits of the word that no axis
                    ///< has
  [[nodiscard]] bool fits() const noexcept { return extent <= limit; }
};

struct Fit {
  std::array<AxisFit, 3> axes;
  [[nodiscard]] bool fits() const noexcept { return axes[0].fits() && axes[1].fits() && axes[2].fits(); }
};

/// `max_kernel_size`, `max_stride`: the largest of the network's layers. Limits, with h = (K-1)/2 (K-1 for
/// even K): z: 2^bz - h; y: 2^by - h; x: 2^bx, and 2^(w - by - bz) - h * max_stride with w = 32, or 63 of a
/// 64-bit word, whose top bit stays free (searches compare signed words). Proof:
/// docs/packing.md, and the property test against unpacked triplets.
[[nodiscard]] Fit fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

/// The default 32-bit split where it fits, else another 32-bit split, else 64 bits; empty if even that is too
/// small.
[[nodiscard]] std::vector<PackSpec> packings_that_fit(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                      int max_stride);

/// Those that are tried on every scene, whether they fit or not: three splits of 32 bits, and 64 bits.
[[nodiscard]] std::vector<PackSpec> usual_packings();
/// These, and what else of packings_that_fit() there is for the scene.
[[nodiscard]] std::vector<PackSpec> packings_to_try(std::array<std::int64_t, 3> extent, int max_kernel_size,
                                                    int max_stride);

/// "z needs 9 bits (301 cells from the shifted zero on, 255 fit), 8 given; packings that fit: 11/12/9,
/// 24/24/16"
[[nodiscard]] std::string misfit_text(const Fit& fit, const std::vector<PackSpec>& alternatives);

/// Throws Error(does_not_fit) with misfit_text when it does not fit.
void require_fit(std::array<std::int64_t, 3> extent, PackSpec pack, int max_kernel_size, int max_stride);

}  // namespace spira

// The order of fp16 weights for warpgroup products (sm_90a), which read the weights from shared memory.
//
// An atom is the part of a matrix row that is contiguous in shared memory: 64 or 32 channels, in pieces of 16
// bytes. The pieces are permuted among 8 rows so that a read uses all banks ("swizzle"). The rows of this
// matrix are output channels.
#pragma once

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct AtomShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  /// Returns true if a layer needs this order in addition to the order of FragmentShape. These are wide
  /// layers with K = 3 or 5, for which warpgroup products are faster.
  [[nodiscard]] constexpr bool wanted() const {
    return (columns == 27 || columns == 125) && in_channels >= 64 && in_channels % 32 == 0 &&
           out_channels % 32 == 0;
  }
  /// Channels of an atom.
  [[nodiscard]] constexpr int channels() const { return in_channels % 64 == 0 ? 64 : 32; }
  [[nodiscard]] constexpr int atoms() const { return in_channels / channels(); }
  [[nodiscard]] constexpr std::size_t fp16_count() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(in_channels) *
           static_cast<std::size_t>(out_channels);
  }
};

/// `weight` has the shape [columns][in_channels][out_channels]. The result has the shape
/// [columns][atoms][out_channels][channels]. Its output channels are in the order of FragmentShape with
/// groups of 4 tiles, and its pieces are swizzled.
[[nodiscard]] std::vector<std::uint16_t> pack_atoms(const AtomShape& shape, const std::vector<float>& weight);

}  // namespace spira::cuda

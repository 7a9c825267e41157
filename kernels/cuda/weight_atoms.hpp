// The order of fp16 weights for products of warpgroups (sm_90a), which read them from shared memory.
//
// An atom is what one row of a matrix holds side by side there: 64 or 32 channels, in 16-byte pieces that are
// exchanged among 8 rows so that reading them meets all banks ("swizzle"). Here the rows are output channels.
#pragma once

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct AtomShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  /// Whether a layer has this order beside that of FragmentShape: wide ones with K = 3 or 5, where it is
  /// faster.
  [[nodiscard]] constexpr bool wanted() const {
    return (columns == 27 || columns == 125) && in_channels >= 64 && in_channels % 32 == 0 &&
           out_channels % 32 == 0;
  }
  [[nodiscard]] constexpr int channels() const { return in_channels % 64 == 0 ? 64 : 32; }  ///< of an atom
  [[nodiscard]] constexpr int atoms() const { return in_channels / channels(); }
  [[nodiscard]] constexpr std::size_t halves() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(in_channels) *
           static_cast<std::size_t>(out_channels);
  }
};

/// `weight`: [columns][in_channels][out_channels]. Result: [columns][atoms][out_channels][channels], output
/// channels in the order of FragmentShape with groups of 4 tiles, pieces exchanged.
[[nodiscard]] std::vector<std::uint16_t> pack_atoms(const AtomShape& shape, const std::vector<float>& weight);

}  // namespace spira::cuda

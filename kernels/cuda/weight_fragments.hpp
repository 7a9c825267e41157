// The order of fp16 weights on the device: each lane of a warp reads what its mma.m16n8k16 takes as one word.
//
// The order of the channels inside a product is free as long as both factors agree. So a lane takes
// consecutive channels of its rows (one 16-byte read of a feature row instead of four of 4 bytes), and holds
// consecutive output channels at the end (16-byte writes). Both permutations are put into the weights.
#pragma once

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct FragmentShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  [[nodiscard]] constexpr int chunk() const { return in_channels <= 16 ? 16 : 32; }  ///< channels a step
  [[nodiscard]] constexpr int chunks() const { return (in_channels + chunk() - 1) / chunk(); }
  [[nodiscard]] constexpr int halves_per_lane() const { return chunk() / 4; }
  /// n-tiles of 8 whose columns a lane holds side by side.
  [[nodiscard]] constexpr int group() const { return out_channels <= 16 ? 2 : 4; }
  [[nodiscard]] constexpr int tiles() const {
    const int wide = 8 * group();
    return (out_channels + wide - 1) / wide * group();
  }
  [[nodiscard]] constexpr std::size_t halves() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(chunks()) *
           static_cast<std::size_t>(tiles()) * 32 * static_cast<std::size_t>(halves_per_lane());
  }
};

/// `weight`: [columns][in_channels][out_channels]. Result: [columns][chunks][tiles][32 lanes][halves a lane],
/// zeros beyond the channels.
[[nodiscard]] std::vector<std::uint16_t> pack_fragments(const FragmentShape& shape,
                                                        const std::vector<float>& weight);

}  // namespace spira::cuda

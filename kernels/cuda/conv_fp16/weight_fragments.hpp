// The order of fp16 weights on the device. Each lane of a warp reads its part of an mma.m16n8k16 factor as
// one word.
//
// The order of the channels inside a product is free if both factors use the same one. Therefore a lane reads
// consecutive channels of its rows: one 16-byte read of a feature row instead of four 4-byte reads. At the
// end it holds consecutive output channels, which it writes as 16 bytes. Both permutations are applied to the
// weights.
#pragma once

#include <cstdint>
#include <vector>

namespace spira::cuda {

struct FragmentShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  /// Channels of one step.
  [[nodiscard]] constexpr int chunk() const { return in_channels <= 16 ? 16 : 32; }
  [[nodiscard]] constexpr int chunks() const { return (in_channels + chunk() - 1) / chunk(); }
  [[nodiscard]] constexpr int fp16_per_lane() const { return chunk() / 4; }
  /// Number of tiles of 8 output channels whose columns a lane holds side by side.
  [[nodiscard]] constexpr int group() const { return out_channels <= 16 ? 2 : 4; }
  [[nodiscard]] constexpr int tiles() const {
    const int wide = 8 * group();
    return (out_channels + wide - 1) / wide * group();
  }
  [[nodiscard]] constexpr std::size_t fp16_count() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(chunks()) *
           static_cast<std::size_t>(tiles()) * 32 * static_cast<std::size_t>(fp16_per_lane());
  }
};

/// `weight` has the shape [columns][in_channels][out_channels]. The result has the shape
/// [columns][chunks][tiles][32 lanes][halves per lane], with zeros beyond the last channel.
[[nodiscard]] std::vector<std::uint16_t> pack_fragments(const FragmentShape& shape,
                                                        const std::vector<float>& weight);

}  // namespace spira::cuda

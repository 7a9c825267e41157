// The orders in which fp16 weights are stored on the device, for matrix products by warps and by warpgroups.
#pragma once

#include "engine/network/weights.hpp"

#include <cstddef>
#include <cstdint>

namespace spira {
class Buffer;
}

namespace spira::cuda {

struct Device;

/// The order in which the weights are stored for matrix products by warps. A lane of a warp reads the weights
/// that it passes to mma.m16n8k16 as one word.
///
/// The channels inside a product may be in any order if both factors use the same order. With this order, a
/// lane reads consecutive channels of its rows: one 16-byte read of a feature row instead of four 4-byte
/// reads. The results of a lane are also consecutive output channels, which it writes as 16 bytes. Both the
/// input channels and the output channels of the packed weights are permuted for this.
struct FragmentShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  /// Returns the number of input channels that one step multiplies.
  [[nodiscard]] constexpr int chunk() const { return in_channels <= 16 ? 16 : 32; }
  [[nodiscard]] constexpr int chunks() const { return (in_channels + chunk() - 1) / chunk(); }
  [[nodiscard]] constexpr int fp16_per_lane() const { return chunk() / 4; }
  /// Returns the number of adjacent tiles (of 8 output channels each) whose columns one lane holds.
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

/// Packs fp32 weights in device memory for the products of a layer with this shape. `weight` has the order of
/// LayerWeights, and is packed in the given form. The result has the shape [columns][chunks][tiles][32
/// lanes][values per lane]. Channels beyond the last one are zero. If the layer needs the order of AtomShape,
/// it follows. Queues the work on the stream and does not wait for it.
[[nodiscard]] Buffer pack_weights(const Device& device, const FragmentShape& shape, const Buffer& weight,
                                  WeightForm form);
/// Returns the size of the result of pack_weights(), in bytes.
[[nodiscard]] std::size_t packed_weight_bytes(const Device& device, const FragmentShape& shape);
/// Returns fp32 weights in device memory in another form. The shape is that of the result.
[[nodiscard]] Buffer in_form(const Device& device, const FragmentShape& shape, const Buffer& weight,
                             WeightForm form);
/// Returns packed weights in the order [K^3][C_in][C_out], for matrix products by cuBLAS. Queues the work on
/// the stream and does not wait for the work.
[[nodiscard]] Buffer plain_weights(const Device& device, const FragmentShape& shape, const Buffer& packed);

/// The order in which the weights are stored for matrix products by warpgroups (sm_90a), which read the
/// weights from shared memory.
///
/// The rows of the weight matrix are output channels. An atom is a section of a row that is contiguous in
/// shared memory: 64 or 32 input channels, in pieces of 16 bytes. The pieces are permuted among 8 rows
/// ("swizzled"), so that a read uses all banks. The shape is [columns][atoms][out_channels][channels]. The
/// output channels are permuted as in a FragmentShape with group() = 4.
struct AtomShape {
  int in_channels = 0, out_channels = 0, columns = 0;

  /// Returns true if the layer needs this order in addition to the order of FragmentShape. This is the case
  /// for wide layers with K = 3 or 5, for which products by warpgroups are faster.
  [[nodiscard]] constexpr bool wanted() const {
    return (columns == 27 || columns == 125) && in_channels >= 64 && in_channels % 32 == 0 &&
           out_channels % 32 == 0;
  }
  [[nodiscard]] constexpr int channels() const { return in_channels % 64 == 0 ? 64 : 32; }
  [[nodiscard]] constexpr int atoms() const { return in_channels / channels(); }
  [[nodiscard]] constexpr std::size_t fp16_count() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(in_channels) *
           static_cast<std::size_t>(out_channels);
  }
};

}  // namespace spira::cuda

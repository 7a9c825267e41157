// Packs and unpacks fp16 weights (stages "repack" and "weights").
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

namespace spira::cuda {
namespace {

/// fp32 weights with the order of LayerWeights, which are read in one of the forms of WeightForm. The numbers
/// of channels are those of the form.
struct WeightsInForm {
  const float* weight;
  int columns, in_channels, out_channels;
  bool exchanged, reversed;

  WeightsInForm(const FragmentShape& shape, const Buffer& from, WeightForm form)
      : weight(values<float>(from)),
        columns(shape.columns),
        in_channels(shape.in_channels),
        out_channels(shape.out_channels),
        exchanged(form != WeightForm::forward),
        reversed(form == WeightForm::reversed) {}
  /// Returns 0 for channels beyond the last one.
  [[nodiscard]] __device__ float at(int column, int in, int out) const {
    if (in >= in_channels || out >= out_channels) return 0;
    const std::int64_t from = reversed ? columns - 1 - column : column;
    return __ldg(weight + (from * in_channels * out_channels) +
                 (exchanged ? (out * in_channels) + in : (in * out_channels) + out));
  }
};

/// Values of FragmentShape, because device code cannot call its functions.
struct FragmentOrder {
  int chunk, chunks, each, group, tiles;

  explicit FragmentOrder(const FragmentShape& shape)
      : chunk(shape.chunk()),
        chunks(shape.chunks()),
        each(shape.fp16_per_lane()),
        group(shape.group()),
        tiles(shape.tiles()) {}
  /// Returns the weight at a position of the packed weights.
  [[nodiscard]] __device__ float value(const WeightsInForm& weights, std::int64_t position) const {
    const auto at = static_cast<int>(position % each), lane = static_cast<int>(position / each % 32);
    std::int64_t rest = position / each / 32;
    const auto tile = static_cast<int>(rest % tiles);
    rest /= tiles;
    const auto number = static_cast<int>(rest % chunks), column = static_cast<int>(rest / chunks);
    // `n` is the column of the tile. In each row of accumulators, lane n / 2 holds this column.
    const int n = lane / 4;
    const int out = (tile / group * group * 8) + (n / 2 * 2 * group) + (tile % group * 2) + (n % 2);
    return weights.at(column, (number * chunk) + (lane % 4 * each) + at, out);
  }
};

/// The same for AtomShape.
struct AtomOrder {
  static constexpr int piece = 8;  // Number of channels in 16 bytes.
  int channels, atoms;

  explicit AtomOrder(const AtomShape& shape) : channels(shape.channels()), atoms(shape.atoms()) {}
  [[nodiscard]] __device__ float value(const WeightsInForm& weights, std::int64_t position) const {
    const auto at = static_cast<int>(position % channels);
    std::int64_t rest = position / channels;
    const auto n = static_cast<int>(rest % weights.out_channels);
    rest /= weights.out_channels;
    const auto atom = static_cast<int>(rest % atoms), column = static_cast<int>(rest / atoms);
    const int exchange = channels / piece == 8 ? n % 8 : n / 2 % 4;
    const int in = (atom * channels) + ((at / piece ^ exchange) * piece) + (at % piece);
    // Row `n` contains this output channel, so that the results of a lane are 8 consecutive channels.
    const int tile = n / 8, out = (tile / 4 * 32) + (n % 8 / 2 * 8) + (tile % 4 * 2) + (n % 2);
    return weights.at(column, in, out);
  }
};

}  // namespace

std::size_t packed_weight_bytes(const Device& device, const FragmentShape& shape) {
  const AtomShape atoms{shape.in_channels, shape.out_channels, shape.columns};
  const bool both = has_warpgroup_products(device.sm) && atoms.wanted();
  return (shape.fp16_count() + (both ? atoms.fp16_count() : 0)) * sizeof(__half);
}

Buffer pack_weights(const Device& device, const FragmentShape& shape, const Buffer& weight, WeightForm form) {
  const WeightsInForm from(shape, weight, form);
  Buffer packed(device.pool, packed_weight_bytes(device, shape));
  const auto all = static_cast<std::int64_t>(packed.bytes() / sizeof(__half)),
             first = static_cast<std::int64_t>(shape.fp16_count());
  auto* const to = values<__half>(packed);
  const FragmentOrder fragments(shape);
  const AtomOrder atoms({shape.in_channels, shape.out_channels, shape.columns});
  for_each(device, all, [=] __device__(std::int64_t at) {
    to[at] = __float2half_rn(at < first ? fragments.value(from, at) : atoms.value(from, at - first));
  });
  return packed;
}

Buffer in_form(const Device& device, const FragmentShape& shape, const Buffer& weight, WeightForm form) {
  const WeightsInForm from(shape, weight, form);
  Buffer result(device.pool, weight.bytes());
  auto* const to = values<float>(result);
  const std::int64_t ins = shape.in_channels, outs = shape.out_channels;
  for_each(device, shape.columns * ins * outs, [=] __device__(std::int64_t at) {
    to[at] = from.at(static_cast<int>(at / outs / ins), static_cast<int>(at / outs % ins),
                     static_cast<int>(at % outs));
  });
  return result;
}

Buffer plain_weights(const Device& device, const FragmentShape& shape, const Buffer& packed) {
  const std::int64_t columns = shape.columns, ins = shape.in_channels, outs = shape.out_channels;
  Buffer plain(device.pool, static_cast<std::size_t>(columns * ins * outs) * sizeof(std::uint16_t));
  const auto* from = values<std::uint16_t>(packed);
  auto* to = values<std::uint16_t>(plain);
  const int chunk = shape.chunk(), chunks = shape.chunks(), each = shape.fp16_per_lane(),
            group = shape.group(), tiles = shape.tiles();
  for_each(device, columns * ins * outs, [=] __device__(std::int64_t at) {
    const auto out = static_cast<int>(at % outs), in = static_cast<int>(at / outs % ins);
    const std::int64_t column = at / outs / ins;
    // Inverts FragmentOrder: computes the tile, the lane, and the position in the lane's word that contain
    // (in, out).
    const int wide = 8 * group, among = out % wide, n = (among / (2 * group) * 2) + (among % 2);
    const int tile = (out / wide * group) + (among % (2 * group) / 2);
    const int lane = (n * 4) + (in % chunk / each);
    const std::int64_t word = (((((column * chunks) + (in / chunk)) * tiles) + tile) * 32) + lane;
    to[at] = from[(word * each) + (in % chunk % each)];
  });
  return plain;
}

}  // namespace spira::cuda

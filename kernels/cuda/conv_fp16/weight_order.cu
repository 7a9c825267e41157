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

/// Consecutive packed weights, which one thread writes.
template <int count> struct alignas(2 * count) PackedPiece { __half of[count]; };

/// Values of FragmentShape, because device code cannot call its functions.
struct FragmentOrder {
  int chunk, chunks, group, tiles;

  explicit FragmentOrder(const FragmentShape& shape)
      : chunk(shape.chunk()), chunks(shape.chunks()), group(shape.group()), tiles(shape.tiles()) {}
  /// Returns the weights of a lane. `each` is FragmentShape::fp16_per_lane().
  template <int each>
  [[nodiscard]] __device__ PackedPiece<each> piece(const WeightsInForm& weights, std::int64_t number) const {
    const auto lane = static_cast<int>(number % 32);
    std::int64_t rest = number / 32;
    const auto tile = static_cast<int>(rest % tiles);
    rest /= tiles;
    const auto part = static_cast<int>(rest % chunks), column = static_cast<int>(rest / chunks);
    // `n` is the column of the tile. In each row of accumulators, lane n / 2 holds this column.
    const int n = lane / 4;
    const int out = (tile / group * group * 8) + (n / 2 * 2 * group) + (tile % group * 2) + (n % 2);
    PackedPiece<each> result;
#pragma unroll
    for (int at = 0; at < each; ++at)
      result.of[at] = __float2half_rn(weights.at(column, (part * chunk) + (lane % 4 * each) + at, out));
    return result;
  }
};

/// The same for AtomShape.
struct AtomOrder {
  static constexpr int each = 8;  // Number of channels in 16 bytes.
  int pieces, atoms;

  explicit AtomOrder(const AtomShape& shape) : pieces(shape.channels() / each), atoms(shape.atoms()) {}
  [[nodiscard]] __device__ PackedPiece<each> piece(const WeightsInForm& weights, std::int64_t number) const {
    const auto at = static_cast<int>(number % pieces);
    std::int64_t rest = number / pieces;
    const auto n = static_cast<int>(rest % weights.out_channels);
    rest /= weights.out_channels;
    const auto atom = static_cast<int>(rest % atoms), column = static_cast<int>(rest / atoms);
    const int exchange = pieces == 8 ? n % 8 : n / 2 % 4;
    const int in = ((atom * pieces) + (at ^ exchange)) * each;
    // Row `n` contains this output channel, so that the results of a lane are 8 consecutive channels.
    const int tile = n / 8, out = (tile / 4 * 32) + (n % 8 / 2 * 8) + (tile % 4 * 2) + (n % 2);
    PackedPiece<each> result;
#pragma unroll
    for (int channel = 0; channel < each; ++channel)
      result.of[channel] = __float2half_rn(weights.at(column, in + channel, out));
    return result;
  }
};

/// Packs the weights for products by warps, and then for `atoms` pieces of products by warpgroups, in one
/// launch, because most layers need less time than a launch. `each` is FragmentShape::fp16_per_lane().
template <int each>
void pack(const Device& device, const FragmentShape& shape, const WeightsInForm& from, std::int64_t atoms,
          __half* to) {
  const FragmentOrder order(shape);
  const AtomOrder atom_order({shape.in_channels, shape.out_channels, shape.columns});
  const auto fragments = static_cast<std::int64_t>(shape.fp16_count() / each);
  auto* const pieces = reinterpret_cast<PackedPiece<each>*>(to);
  auto* const atom_pieces = reinterpret_cast<PackedPiece<AtomOrder::each>*>(to + shape.fp16_count());
  for_each(device, fragments + atoms, [=] __device__(std::int64_t at) {
    if (at < fragments) {
      pieces[at] = order.piece<each>(from, at);
    } else {
      atom_pieces[at - fragments] = atom_order.piece(from, at - fragments);
    }
  });
}

}  // namespace

std::size_t packed_weight_bytes(const Device& device, const FragmentShape& shape) {
  const AtomShape atoms{shape.in_channels, shape.out_channels, shape.columns};
  const bool both = has_warpgroup_products(device.sm) && atoms.wanted();
  return (shape.fp16_count() + (both ? atoms.fp16_count() : 0)) * sizeof(__half);
}

Buffer pack_weights(const Device& device, const FragmentShape& shape, const Buffer& weight, WeightForm form) {
  const WeightsInForm from(shape, weight, form);
  Buffer packed(device.pool, packed_weight_bytes(device, shape));
  auto* const to = values<__half>(packed);
  const auto atoms =
      static_cast<std::int64_t>(((packed.bytes() / sizeof(__half)) - shape.fp16_count()) / AtomOrder::each);
  shape.fp16_per_lane() == 8 ? pack<8>(device, shape, from, atoms, to)
                             : pack<4>(device, shape, from, atoms, to);
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

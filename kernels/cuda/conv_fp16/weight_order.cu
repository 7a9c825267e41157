// Packs and unpacks fp16 weights (stages "repack" and "weights").
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

#include <limits>

namespace spira::cuda {
namespace {

/// Consecutive packed weights, which one thread writes.
template <int count> struct alignas(2 * count) PackedPiece { __half of[count]; };

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
    return in < in_channels && out < out_channels ? __ldg(from(column, in, out)) : 0;
  }
  /// Returns the weights of `count` adjacent input channels, packed. `in` must be a multiple of 4.
  template <int count> [[nodiscard]] __device__ PackedPiece<count> piece(int column, int in, int out) const {
    alignas(16) float read[count];
    if (exchanged && in_channels % 4 == 0 && in + count <= in_channels && out < out_channels) {
#pragma unroll
      for (int quarter = 0; quarter < count; quarter += 4)
        *reinterpret_cast<float4*>(read + quarter) =
            __ldg(reinterpret_cast<const float4*>(from(column, in + quarter, out)));
    } else {
#pragma unroll
      for (int channel = 0; channel < count; ++channel)
        read[channel] = at(column, in + channel, out);
    }
    PackedPiece<count> result;
#pragma unroll
    for (int channel = 0; channel < count; ++channel)
      result.of[channel] = __float2half_rn(read[channel]);
    return result;
  }

 private:
  [[nodiscard]] __device__ const float* from(int column, int in, int out) const {
    const std::int64_t matrix = reversed ? columns - 1 - column : column;
    return weight + (matrix * in_channels * out_channels) +
           (exchanged ? (out * in_channels) + in : (in * out_channels) + out);
  }
};

/// A piece of packed weights: its input channels, its output channel, and its place. Adjacent threads handle
/// two adjacent groups of input channels, so that they write whole sectors, and then the next output channel,
/// so that they also read whole sectors.
struct PieceAt {
  int column, in, out, place;
};

/// Values of FragmentShape, because device code cannot call its functions.
struct FragmentOrder {
  int chunk, chunks, group, tiles;

  explicit FragmentOrder(const FragmentShape& shape)
      : chunk(shape.chunk()), chunks(shape.chunks()), group(shape.group()), tiles(shape.tiles()) {}
  /// Returns the piece that thread `number` packs, the weights of a lane.
  [[nodiscard]] __device__ PieceAt piece(int number) const {
    int rest = number / 2;
    const int outs = tiles * 8, out = rest % outs;
    rest /= outs;
    const int among_lanes = (rest % 2 * 2) + (number % 2);
    rest /= 2;
    const int part = rest % chunks, column = rest / chunks;
    // `n` is the column of the tile. In each row of accumulators, lane n / 2 holds this column.
    const int wide = 8 * group, among = out % wide, n = (among / (2 * group) * 2) + (among % 2);
    const int tile = (out / wide * group) + (among % (2 * group) / 2);
    const int lanes = ((((column * chunks) + part) * tiles) + tile) * 32;
    return {column, (part * chunk) + (among_lanes * (chunk / 4)), out, lanes + (n * 4) + among_lanes};
  }
};

/// The same for AtomShape.
struct AtomOrder {
  static constexpr int each = 8;  // Number of channels in 16 bytes.
  int pieces, atoms, out_channels;

  explicit AtomOrder(const AtomShape& shape)
      : pieces(shape.channels() / each), atoms(shape.atoms()), out_channels(shape.out_channels) {}
  [[nodiscard]] __device__ PieceAt piece(int number) const {
    int rest = number / 2;
    const int out = rest % out_channels;
    rest /= out_channels;
    const int pairs = pieces / 2, at = (rest % pairs * 2) + (number % 2);
    rest /= pairs;
    const int atom = rest % atoms, column = rest / atoms;
    // Row `n` contains this output channel, so that the results of a lane are 8 consecutive channels.
    const int among = out % 32, tile = (out / 32 * 4) + (among % 8 / 2),
              n = (tile * 8) + (among / 8 * 2) + (among % 2);
    const int exchange = pieces == 8 ? n % 8 : n / 2 % 4;
    const int row = (((column * atoms) + atom) * out_channels) + n;
    return {column, ((atom * pieces) + at) * each, out, (row * pieces) + (at ^ exchange)};
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
  SPIRA_ASSERT(fragments + atoms <= std::numeric_limits<int>::max(), "a layer has too many weights");
  for_each(device, fragments + atoms, [=] __device__(std::int64_t thread) {
    const auto number = static_cast<int>(thread);
    if (number < fragments) {
      const PieceAt piece = order.piece(number);
      pieces[piece.place] = from.piece<each>(piece.column, piece.in, piece.out);
    } else {
      const PieceAt piece = atom_order.piece(static_cast<int>(number - fragments));
      atom_pieces[piece.place] = from.piece<AtomOrder::each>(piece.column, piece.in, piece.out);
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

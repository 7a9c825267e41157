// Packs fp16 weights on the host, and unpacks them on the device (stage "weights").
#include "engine/base/fp16.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spira::cuda {
namespace {

/// Returns the output channel that row `n` of the weight matrix contains. With this order, the results of
/// each lane are 8 consecutive output channels, as with FragmentShape.
int channel_of(int n) {
  const int tile = n / 8, pair = n % 8 / 2;
  return (tile / 4 * 32) + (pair * 8) + (tile % 4 * 2) + (n % 2);
}

}  // namespace

std::vector<std::uint16_t> pack_fragments(const FragmentShape& shape, const std::vector<float>& weight) {
  std::vector<std::uint16_t> packed;
  packed.reserve(shape.fp16_count());
  const int each = shape.fp16_per_lane(), group = shape.group();
  for (int column = 0; column < shape.columns; ++column) {
    for (int chunk = 0; chunk < shape.chunks(); ++chunk) {
      for (int tile = 0; tile < shape.tiles(); ++tile) {
        for (int lane = 0; lane < 32; ++lane) {
          // `n` is the column of the tile. In each row of accumulators, lane n / 2 holds this column.
          const int n = lane / 4;
          const int out = (tile / group * group * 8) + (n / 2 * 2 * group) + (tile % group * 2) + (n % 2);
          for (int at = 0; at < each; ++at) {
            const int in = (chunk * shape.chunk()) + (lane % 4 * each) + at;
            const bool there = in < shape.in_channels && out < shape.out_channels;
            const std::size_t from =
                (((static_cast<std::size_t>(column) * static_cast<std::size_t>(shape.in_channels)) +
                  static_cast<std::size_t>(in)) *
                 static_cast<std::size_t>(shape.out_channels)) +
                static_cast<std::size_t>(out);
            packed.push_back(there ? float_to_fp16(weight[from]) : Fp16{0});
          }
        }
      }
    }
  }
  return packed;
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
    // Inverts pack_fragments(): computes the tile, the lane, and the position in the lane's word that contain
    // (in, out).
    const int wide = 8 * group, among = out % wide, n = (among / (2 * group) * 2) + (among % 2);
    const int tile = (out / wide * group) + (among % (2 * group) / 2);
    const int lane = (n * 4) + (in % chunk / each);
    const std::int64_t word = (((((column * chunks) + (in / chunk)) * tiles) + tile) * 32) + lane;
    to[at] = from[(word * each) + (in % chunk % each)];
  });
  return plain;
}

std::vector<std::uint16_t> pack_atoms(const AtomShape& shape, const std::vector<float>& weight) {
  constexpr int piece = 8;  // Number of channels in 16 bytes.
  const int channels = shape.channels(), pieces = channels / piece;
  std::vector<std::uint16_t> packed;
  packed.reserve(shape.fp16_count());
  for (int column = 0; column < shape.columns; ++column) {
    for (int atom = 0; atom < shape.atoms(); ++atom) {
      for (int n = 0; n < shape.out_channels; ++n) {
        const int exchange = pieces == 8 ? n % 8 : n / 2 % 4;
        for (int at = 0; at < channels; ++at) {
          const int in = (atom * channels) + ((at / piece ^ exchange) * piece) + (at % piece);
          const std::size_t from =
              (((static_cast<std::size_t>(column) * static_cast<std::size_t>(shape.in_channels)) +
                static_cast<std::size_t>(in)) *
               static_cast<std::size_t>(shape.out_channels)) +
              static_cast<std::size_t>(channel_of(n));
          packed.push_back(float_to_fp16(weight[from]));
        }
      }
    }
  }
  return packed;
}

}  // namespace spira::cuda

// Unpacks fp16 weights from the order of mma fragments into plain order (stage "weights").
#include "kernels/cuda/baseline/plain_weights.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spira::cuda {

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
    // Inverse of pack_fragments(): finds the tile, the lane and the position in the lane's word that contain
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

#include "kernels/cuda/conv_fp16/weight_fragments.hpp"

#include "engine/base/half.hpp"

namespace spira::cuda {

std::vector<std::uint16_t> pack_fragments(const FragmentShape& shape, const std::vector<float>& weight) {
  std::vector<std::uint16_t> packed;
  packed.reserve(shape.fp16_count());
  const int each = shape.fp16_per_lane(), group = shape.group();
  for (int column = 0; column < shape.columns; ++column) {
    for (int chunk = 0; chunk < shape.chunks(); ++chunk) {
      for (int tile = 0; tile < shape.tiles(); ++tile) {
        for (int lane = 0; lane < 32; ++lane) {
          const int n = lane / 4;  // column of the tile; lane n / 2 of the accumulators holds it
          const int out = (tile / group * group * 8) + (n / 2 * 2 * group) + (tile % group * 2) + (n % 2);
          for (int at = 0; at < each; ++at) {
            const int in = (chunk * shape.chunk()) + (lane % 4 * each) + at;
            const bool there = in < shape.in_channels && out < shape.out_channels;
            const std::size_t from =
                (((static_cast<std::size_t>(column) * static_cast<std::size_t>(shape.in_channels)) +
                  static_cast<std::size_t>(in)) *
                 static_cast<std::size_t>(shape.out_channels)) +
                static_cast<std::size_t>(out);
            packed.push_back(there ? float_to_half(weight[from]) : Half{0});
          }
        }
      }
    }
  }
  return packed;
}

}  // namespace spira::cuda

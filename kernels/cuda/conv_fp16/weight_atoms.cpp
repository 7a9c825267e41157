#include "kernels/cuda/conv_fp16/weight_atoms.hpp"

#include "engine/base/half.hpp"

namespace spira::cuda {
namespace {

/// Returns the output channel of row `n`. In this order each lane ends with 8 consecutive channels, as with
/// FragmentShape.
int channel_of(int n) {
  const int tile = n / 8, pair = n % 8 / 2;
  return (tile / 4 * 32) + (pair * 8) + (tile % 4 * 2) + (n % 2);
}

}  // namespace

std::vector<std::uint16_t> pack_atoms(const AtomShape& shape, const std::vector<float>& weight) {
  constexpr int piece = 8;  // channels in 16 bytes
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
          packed.push_back(float_to_half(weight[from]));
        }
      }
    }
  }
  return packed;
}

}  // namespace spira::cuda

#include "ui/theme/colour_maps.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {

Rgb viridis(double share) noexcept {
  if (std::isnan(share)) return {128, 128, 128};
  const double t = std::clamp(share, 0.0, 1.0) * 10.0;
  // viridis at every tenth; in between it is close to linear.
  static constexpr std::array<Rgb, 11> stops{{{68, 1, 84},
                                              {72, 36, 117},
                                              {65, 68, 135},
                                              {53, 95, 141},
                                              {42, 120, 142},
                                              {33, 145, 140},
                                              {34, 168, 132},
                                              {68, 191, 112},
                                              {122, 209, 81},
                                              {189, 223, 38},
                                              {253, 231, 37}}};
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(t), 9);
  const double rest = t - static_cast<double>(low);
  Rgb colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    colour[c] =
        static_cast<std::uint8_t>(std::lround(((1.0 - rest) * stops[low][c]) + (rest * stops[low + 1][c])));
  }
  return colour;
}

Rgb category(std::uint32_t label) noexcept {
  static constexpr std::array<Rgb, 8> okabe_ito{{{153, 153, 153},
                                                 {230, 159, 0},
                                                 {86, 180, 233},
                                                 {0, 158, 115},
                                                 {240, 228, 66},
                                                 {0, 114, 178},
                                                 {213, 94, 0},
                                                 {204, 121, 167}}};
  return okabe_ito[(label + (label / 10U)) % okabe_ito.size()];
}

}  // namespace spira::ui

#include "ui/theme/colour_maps.hpp"

#include <algorithm>
#include <cmath>

namespace spira::ui {

namespace {

constexpr Rgb unknown{128, 128, 128};

// viridis is stored at 11 evenly spaced points, cividis at 10. Both maps are almost linear between these
// points.
constexpr std::array<Rgb, 11> viridis_stops{{{68, 1, 84},
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
constexpr std::array<Rgb, 10> cividis_stops{{{0, 32, 77},
                                             {0, 51, 111},
                                             {57, 72, 107},
                                             {87, 92, 109},
                                             {112, 113, 115},
                                             {138, 135, 121},
                                             {166, 157, 117},
                                             {196, 181, 108},
                                             {228, 207, 91},
                                             {255, 234, 70}}};
// On a dark background, the low ends of both maps are lighter blue and grey tones. Their contrast is at
// least 3:1 even on the shaded faces of cubes. The upper halves are those of the maps.
constexpr std::array<Rgb, 9> viridis_on_dark_stops{{{134, 160, 232},
                                                    {104, 168, 222},
                                                    {78, 175, 207},
                                                    {58, 180, 184},
                                                    {48, 184, 152},
                                                    {68, 191, 112},
                                                    {122, 209, 81},
                                                    {189, 223, 38},
                                                    {253, 231, 37}}};
constexpr std::array<Rgb, 7> cividis_on_dark_stops{{{146, 158, 186},
                                                    {153, 158, 167},
                                                    {160, 158, 142},
                                                    {172, 163, 122},
                                                    {196, 181, 108},
                                                    {228, 207, 91},
                                                    {255, 234, 70}}};
constexpr std::array<Rgb, band_count> bands{{{106, 61, 154},
                                             {33, 102, 190},
                                             {32, 168, 168},
                                             {60, 150, 60},
                                             {240, 210, 50},
                                             {240, 138, 36},
                                             {200, 36, 44}}};

Rgb between(std::span<const Rgb> colours, double share) noexcept {
  const double t = share * static_cast<double>(colours.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(t), colours.size() - 2);
  const double rest = t - static_cast<double>(low);
  Rgb colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    colour[c] = static_cast<std::uint8_t>(
        std::lround(((1.0 - rest) * colours[low][c]) + (rest * colours[low + 1][c])));
  }
  return colour;
}

}  // namespace

Rgb colour_along(std::span<const Rgb> colours, double share) noexcept {
  return std::isnan(share) ? unknown : between(colours, std::clamp(share, 0.0, 1.0));
}

ColourMap on_dark(ColourMap map) noexcept {
  return map == ColourMap::viridis   ? ColourMap::viridis_on_dark
         : map == ColourMap::cividis ? ColourMap::cividis_on_dark
                                     : map;
}

Rgb colour_of(ColourMap map, double share) noexcept {
  if (std::isnan(share)) return unknown;
  const double inside = std::clamp(share, 0.0, 1.0);
  if (map == ColourMap::viridis_on_dark) return between(viridis_on_dark_stops, inside);
  if (map == ColourMap::cividis_on_dark) return between(cividis_on_dark_stops, inside);
  if (map == ColourMap::cividis) return between(cividis_stops, inside);
  if (map == ColourMap::bands)
    return bands[std::min(static_cast<std::size_t>(inside * band_count), bands.size() - 1)];
  return between(viridis_stops, inside);
}

std::map<std::uint32_t, Rgb> class_colours(const std::set<std::uint32_t>& labels) {
  // The first eight colours are grey and seven colours of Okabe and Ito (2008), which colour-blind people can
  // distinguish. Sixteen other colours follow.
  static constexpr std::array<Rgb, 24> colours{
      {{128, 128, 128}, {230, 159, 0},   {86, 180, 233},  {0, 158, 115}, {240, 228, 66}, {0, 114, 178},
       {213, 94, 0},    {204, 121, 167}, {230, 25, 75},   {60, 180, 75}, {145, 30, 180}, {0, 170, 190},
       {240, 50, 230},  {150, 190, 20},  {170, 110, 40},  {128, 0, 0},   {0, 0, 128},    {90, 215, 160},
       {128, 128, 0},   {175, 140, 235}, {205, 150, 110}, {90, 90, 220}, {0, 90, 40},    {70, 70, 70}}};
  constexpr std::size_t of_all_eyes = 8;
  const std::size_t used = labels.size() <= of_all_eyes ? of_all_eyes : colours.size();
  std::map<std::uint32_t, Rgb> result;
  std::array<bool, colours.size()> taken{};
  for (const std::uint32_t label : labels) {
    std::size_t at = (label + (label / 10U)) % used;
    if (result.size() % used == 0) taken.fill(false);
    while (taken[at])
      at = (at + 1) % used;
    taken[at] = true;
    result[label] = colours[at];
  }
  return result;
}

}  // namespace spira::ui

// Colour maps for numbers (viridis, cividis and seven bands), and 24 colours for classes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>

namespace spira::ui {

using Rgb = std::array<std::uint8_t, 3>;

enum class ColourMap {
  viridis,
  cividis,
  bands,
  // These maps have lighter colours instead of the dark ones, which are hard to see on a dark background. The
  // user cannot choose them.
  viridis_on_dark,
  cividis_on_dark
};
/// Returns the colour map to use on a dark background instead of `map`.
[[nodiscard]] ColourMap on_dark(ColourMap map) noexcept;
constexpr int band_count = 7;

/// Returns the colour of a map at the fraction `share`, which is clamped to 0..1. NaN gives grey. viridis and
/// cividis are interpolated linearly between a few of their colours. The bands are seven flat colours with
/// well-known names: violet, blue, turquoise, green, yellow, orange, red.
[[nodiscard]] Rgb colour_of(ColourMap map, double share) noexcept;
/// Returns the interpolated colour at the fraction `share`. The `colours` are spaced evenly from 0 to 1. At
/// least two colours are required.
[[nodiscard]] Rgb colour_along(std::span<const Rgb> colours, double share) noexcept;
/// Returns the colours of the class labels of a scene. Up to 24 labels get different colours. Up to 8 labels
/// are also distinguishable for colour-blind people. A label usually has the same colour in all scenes. It
/// gets another colour if a different label of the scene already has its usual colour, or if the number of
/// labels exceeds 8.
[[nodiscard]] std::map<std::uint32_t, Rgb> class_colours(const std::set<std::uint32_t>& labels);

}  // namespace spira::ui

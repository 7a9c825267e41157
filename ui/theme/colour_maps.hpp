// Colour maps: viridis, cividis and seven bands for amounts, 24 colours for classes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>

namespace spira::ui {

using Rgb = std::array<std::uint8_t, 3>;

enum class ColourMap { viridis, cividis, bands };
constexpr int band_count = 7;

/// share in 0..1 (clamped; NaN gives grey). viridis and cividis are linear between a few of their values; the
/// bands are flat and have names that can be said aloud: violet, blue, turquoise, green, yellow, orange, red.
[[nodiscard]] Rgb colour_of(ColourMap map, double share) noexcept;
/// The same between colours that stand evenly from 0 to 1; two at least.
[[nodiscard]] Rgb colour_along(std::span<const Rgb> colours, double share) noexcept;
/// Colours of the class labels of a scene: all differ up to 24 of them, up to 8 also for colour-blind people,
/// and a label mostly keeps its colour from scene to scene.
[[nodiscard]] std::map<std::uint32_t, Rgb> class_colours(const std::set<std::uint32_t>& labels);

}  // namespace spira::ui

// Colour maps: viridis for amounts, 24 colours for classes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace spira::ui {

using Rgb = std::array<std::uint8_t, 3>;

/// share in 0..1 (clamped; NaN gives grey). Linear between the values of viridis at every tenth.
[[nodiscard]] Rgb viridis(double share) noexcept;
/// Colours of the class labels of a scene: all differ up to 24 of them, and a label mostly keeps its colour
/// from scene to scene.
[[nodiscard]] std::map<std::uint32_t, Rgb> class_colours(const std::set<std::uint32_t>& labels);

}  // namespace spira::ui

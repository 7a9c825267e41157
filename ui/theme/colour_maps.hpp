// Colour maps: viridis for amounts, Okabe and Ito's eight for classes.
#pragma once

#include <array>
#include <cstdint>

namespace spira::ui {

using Rgb = std::array<std::uint8_t, 3>;

/// share in 0..1 (clamped; NaN gives grey). Linear between the values of viridis at every tenth.
[[nodiscard]] Rgb viridis(double share) noexcept;
/// Colour of a class label; neighbouring labels differ.
[[nodiscard]] Rgb category(std::uint32_t label) noexcept;

}  // namespace spira::ui

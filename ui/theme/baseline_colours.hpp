// Colours of the baselines, which are runs that the open run is compared with.
#pragma once

#include "ui/theme/theme.hpp"

namespace spira::ui {

constexpr int baseline_colours = 5;
/// Colour 0 is grey. No colour has the hue of a stage, because baselines appear next to stages.
[[nodiscard]] QColor baselineColour(const Theme& theme, int which);

}  // namespace spira::ui

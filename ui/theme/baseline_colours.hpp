// Colours of runs that the open one is compared with.
#pragma once

#include "ui/theme/theme.hpp"

namespace spira::ui {

constexpr int baseline_colours = 5;
/// The first is grey; none is the hue of a stage, since baselines stand beside those.
[[nodiscard]] QColor baselineColour(const Theme& theme, int which);

}  // namespace spira::ui

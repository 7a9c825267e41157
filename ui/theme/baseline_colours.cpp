#include "ui/theme/baseline_colours.hpp"

#include <array>

namespace spira::ui {

QColor baselineColour(const Theme& theme, int which) {
  constexpr std::array<const char*, baseline_colours> on_light{"", "#a3238e", "#8c564b", "#007a87",
                                                               "#5c6b00"},
      on_dark{"", "#ff8ae6", "#d9a88f", "#4fd0e0", "#c5d04a"};
  if (which <= 0 || which >= baseline_colours) return theme.palette().faint_text;
  const auto at = static_cast<std::size_t>(which);
  return {theme.dark() ? on_dark.at(at) : on_light.at(at)};
}

}  // namespace spira::ui

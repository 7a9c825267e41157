// Formats numbers for charts: in the user's locale on screen, with a decimal point on paper.
#pragma once

#include "ui/theme/theme.hpp"

#include <QString>

#include <string_view>

namespace spira::ui {

[[nodiscard]] QString numberText(const Theme& theme, double value, char format, int precision);
/// `number`: a text made by engine/base/text.hpp.
[[nodiscard]] QString numberText(const Theme& theme, std::string_view number);

}  // namespace spira::ui

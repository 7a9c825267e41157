// Numbers in charts: on the screen as the user writes them, on paper with a dot.
#pragma once

#include "ui/theme/theme.hpp"

#include <QString>

#include <string_view>

namespace spira::ui {

[[nodiscard]] QString numberText(const Theme& theme, double value, char format, int precision);
/// Of a text of engine/base/text.hpp.
[[nodiscard]] QString numberText(const Theme& theme, std::string_view number);

}  // namespace spira::ui

#include "ui/charts/chart_number.hpp"

#include "ui/theme/screen_number.hpp"

namespace spira::ui {

QString numberText(const Theme& theme, double value, char format, int precision) {
  return theme.paper() ? QString::number(value, format, precision) : onScreen(value, format, precision);
}

QString numberText(const Theme& theme, std::string_view number) {
  return theme.paper() ? QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size()))
                       : onScreen(number);
}

}  // namespace spira::ui

// The icons of the toolbar and of the side bar on the left, drawn as lines in one colour of the theme.
#pragma once

#include "ui/theme/theme.hpp"

#include <QIcon>
#include <QString>

namespace spira::ui {

/// Returns the icon of the resource `line-NAME.svg` in the text colour of the palette. A disabled icon has a
/// faint colour. The icon is a vector image, so it is sharp at every scale of the screen.
[[nodiscard]] QIcon line_icon(const QString& name, const Palette& palette);

}  // namespace spira::ui

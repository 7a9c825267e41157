// An eye icon for visible and hidden items: open or struck through, so that the shape shows the state.
#pragma once

#include <QColor>
#include <QIcon>

namespace spira::ui {

[[nodiscard]] QIcon eye_icon(bool open, const QColor& colour, double pixel_ratio);

}  // namespace spira::ui

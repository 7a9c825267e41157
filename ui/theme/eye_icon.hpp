// An eye, open or struck through: what is shown and what is hidden, told apart by shape.
#pragma once

#include <QColor>
#include <QIcon>

namespace spira::ui {

[[nodiscard]] QIcon eye_icon(bool open, const QColor& colour, double pixel_ratio);

}  // namespace spira::ui

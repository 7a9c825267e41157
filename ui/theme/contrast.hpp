// How well a text can be told from what is behind it, as WCAG 2 counts it.
#pragma once

#include <QColor>

namespace spira::ui {

constexpr double least_text_contrast = 4.5;   ///< of text; level AA
constexpr double least_shape_contrast = 3.0;  ///< of bars, lines and rings

/// From 1 (the same) to 21 (black on white).
[[nodiscard]] double contrast(const QColor& a, const QColor& b);
/// Black or white, whichever is told better from `background`: 4.5 or more on any colour.
[[nodiscard]] QColor text_on(const QColor& background);

}  // namespace spira::ui

// Contrast between text or shapes and their background, as defined by WCAG 2.
#pragma once

#include <QColor>

namespace spira::ui {

constexpr double least_text_contrast = 4.5;   ///< for text; level AA
constexpr double least_shape_contrast = 3.0;  ///< for bars, lines and rings

/// Returns the contrast ratio, from 1 (the same colour) to 21 (black on white).
[[nodiscard]] double contrast(const QColor& a, const QColor& b);
/// Returns black or white, whichever has more contrast with `background`. The contrast is at least 4.5 on any
/// colour.
[[nodiscard]] QColor text_on(const QColor& background);

}  // namespace spira::ui

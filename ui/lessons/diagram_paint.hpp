// Paints the diagrams of lessons at any moment of their motion. Each has a line that says what is counted by
// then, and a key of its colours.
#pragma once

#include "engine/lesson/diagram.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QString>

#include <utility>
#include <vector>

namespace spira::ui {

struct DiagramKey {
  QColor colour;
  QString text;
  bool hollow = false;
};

void paint_diagram(QPainter& painter, const MapMatrix& matrix, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonCurves& curves, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonLanes& lanes, const QRectF& area, double part,
                   const Theme& theme);

/// "12 of 20 outputs; 1,500 slots, 1,234 of them empty"
[[nodiscard]] QString diagram_status(const MapMatrix& matrix, double part);
[[nodiscard]] QString diagram_status(const LessonCurves& curves, double part);
[[nodiscard]] QString diagram_status(const LessonLanes& lanes, double part);

[[nodiscard]] std::vector<DiagramKey> diagram_keys(const MapMatrix& matrix, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonCurves& curves, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonLanes& lanes, const Theme& theme);

/// 1, 2 or 5 of a power of ten, so that there are about `count` up to `most`.
[[nodiscard]] double diagram_tick(double most, int count);
/// Colour of an empty cell that is paid for.
[[nodiscard]] QColor wasted_colour(const Theme& theme);

}  // namespace spira::ui

// Paints the diagrams of lessons at any moment of their motion. Each has a line that says what is counted by
// then, and a key of its colours.
#pragma once

#include "engine/lesson/diagram.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QString>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Of a curve: told apart without its colour.
struct LineStyle {
  enum class Mark : std::uint8_t { circle, square, triangle, diamond, cross, ring };
  Qt::PenStyle dashes = Qt::SolidLine;
  Mark mark = Mark::circle;
};
void paint_mark(QPainter& painter, const QPointF& at, LineStyle::Mark mark, const QColor& colour);

struct DiagramKey {
  QColor colour;
  QString text;
  std::optional<LineStyle> line{};  ///< of a curve, drawn in the place of a box
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

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
  bool hatched = false;
};

void paint_diagram(QPainter& painter, const MapMatrix& matrix, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonCurves& curves, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonLanes& lanes, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonColumns& columns, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonLevels& levels, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonPrice& price, const QRectF& area, double part,
                   const Theme& theme);

/// "12 of 20 outputs; 1,500 slots, 1,234 of them empty"
[[nodiscard]] QString diagram_status(const MapMatrix& matrix, double part);
[[nodiscard]] QString diagram_status(const LessonCurves& curves, double part);
[[nodiscard]] QString diagram_status(const LessonLanes& lanes, double part);
[[nodiscard]] QString diagram_status(const LessonColumns& columns, double part);
[[nodiscard]] QString diagram_status(const LessonLevels& levels, double part);
[[nodiscard]] QString diagram_status(const LessonPrice& price, double part);

[[nodiscard]] std::vector<DiagramKey> diagram_keys(const MapMatrix& matrix, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonCurves& curves, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonLanes& lanes, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonColumns& columns, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonLevels& levels, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonPrice& price, const Theme& theme);

/// Something that can be pointed at, painted into the same area with the same font.
struct DiagramSpot {
  QRectF area;
  QString tip;      ///< takes the place of the status meanwhile
  int offset = -1;  ///< column of the map that it is about; -1: none
};
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonColumns& columns, const QRectF& area,
                                                     const QFont& font);
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonLevels& levels, const QRectF& area,
                                                     const QFont& font);
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonPrice& price, const QRectF& area,
                                                     const QFont& font);
/// The others have none.
template <class Diagram>
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const Diagram&, const QRectF&, const QFont&) {
  return {};
}

/// 1, 2 or 5 of a power of ten, so that there are about `count` up to `most`.
[[nodiscard]] double diagram_tick(double most, int count);
/// Told apart from what is next to it without its colour.
void fill_hatched(QPainter& painter, const QRectF& area, const QColor& colour, const Theme& theme);
/// Colour of an empty cell that is paid for.
[[nodiscard]] QColor wasted_colour(const Theme& theme);

}  // namespace spira::ui

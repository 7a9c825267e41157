// Paints the diagrams of lessons at any time of their animation. Each diagram has a legend and a status line,
// which shows the counts up to this time.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QString>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Dash pattern and marker of a curve. They make curves distinguishable without colour.
struct LineStyle {
  enum class Mark : std::uint8_t { circle, square, triangle, diamond, cross, ring };
  Qt::PenStyle dashes = Qt::SolidLine;
  Mark mark = Mark::circle;
};
void paint_mark(QPainter& painter, const QPointF& at, LineStyle::Mark mark, const QColor& colour);

struct DiagramKey {
  QColor colour;
  QString text;
  /// Line style of a curve. If set, the legend shows a line instead of a box.
  std::optional<LineStyle> line{};
  bool hatched = false;
};

void paint_diagram(QPainter& painter, const MapMatrix& matrix, const QRectF& area, double part,
                   const Theme& theme);
void paint_diagram(QPainter& painter, const LessonSorting& sorting, const QRectF& area, double part,
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

/// Returns the text of the status line, such as "12 of 20 outputs; 1,500 slots, 1,234 of them empty".
[[nodiscard]] QString diagram_status(const MapMatrix& matrix, double part);
[[nodiscard]] QString diagram_status(const LessonSorting& sorting, double part);
[[nodiscard]] QString diagram_status(const LessonCurves& curves, double part);
[[nodiscard]] QString diagram_status(const LessonLanes& lanes, double part);
[[nodiscard]] QString diagram_status(const LessonColumns& columns, double part);
[[nodiscard]] QString diagram_status(const LessonLevels& levels, double part);
[[nodiscard]] QString diagram_status(const LessonPrice& price, double part);

[[nodiscard]] std::vector<DiagramKey> diagram_keys(const MapMatrix& matrix, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonSorting& sorting, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonCurves& curves, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonLanes& lanes, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonColumns& columns, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonLevels& levels, const Theme& theme);
[[nodiscard]] std::vector<DiagramKey> diagram_keys(const LessonPrice& price, const Theme& theme);

/// An area of a diagram that reacts to the pointer. Its position is valid only while the diagram is painted
/// into the same area with the same font.
struct DiagramSpot {
  QRectF area;
  QString tip;  ///< Text that replaces the status line while the pointer is over the area.
  /// Column of the kernel map to which the area belongs. -1 if it does not belong to a column.
  int offset = -1;
};
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonColumns& columns, const QRectF& area,
                                                     const QFont& font);
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonLevels& levels, const QRectF& area,
                                                     const QFont& font);
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const LessonPrice& price, const QRectF& area,
                                                     const QFont& font);
/// Returns an empty list for all other kinds of diagrams, because they have no areas that react to the
/// pointer.
template <class Diagram>
[[nodiscard]] std::vector<DiagramSpot> diagram_spots(const Diagram&, const QRectF&, const QFont&) {
  return {};
}

/// Returns the distance between axis ticks: 1, 2 or 5 times a power of ten. About `count` ticks cover the
/// range from 0 to `most`.
[[nodiscard]] double diagram_tick(double most, int count);
/// Fills an area with a hatch pattern, so that neighbouring areas are distinguishable without colour.
void fill_hatched(QPainter& painter, const QRectF& area, const QColor& colour, const Theme& theme);
/// Returns the colour of empty slots. The computation processes these slots, but they produce no result.
[[nodiscard]] QColor wasted_colour(const Theme& theme);

}  // namespace spira::ui

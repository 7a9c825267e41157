// Marks the inputs of a selected row of a native layer on top of the picture: the local cells around its
// point, the ball, and each input with a shape that compares it with the neighbourhood voxels.
#pragma once

#include "engine/run/native_row.hpp"

#include <QColor>
#include <QLineF>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QVector>

#include <vector>

class QFontMetrics;
class QPainter;

namespace spira::ui {

class Theme;

/// Positions are in device-independent pixels.
struct NativeMarker {
  struct Input {
    QPointF at;
    NativeInput::Change change = NativeInput::Change::same_column;
    bool folded = false;
    QColor colour;  ///< Colour of the column.
    bool operator==(const Input&) const = default;
  };
  struct Face {
    QPolygonF outline;
    QColor colour;  ///< Colour of the column.
    bool operator==(const Face&) const = default;
  };
  QPointF at;                             ///< The point of the row.
  QVector<QLineF> near_edges, far_edges;  ///< Edges of the cells in front of their centre and behind it.
  std::vector<Face> chosen;               ///< Faces of the cells of the selected offsets.
  QVector<QPolygonF> ball;                ///< Three circles around the point.
  double ball_opacity = 1;
  std::vector<Input> inputs;  ///< In the order in which they are painted: distant inputs first.
  QString title, note;
  std::vector<QColor> scale;  ///< Colour of each column. Shape: [columns].
  bool operator==(const NativeMarker&) const = default;
};

void paint_native(QPainter& painter, const NativeMarker& marker, const Theme& theme);
/// Paints the shape of an input.
void paint_input(QPainter& painter, const NativeMarker::Input& input, double size, const Theme& theme);

/// The legend names the shapes that occur, with their number, and shows the colours of the columns. A compact
/// legend is one line with the shapes and their numbers, for low views.
[[nodiscard]] QSizeF native_legend_size(const NativeMarker& marker, const QFontMetrics& metrics,
                                        bool compact);
/// Paints the content of the legend without a background. `area` has the size native_legend_size().
void paint_native_legend(QPainter& painter, const NativeMarker& marker, const QRectF& area,
                         const Theme& theme, bool compact);

}  // namespace spira::ui

// Paints a part of a kernel map as a matrix, with one row per output and one column per offset.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Matrix {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Matrix)
};
using Play = MapMatrix::Play;

QString counted(std::int64_t count) {
  return onScreen(count_text(count));
}

/// Returns how many of `count` items are visible at the time `part` of the animation.
std::size_t reached(double part, std::size_t count) {
  return std::min(count, static_cast<std::size_t>(std::ceil(part * static_cast<double>(count))));
}

std::int64_t filled_in(const MapMatrix& matrix, std::size_t rows, std::size_t from, std::size_t to) {
  std::int64_t filled = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = from; column < to; ++column)
      filled += matrix.at(row, column) ? 1 : 0;
  }
  return filled;
}

int threshold_at(const MapMatrix& matrix, double part) {
  return std::min(matrix.threshold, static_cast<int>(part * (matrix.threshold + 1)));
}

std::size_t dense_columns(const MapMatrix& matrix, int threshold) {
  return static_cast<std::size_t>(std::count_if(matrix.norms.begin(), matrix.norms.end(),
                                                [threshold](int norm) { return norm < threshold; }));
}

/// Returns how many columns are still stored at the time `part`. Column -delta is the mirror image of column
/// delta. The animation removes these mirror images one by one.
std::size_t stored_columns(const MapMatrix& matrix, double part) {
  const std::size_t half = matrix.columns.size() / 2;
  return matrix.columns.size() - reached(part, half);
}

/// Computes the positions of the cells. Columns of the same norm are adjacent, with a gap before the next
/// norm.
class Places {
 public:
  Places(const MapMatrix& matrix, const QRectF& area) : area_(area) {
    const bool grouped = matrix.play != Play::halves;
    double x = 0;
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
      if (grouped && column > 0 && matrix.norms[column] != matrix.norms[column - 1]) x += gap;
      left_.push_back(x);
      x += 1;
    }
    wide_ = area.width() / std::max(1.0, x);
    high_ = std::min(area.height() / static_cast<double>(std::max<std::size_t>(1, matrix.outputs.size())),
                     max_row_height);
  }
  [[nodiscard]] QRectF cell(std::size_t row, std::size_t column) const {
    const double seam = wide_ > 4 ? 1 : 0.3;
    return {area_.left() + (left_[column] * wide_), area_.top() + (static_cast<double>(row) * high_),
            wide_ - seam, high_ - 1};
  }
  [[nodiscard]] double leftOf(std::size_t column) const {
    return column < left_.size() ? area_.left() + (left_[column] * wide_) : area_.right();
  }
  [[nodiscard]] double bottom(std::size_t rows) const {
    return area_.top() + (static_cast<double>(rows) * high_);
  }

 private:
  static constexpr double gap = 0.8, max_row_height = 22;
  QRectF area_;
  std::vector<double> left_;
  double wide_ = 1, high_ = 1;
};

/// Colours of a cell if its slot has a match (`filled`) and if it has none (`empty`). An invalid colour is
/// not drawn.
struct Cell {
  QColor filled, empty;
};

/// Returns the colours of a cell at the time `part` of the animation.
Cell look_of(const MapMatrix& matrix, std::size_t row, std::size_t column, double part, const Theme& theme) {
  const Palette& p = theme.palette();
  QColor faint_filled = p.faint_text, faint_empty = p.raised;
  faint_filled.setAlphaF(0.55F);
  switch (matrix.play) {
    case Play::fill:
      return {row < reached(part, matrix.outputs.size()) ? p.text : p.raised, p.raised};
    case Play::rows:
      return row < reached(part, matrix.outputs.size()) ? Cell{p.dense, wasted_colour(theme)}
                                                        : Cell{faint_filled, faint_empty};
    case Play::columns:
      return column < reached(part, matrix.columns.size()) ? Cell{p.sparse, {}}
                                                           : Cell{faint_filled, faint_empty};
    case Play::divide:
      return column < dense_columns(matrix, threshold_at(matrix, part)) ? Cell{p.dense, wasted_colour(theme)}
                                                                        : Cell{p.sparse, {}};
    case Play::halves:
      return column < stored_columns(matrix, part) ? Cell{p.sparse, {}} : Cell{faint_empty, {}};
  }
  return {};
}

/// Paints the norms above their columns, and the dividing line at the threshold t.
void paint_head(QPainter& painter, const MapMatrix& matrix, const Places& places, const QRectF& head,
                double part, const Theme& theme) {
  const Palette& p = theme.palette();
  painter.setPen(p.faint_text);
  if (matrix.play == Play::halves) {
    const double middle = places.leftOf(matrix.columns.size() / 2);
    painter.drawText(QRectF(head.left(), head.top(), middle - head.left(), head.height()), Qt::AlignCenter,
                     Matrix::tr("offsets \u03b4"));
    painter.drawText(QRectF(middle, head.top(), head.right() - middle, head.height()), Qt::AlignCenter,
                     Matrix::tr("opposite offsets -\u03b4"));
    return;
  }
  std::size_t begin = 0;
  for (std::size_t column = 1; column <= matrix.columns.size(); ++column) {
    if (column < matrix.columns.size() && matrix.norms[column] == matrix.norms[begin]) continue;
    const double left = places.leftOf(begin), right = places.leftOf(column);
    const QString wide = Matrix::tr("norm %1").arg(matrix.norms[begin]);
    const bool fits = QFontMetricsF(painter.font()).horizontalAdvance(wide) < right - left;
    painter.drawText(QRectF(left - 10, head.top(), right - left + 20, head.height()), Qt::AlignCenter,
                     fits ? wide : QString::number(matrix.norms[begin]));
    begin = column;
  }
  if (matrix.play != Play::divide) return;
  const double x = places.leftOf(dense_columns(matrix, threshold_at(matrix, part))) - 1.5;
  painter.setPen(QPen(p.accent, 2));
  painter.drawLine(QPointF(x, head.top()), QPointF(x, places.bottom(matrix.outputs.size())));
}

/// Paints the number of additions to each output next to its row.
void paint_additions(QPainter& painter, const MapMatrix& matrix, const Places& places, const QRectF& side,
                     double part, const Theme& theme) {
  const Palette& p = theme.palette();
  const std::size_t columns = reached(part, matrix.columns.size());
  std::int64_t most = 1;
  for (std::size_t row = 0; row < matrix.outputs.size(); ++row) {
    std::int64_t all = 0;
    for (std::size_t column = 0; column < matrix.columns.size(); ++column)
      all += matrix.at(row, column) ? 1 : 0;
    most = std::max(most, all);
  }
  const double unit = side.width() / static_cast<double>(most);
  for (std::size_t row = 0; row < matrix.outputs.size(); ++row) {
    double additions = 0;
    for (std::size_t column = 0; column < columns; ++column)
      additions += matrix.at(row, column) ? 1 : 0;
    const QRectF cell = places.cell(row, 0);
    painter.fillRect(QRectF(side.left(), cell.top(), std::min(1.0, additions) * unit, cell.height()),
                     p.sparse);
    if (additions > 1)
      fill_hatched(painter, QRectF(side.left() + unit, cell.top(), (additions - 1) * unit, cell.height()),
                   p.error, theme);
  }
}

}  // namespace

void fill_hatched(QPainter& painter, const QRectF& area, const QColor& colour, const Theme& theme) {
  painter.fillRect(area, colour);
  painter.fillRect(area, QBrush(theme.palette().panel, Qt::BDiagPattern));
}

QColor wasted_colour(const Theme& theme) {
  QColor colour = theme.palette().error;
  colour.setAlphaF(0.35F);
  return colour;
}

void paint_diagram(QPainter& painter, const MapMatrix& matrix, const QRectF& area, double part,
                   const Theme& theme) {
  const double line = QFontMetricsF(painter.font()).height();
  const double side = matrix.play == Play::columns ? area.width() * 0.16 : 0;
  const QRectF head(area.left(), area.top(), area.width() - side, line);
  const Places places(matrix, area.adjusted(0, line + 3, side > 0 ? -side - 10 : 0, 0));
  for (std::size_t row = 0; row < matrix.outputs.size(); ++row) {
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
      const Cell look = look_of(matrix, row, column, part, theme);
      const bool filled = matrix.at(row, column);
      const QColor& colour = filled ? look.filled : look.empty;
      if (!filled && colour == wasted_colour(theme)) {
        fill_hatched(painter, places.cell(row, column), colour, theme);
      } else if (colour.isValid()) {
        painter.fillRect(places.cell(row, column), colour);
      }
    }
  }
  paint_head(painter, matrix, places, head, part, theme);
  if (matrix.play != Play::columns) return;
  painter.setPen(theme.palette().faint_text);
  const QRectF right(area.right() - side, area.top(), side, line);
  painter.drawText(right, Qt::AlignLeft, Matrix::tr("additions"));
  paint_additions(painter, matrix, places, right, part, theme);
}

QString diagram_status(const MapMatrix& matrix, double part) {
  const std::size_t rows = matrix.outputs.size(), columns = matrix.columns.size();
  const auto slots_of = [rows](std::size_t of) { return static_cast<std::int64_t>(rows * of); };
  switch (matrix.play) {
    case Play::fill: {
      const std::size_t now = reached(part, rows);
      if (now == 0) return Matrix::tr("Outputs: 0 of %1").arg(rows);
      return Matrix::tr("Outputs: %1 of %2; filled cells: %3 of %4")
          .arg(now)
          .arg(rows)
          .arg(counted(filled_in(matrix, now, 0, columns)),
               counted(static_cast<std::int64_t>(now * columns)));
    }
    case Play::rows: {
      const std::size_t now = reached(part, rows);
      const auto paid = static_cast<std::int64_t>(now * columns);
      return Matrix::tr("Outputs written: %1; slots multiplied: %2 (empty: %3)")
          .arg(now)
          .arg(counted(paid), counted(paid - filled_in(matrix, now, 0, columns)));
    }
    case Play::columns: {
      const std::size_t now = reached(part, columns);
      std::int64_t again = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        std::int64_t additions = 0;
        for (std::size_t column = 0; column < now; ++column)
          additions += matrix.at(row, column) ? 1 : 0;
        again += std::max<std::int64_t>(0, additions - 1);
      }
      return Matrix::tr("Offsets: %1; pairs multiplied: %2 (added to an existing output: %3)")
          .arg(now)
          .arg(counted(filled_in(matrix, rows, 0, now)), counted(again));
    }
    case Play::divide: {
      const int t = threshold_at(matrix, part);
      const std::size_t dense = dense_columns(matrix, t);
      return Matrix::tr("t = %1; slots: %2 (empty: %3); pairs: %4")
          .arg(t)
          .arg(counted(slots_of(dense)), counted(slots_of(dense) - filled_in(matrix, rows, 0, dense)),
               counted(filled_in(matrix, rows, dense, columns)));
    }
    case Play::halves: {
      const std::size_t stored = stored_columns(matrix, part);
      return Matrix::tr("Stored lists: %1 of %2").arg(stored).arg(columns);
    }
  }
  return {};
}

std::vector<DiagramKey> diagram_keys(const MapMatrix& matrix, const Theme& theme) {
  const Palette& p = theme.palette();
  const DiagramKey dense{p.dense, Matrix::tr("filled slot")};
  const DiagramKey empty{wasted_colour(theme), Matrix::tr("empty slot (wasted work)"), {}, true};
  const DiagramKey pair{p.sparse, Matrix::tr("pair")};
  switch (matrix.play) {
    case Play::fill:
      return {{p.text, Matrix::tr("filled cell")}, {p.raised, Matrix::tr("empty cell")}};
    case Play::rows:
      return {dense, empty};
    case Play::columns:
      return {pair, {p.error, Matrix::tr("addition to an existing output"), {}, true}};
    case Play::divide:
      return {dense, empty, pair};
    case Play::halves:
      return {pair, {p.raised, Matrix::tr("not stored: mirror image of a stored list")}};
  }
  return {};
}

}  // namespace spira::ui

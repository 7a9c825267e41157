// Paints some outputs of a kernel map before and after sorting by mask, and the partial sums of splits.
#include "engine/base/text.hpp"
#include "ui/lessons/diagrams/diagram_paint.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Sorting {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Sorting)
};

QString counted(std::int64_t count) {
  return onScreen(count_text(count));
}

/// Returns how far a step of the animation has come, from 0 to 1. `count` steps of equal length follow each
/// other from the time `begin` to the time `end`.
double progress(double part, double begin, double end, std::size_t step, std::size_t count) {
  const double at = (part - begin) / (end - begin) * static_cast<double>(std::max<std::size_t>(1, count));
  return std::clamp(at - static_cast<double>(step), 0.0, 1.0);
}

// The partial sums of all splits are computed until this time of the animation, and folded after it.
constexpr double fold_begins = 0.7;

/// Returns the colour of the products of a split, and of their sum.
QColor colour_of(int split, const Theme& theme) {
  return split % 2 == 0 ? theme.palette().dense : theme.palette().sparse;
}

int splits_of(const LessonSorting& sorting) {
  return std::max(1, sorting.sorted.sorting.splits);
}

int first_column(const LessonSorting& sorting, int split) {
  return split * sorting.sorted.split_columns;
}

int end_column(const LessonSorting& sorting, int split) {
  return std::min(first_column(sorting, split + 1), sorting.sorted.columns);
}

/// Returns the output at a position of a split, as an index of LessonSorting::outputs.
std::size_t output_at(const LessonSorting& sorting, int split, std::size_t position) {
  return static_cast<std::size_t>(
      sorting.sorted.order[(static_cast<std::size_t>(split) * sorting.outputs.size()) + position]);
}

/// The positions of the rows. Rows of a tile are adjacent, with a gap before the next tile.
class Rows {
 public:
  Rows(const LessonSorting& sorting, const QRectF& area)
      : area_(area), tile_(static_cast<std::size_t>(sorting.before.sorting.tile_rows)) {
    const auto rows = static_cast<double>(std::max<std::size_t>(1, sorting.outputs.size()));
    high_ =
        std::min(area.height() / (rows + (gap * (std::ceil(rows / static_cast<double>(tile_)) - 1))), 22.0);
  }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] double top(std::size_t row) const {
    const auto tile = row / tile_;
    return area_.top() + (high_ * (static_cast<double>(row) + (gap * static_cast<double>(tile))));
  }

 private:
  static constexpr double gap = 0.35;
  QRectF area_;
  std::size_t tile_;
  double high_ = 1;
};

/// One order of the rows: some columns of a picture, from the left edge to the right edge.
struct Block {
  const RowsPicture* picture;
  int first, end;               // Columns.
  double left, right, numbers;  // `numbers` is the width of the numbers on the left.

  [[nodiscard]] double cellWidth() const { return (right - left - numbers) / std::max(1, end - first); }
};

class RowPainter {
 public:
  RowPainter(QPainter& painter, const Rows& rows, std::size_t marked, const Theme& theme)
      : painter_(painter),
        rows_(rows),
        marked_(marked),
        theme_(theme),
        plain_(painter.font()),
        small_(plain_) {
    constexpr int least_pixels = 7;
    const int pixels = std::min(QFontInfo(plain_).pixelSize(), static_cast<int>(rows.high()));
    numbered_ = pixels >= least_pixels;
    small_.setPixelSize(std::max(1, pixels));
  }

  /// Returns the width that the numbers of the outputs need.
  [[nodiscard]] double numberWidth() const {
    return numbered_ ? QFontMetricsF(small_).horizontalAdvance("20") + 6 : 0;
  }

  void heading(double left, double right, double top, const QString& text) {
    painter_.setPen(theme_.palette().faint_text);
    painter_.drawText(QRectF(left, top, right - left, QFontMetricsF(plain_).height()), Qt::AlignLeft,
                      QFontMetricsF(plain_).elidedText(text, Qt::ElideRight, right - left));
  }

  /// Paints the row of an output. `position` is its row in the picture. The row is drawn at `top` and is
  /// moved to the right by `shift`. Empty slots are drawn only if `multiplied` is true.
  void row(const Block& block, std::size_t position, std::size_t output, double top, double shift,
           bool multiplied) {
    const Palette& p = theme_.palette();
    const double wide = block.cellWidth(), high = rows_.high() - 1, left = block.left + shift;
    number(left, top, block.numbers, output);
    for (int column = block.first; column < block.end; ++column) {
      const std::size_t cell =
          (position * static_cast<std::size_t>(block.picture->columns)) + static_cast<std::size_t>(column);
      const QRectF area(left + block.numbers + (wide * (column - block.first)), top,
                        wide - (wide > 4 ? 1 : 0.3), high);
      if (block.picture->filled[cell] > 0) {
        painter_.fillRect(area, colour_of(block.picture->split_of(column), theme_));
      } else if (multiplied && block.picture->multiplied[cell] > 0) {
        fill_hatched(painter_, area, wasted_colour(theme_), theme_);
      } else {
        painter_.fillRect(area, p.raised);
      }
    }
    if (output == marked_) frame(QRectF(left + block.numbers, top, wide * (block.end - block.first), high));
  }

  void number(double left, double top, double wide, std::size_t output) {
    if (!numbered_) return;
    painter_.setFont(small_);
    painter_.setPen(output == marked_ ? theme_.palette().text : theme_.palette().faint_text);
    painter_.drawText(QRectF(left, top, wide - 4, rows_.high()), Qt::AlignRight | Qt::AlignVCenter,
                      counted(static_cast<std::int64_t>(output) + 1));
    painter_.setFont(plain_);
  }

  void frame(const QRectF& area) {
    painter_.setPen(QPen(theme_.palette().text, 1.5));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(area.adjusted(-0.5, 0.5, -0.5, -0.5));
  }

 private:
  QPainter& painter_;
  const Rows& rows_;
  std::size_t marked_;
  const Theme& theme_;
  QFont plain_, small_;
  bool numbered_ = false;
};

void paint_sorted(RowPainter& painter, const LessonSorting& sorting, const Rows& rows, const QRectF& area,
                  double part) {
  const double middle = area.width() * 0.03, half = (area.width() / 2) - middle;
  const double numbers = painter.numberWidth();
  const Block natural{&sorting.natural, 0, sorting.natural.columns, area.left(), area.left() + half, numbers};
  const Block sorted{&sorting.sorted, 0, sorting.sorted.columns, area.right() - half, area.right(), numbers};
  painter.heading(natural.left + numbers, natural.right, area.top(), Sorting::tr("natural order"));
  painter.heading(sorted.left + numbers, sorted.right, area.top(), Sorting::tr("sorted by mask"));
  const std::size_t count = sorting.outputs.size();
  for (std::size_t row = 0; row < count; ++row)
    painter.row(natural, row, row, rows.top(row), 0, true);
  const auto tile = static_cast<std::size_t>(sorting.after.sorting.tile_rows);
  for (std::size_t position = 0; position < count; ++position) {
    const double moved = progress(part, 0, 1, position, count);
    if (moved <= 0) continue;
    const std::size_t output = output_at(sorting, 0, position);
    const std::size_t last = std::min(count, ((position / tile) + 1) * tile) - 1;
    const double from = rows.top(output), to = rows.top(position);
    painter.row(sorted, position, output, from + ((to - from) * moved),
                (natural.left - sorted.left) * (1 - moved), progress(part, 0, 1, last, count) >= 1);
  }
}

/// The bars of the sums: a column for each split, and one for the outputs.
void paint_sums(QPainter& painter, RowPainter& rows_painter, const LessonSorting& sorting, const Rows& rows,
                const QRectF& area, double part, const Theme& theme) {
  const int splits = splits_of(sorting);
  const std::size_t count = sorting.outputs.size();
  const double numbers = rows_painter.numberWidth(), gap = 6;
  // The bar of an output has the length of all columns, the bars of its splits that of their columns.
  const double unit = (area.width() - numbers - (gap * splits)) / (2.0 * std::max(1, sorting.sorted.columns));
  double left = area.left() + numbers;
  for (int split = 0; split < splits; ++split) {
    const double right = left + (unit * (end_column(sorting, split) - first_column(sorting, split)));
    rows_painter.heading(left, right + gap, area.top(), Sorting::tr("sum %1").arg(split + 1));
    for (std::size_t position = 0; position < count; ++position) {
      const std::size_t output = output_at(sorting, split, position);
      const double begin = fold_begins * split / splits, end = fold_begins * (split + 1) / splits;
      const double done = progress(part, begin, end, position, count);
      painter.fillRect(QRectF(left, rows.top(output), right - left, rows.high() - 1), theme.palette().raised);
      painter.fillRect(
          QRectF(left, rows.top(output), unit * sorting.pairs_of(output, split) * done, rows.high() - 1),
          colour_of(split, theme));
    }
    left = right + gap;
  }
  rows_painter.heading(left, area.right(), area.top(), Sorting::tr("all splits"));
  for (std::size_t output = 0; output < count; ++output) {
    rows_painter.number(area.left(), rows.top(output), numbers, output);
    const double done = progress(part, fold_begins, 1, output, count);
    double x = left;
    painter.fillRect(QRectF(left, rows.top(output), area.right() - left, rows.high() - 1),
                     theme.palette().raised);
    for (int split = 0; split < splits; ++split) {
      // The sums are added one after the other, in ascending order of the splits.
      const double added = std::clamp((done * splits) - split, 0.0, 1.0);
      const double wide = unit * sorting.pairs_of(output, split) * added;
      painter.fillRect(QRectF(x, rows.top(output), wide, rows.high() - 1), colour_of(split, theme));
      x += wide;
    }
    if (output == sorting.marked)
      rows_painter.frame(
          QRectF(area.left() + numbers, rows.top(output), area.width() - numbers, rows.high() - 1));
  }
}

void paint_splits(QPainter& painter, RowPainter& rows_painter, const LessonSorting& sorting, const Rows& rows,
                  const QRectF& area, double part, const Theme& theme) {
  constexpr double gap = 18, share_of_splits = 0.62;
  const int splits = splits_of(sorting);
  const std::size_t count = sorting.outputs.size();
  const double numbers = rows_painter.numberWidth();
  const double cells = (area.width() * share_of_splits) - (splits * (numbers + gap));
  double left = area.left();
  for (int split = 0; split < splits; ++split) {
    const int first = first_column(sorting, split), end = end_column(sorting, split);
    const Block block{&sorting.sorted,
                      first,
                      end,
                      left,
                      left + numbers + (cells * (end - first) / std::max(1, sorting.sorted.columns)),
                      numbers};
    rows_painter.heading(block.left + numbers, block.right + gap, area.top(),
                         Sorting::tr("split %1: offsets %2 to %3").arg(split + 1).arg(first).arg(end - 1));
    for (std::size_t position = 0; position < count; ++position) {
      const double begin = fold_begins * split / splits, step_end = fold_begins * (split + 1) / splits;
      rows_painter.row(block, position, output_at(sorting, split, position), rows.top(position), 0,
                       progress(part, begin, step_end, position, count) > 0);
    }
    left = block.right + gap;
  }
  paint_sums(painter, rows_painter, sorting, rows,
             QRectF(left, area.top(), area.right() - left, area.height()), part, theme);
}

}  // namespace

void paint_diagram(QPainter& painter, const LessonSorting& sorting, const QRectF& area, double part,
                   const Theme& theme) {
  const double line = QFontMetricsF(painter.font()).height();
  const Rows rows(sorting, area.adjusted(0, line + 3, 0, 0));
  RowPainter rows_painter(painter, rows, sorting.marked, theme);
  sorting.folds ? paint_splits(painter, rows_painter, sorting, rows, area, part, theme)
                : paint_sorted(rows_painter, sorting, rows, area, part);
}

QString diagram_status(const LessonSorting& sorting, double part) {
  const std::size_t count = sorting.outputs.size();
  const auto slots_of = [](const Redundancy& of) { return counted(of.active * of.sorting.tile_rows); };
  const auto finished = [&](double begin, double end) {
    std::size_t done = 0;
    while (done < count && progress(part, begin, end, done, count) >= 1)
      ++done;
    return done;
  };
  if (!sorting.folds) {
    const std::size_t sorted = finished(0, 1);
    if (sorted < count)
      return Sorting::tr("Outputs sorted: %1 of %2; slots in natural order: %3")
          .arg(sorted)
          .arg(count)
          .arg(slots_of(sorting.before));
    return Sorting::tr("Pairs: %1; slots in natural order: %2, sorted: %3")
        .arg(counted(sorting.after.pairs), slots_of(sorting.before), slots_of(sorting.after));
  }
  std::size_t sums = 0;
  for (int split = 0; split < splits_of(sorting); ++split)
    sums +=
        finished(fold_begins * split / splits_of(sorting), fold_begins * (split + 1) / splits_of(sorting));
  return Sorting::tr("Partial sums: %1; finished outputs: %2 of %3; slots: %4 for %5 pairs")
      .arg(sums)
      .arg(finished(fold_begins, 1))
      .arg(count)
      .arg(slots_of(sorting.after), counted(sorting.after.pairs));
}

std::vector<DiagramKey> diagram_keys(const LessonSorting& sorting, const Theme& theme) {
  const Palette& p = theme.palette();
  std::vector<DiagramKey> keys{{p.dense, Sorting::tr("filled slot")},
                               {wasted_colour(theme), Sorting::tr("empty slot (wasted work)"), {}, true},
                               {p.raised, Sorting::tr("skipped")}};
  if (sorting.folds) {
    keys.front() = {p.dense, Sorting::tr("product of split 1")};
    keys.insert(keys.begin() + 1, {p.sparse, Sorting::tr("product of split 2")});
  }
  return keys;
}

}  // namespace spira::ui

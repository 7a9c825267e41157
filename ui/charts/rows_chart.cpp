#include "ui/charts/rows_chart.hpp"

#include "ui/theme/screen_number.hpp"

#include <QMouseEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr double left_margin = 14, heading = 20, between = 22, split_gap = 5, bottom = 18;
constexpr int hatch_step = 4;  // Distance of the hatch lines, in pixels.

QRgb mixed(QRgb under, const QColor& over, float share) {
  const auto channel = [share](int a, int b) {
    return static_cast<int>(std::lround(static_cast<float>(a) + share * static_cast<float>(b - a)));
  };
  return qRgb(channel(qRed(under), over.red()), channel(qGreen(under), over.green()),
              channel(qBlue(under), over.blue()));
}

int splits_of(const RowsPicture& picture) {
  return picture.columns == 0 ? 1 : (picture.columns + picture.split_columns - 1) / picture.split_columns;
}

}  // namespace

QString splitsText(int splits) {
  return splits == 0 ? RowsChart::tr("unsorted")
                     : counted(splits, RowsChart::tr("1 split"), RowsChart::tr("%1 splits"));
}

const Redundancy& RowsFacts::chosen() const {
  const auto at = std::find(splits_to_choose.begin(), splits_to_choose.end(), sorted.sorting.splits);
  return counts.at(static_cast<std::size_t>(at - splits_to_choose.begin()));
}

RowsChart::RowsChart(Theme* theme, QWidget* parent)
    : Chart(theme, tr("Rows of the kernel map, unsorted and sorted"), parent) {
  setMinimumSize(240, 90);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void RowsChart::setFacts(std::shared_ptr<const RowsFacts> facts, const QString& subject) {
  facts_ = std::move(facts);
  subject_ = subject;
  marked_natural_ = -1;
  marked_sorted_.clear();
  contentChanged();
}

void RowsChart::setMarkedLines(int natural, std::vector<int> sorted) {
  marked_natural_ = natural;
  marked_sorted_ = std::move(sorted);
  update();
}

void RowsChart::setChosen(std::vector<int> columns) {
  chosen_ = std::move(columns);
  update();
}

ChartText RowsChart::text() const {
  return {subject_.isEmpty() ? tr("Rows") : tr("Rows of %1").arg(subject_), tr("slots per pair"),
          facts_ ? tr("exact counts, tiles of %1 rows").arg(facts_->natural.sorting.tile_rows) : QString(),
          facts_ ? tr("n = %1 outputs").arg(facts_->natural.outputs) : QString()};
}

bool RowsChart::hasContent() const {
  return facts_ != nullptr;
}

std::vector<LegendEntry> RowsChart::legendEntries() const {
  return {{theme_->palette().dense, tr("slot with an input")},
          {theme_->palette().sparse, tr("empty slot, multiplied (hatched)")}};
}

ChartTable RowsChart::table() const {
  ChartTable table{{tr("Sorting"), tr("Slots per pair"), tr("Multiplied columns of all tiles"), tr("Pairs"),
                    tr("Why this sorting is not possible")},
                   {}};
  for (std::size_t at = 0; facts_ && at < splits_to_choose.size(); ++at) {
    const Redundancy& counts = facts_->counts.at(at);
    const bool possible = facts_->why_not.at(at).empty();
    table.rows.push_back({splitsText(splits_to_choose.at(at)),
                          possible ? QVariant(counts.slots_per_pair()) : QVariant(QString()),
                          possible ? QVariant::fromValue<qlonglong>(counts.active) : QVariant(QString()),
                          possible ? QVariant::fromValue<qlonglong>(counts.pairs) : QVariant(QString()),
                          QString::fromStdString(facts_->why_not.at(at))});
  }
  return table;
}

QRectF RowsChart::barsArea() const {
  const double wide = std::clamp(width() * 0.24, 90.0, 240.0);
  return {width() - wide, heading, wide - 6, std::max(10.0, height() - heading - bottom)};
}

QRectF RowsChart::pictureArea(bool sorted) const {
  const double all = barsArea().left() - between - left_margin;
  const double each = std::max(20.0, (all - between) / 2);
  return {left_margin + (sorted ? each + between : 0), heading, each,
          std::max(10.0, height() - heading - bottom)};
}

double RowsChart::columnLeft(const RowsPicture& picture, const QRectF& area, int column) const {
  const double gaps = split_gap * (splits_of(picture) - 1);
  const double each = (area.width() - gaps) / std::max(1, picture.columns);
  const int before = std::min(picture.split_of(column), splits_of(picture) - 1);
  return area.left() + each * column + split_gap * before;
}

int RowsChart::columnAt(const RowsPicture& picture, const QRectF& area, double x) const {
  int column = picture.columns - 1;
  while (column > 0 && columnLeft(picture, area, column) > x)
    --column;
  return column;
}

QPoint RowsChart::pointAt(bool sorted, int line, int column) const {
  const RowsPicture& picture = sorted ? facts_->sorted : facts_->natural;
  const QRectF area = pictureArea(sorted);
  return QPointF(columnLeft(picture, area, column) + 1,
                 area.top() + area.height() * (line + 0.5) / picture.bins)
      .toPoint();
}

int RowsChart::rowAt(const QPointF& at) const {
  const QRectF area = barsArea();
  if (!facts_ || !area.contains(at)) return -1;
  const auto row = static_cast<int>((at.y() - area.top()) / area.height() * splits_to_choose.size());
  return std::clamp(row, 0, static_cast<int>(splits_to_choose.size()) - 1);
}

MeasuredSubject RowsChart::subjectOf(int /*row*/) const {
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::densities;
  return subject;
}

std::unique_ptr<Chart> RowsChart::twin(Theme* theme) const {
  auto other = std::make_unique<RowsChart>(theme);
  other->setFacts(facts_, subject_);
  other->setMarkedLines(marked_natural_, marked_sorted_);
  other->setChosen(chosen_);
  return other;
}

void RowsChart::chooseRow(int row) {
  const auto at = static_cast<std::size_t>(row);
  if (facts_ && row >= 0 && at < splits_to_choose.size() && facts_->why_not.at(at).empty())
    emit splitsClicked(splits_to_choose.at(at));
}

void RowsChart::mousePressEvent(QMouseEvent* event) {
  if (!facts_ || event->button() != Qt::LeftButton) return;
  const QPointF at = event->position();
  chooseRow(rowAt(at));
  for (const bool sorted : {false, true}) {
    const QRectF area = pictureArea(sorted);
    const RowsPicture& picture = sorted ? facts_->sorted : facts_->natural;
    if (!area.contains(at) || picture.columns == 0) continue;
    const auto line = static_cast<int>((at.y() - area.top()) / area.height() * picture.bins);
    emit lineClicked(sorted, std::clamp(line, 0, picture.bins - 1), columnAt(picture, area, at.x()));
  }
}

/// Draws the slots of a map: one line per bin, one column per offset. The colour of a pixel shows the share
/// of slots that have an input. Hatch lines show the share of slots that are multiplied without an input.
QImage RowsChart::drawn(const RowsPicture& picture, const QRectF& area, double ratio) const {
  const QSize size = (area.size() * ratio).toSize();
  QImage image(size, QImage::Format_RGB32);
  const Palette& palette = theme_->palette();
  image.fill(palette.panel);
  std::vector<int> column_of(static_cast<std::size_t>(size.width()), -1);
  for (int column = 0; column < picture.columns; ++column) {
    const bool last = column + 1 == picture.columns;
    const bool split_ends = !last && picture.split_of(column) != picture.split_of(column + 1);
    const double end =
        last ? area.right() : columnLeft(picture, area, column + 1) - (split_ends ? split_gap : 0.0);
    const auto from = std::lround((columnLeft(picture, area, column) - area.left()) * ratio),
               to = std::min<long>(size.width(), std::lround((end - area.left()) * ratio));
    std::fill(column_of.begin() + from, column_of.begin() + std::max(from, to), column);
  }
  // The colours are computed once per line of the map, because a large picture has millions of pixels.
  std::vector<std::array<QRgb, 2>> colours(static_cast<std::size_t>(picture.columns));
  const int step = std::max(2, static_cast<int>(hatch_step * ratio));
  auto drawn_bin = static_cast<std::size_t>(picture.bins);
  for (int y = 0; y < size.height(); ++y) {
    const auto bin = static_cast<std::size_t>(static_cast<qint64>(y) * picture.bins / size.height());
    for (std::size_t column = 0; bin != drawn_bin && column < colours.size(); ++column) {
      const std::size_t cell = (bin * colours.size()) + column;
      const float filled = picture.filled[cell];
      const QRgb plain = mixed(palette.panel.rgb(), palette.dense, filled);
      colours[column] = {plain, mixed(plain, palette.sparse, picture.multiplied[cell] - filled)};
    }
    drawn_bin = bin;
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < size.width(); ++x) {
      const int column = column_of[static_cast<std::size_t>(x)];
      if (column >= 0) line[x] = colours[static_cast<std::size_t>(column)][(x + y) % step < step / 2 ? 1 : 0];
    }
  }
  image.setDevicePixelRatio(ratio);
  return image;
}

void RowsChart::paintMarks(QCPPainter& painter, const RowsPicture& picture, const QRectF& area,
                           const std::vector<int>& lines) {
  constexpr double triangle = 6;
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_->palette().error);
  for (std::size_t split = 0; split < lines.size(); ++split) {
    const double x =
        columnLeft(picture, area, static_cast<int>(split) * picture.split_columns) - (split == 0 ? 1 : 0);
    const double y = area.top() + area.height() * (lines[split] + 0.5) / picture.bins;
    painter.drawPolygon(
        QPolygonF{{x - triangle, y - triangle / 2}, {x, y}, {x - triangle, y + triangle / 2}});
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_->palette().text, 1.5));
  for (const int column : chosen_) {
    if (column >= picture.columns) continue;
    const double left = columnLeft(picture, area, column),
                 wide = (area.width() - split_gap * (splits_of(picture) - 1)) / picture.columns;
    painter.drawRect(QRectF(left, area.top() - 1, std::max(1.0, wide), area.height() + 2));
  }
}

void RowsChart::paintPicture(QCPPainter& painter, bool sorted) {
  const RowsPicture& picture = sorted ? facts_->sorted : facts_->natural;
  const QRectF area = pictureArea(sorted);
  Drawn& kept = drawn_.at(sorted ? 1 : 0);
  const double ratio = devicePixelRatioF();
  const QSize wanted = (area.size() * ratio).toSize();
  if (kept.of != facts_ || kept.image.size() != wanted || kept.dark != theme_->dark())
    kept = {drawn(picture, area, ratio), facts_, theme_->dark()};
  painter.drawImage(area.topLeft(), kept.image);
  painter.setPen(theme_->palette().text);
  const QString title = !sorted ? tr("natural order")
                        : picture.sorting.splits == 0
                            ? tr("unsorted")
                            : tr("sorted by mask, %1").arg(splitsText(picture.sorting.splits));
  painter.drawText(QRectF(area.left(), 0, area.width(), heading), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(area.width())));
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(area.left(), area.bottom(), area.width(), bottom), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(tr("%1 offsets; hatched: no input").arg(picture.columns),
                                                    Qt::ElideRight, static_cast<int>(area.width())));
  const std::vector<int> natural =
      marked_natural_ < 0 ? std::vector<int>{} : std::vector<int>{marked_natural_};
  paintMarks(painter, picture, area, sorted ? marked_sorted_ : natural);
}

void RowsChart::paintBars(QCPPainter& painter) const {
  const QRectF area = barsArea();
  const Palette& palette = theme_->palette();
  painter.setPen(palette.text);
  painter.drawText(QRectF(area.left(), 0, area.width(), heading), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("slots per pair"));
  double most = 1;
  for (const Redundancy& counts : facts_->counts)
    most = std::max(most, counts.slots_per_pair());
  const double line = area.height() / static_cast<double>(splits_to_choose.size());
  const double names = painter.fontMetrics().horizontalAdvance(splitsText(0)) + 6,
               numbers = painter.fontMetrics().horizontalAdvance("00.00") + 4;
  for (std::size_t at = 0; at < splits_to_choose.size(); ++at) {
    const QRectF row(area.left(), area.top() + line * static_cast<double>(at), area.width(), line);
    const bool possible = facts_->why_not.at(at).empty();
    painter.setPen(possible ? palette.text : palette.faint_text);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, splitsText(splits_to_choose.at(at)));
    if (!possible) {
      painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, QString(QChar(0x2013)));
      continue;
    }
    const double per_pair = facts_->counts.at(at).slots_per_pair();
    const double room = std::max(2.0, row.width() - names - numbers);
    const QRectF bar(row.left() + names, row.top() + line * 0.2, room * per_pair / most, line * 0.6);
    const bool chosen = splits_to_choose.at(at) == facts_->sorted.sorting.splits;
    painter.fillRect(bar, chosen ? palette.accent : palette.faint_text);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, numberText(*theme_, per_pair, 'f', 2));
  }
}

void RowsChart::paintChart(QCPPainter& painter) {
  if (!facts_) return;
  painter.setFont(font());
  paintPicture(painter, false);
  paintPicture(painter, true);
  paintBars(painter);
}

void RowsChart::paintEvent(QPaintEvent*) {
  QCPPainter painter;
  painter.begin(this);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintFocus(painter);
}

}  // namespace spira::ui

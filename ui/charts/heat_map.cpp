#include "ui/charts/heat_map.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace spira::ui {
namespace {

/// A cell has the last colour of the scale if its time is at least this multiple of the best time.
constexpr double last_relative = 5;
constexpr std::array<double, 4> scale_ticks{1, 1.5, 2, 3};
constexpr double gap = 2, max_cell = 76, max_cell_beside_legend = 120, entry_icon = 22, min_scale_width = 126;

/// Returns the position on the logarithmic scale, from 0 to 1.
double share_of_scale(double relative) {
  return std::clamp(std::log(std::max(relative, 1.0)) / std::log(last_relative), 0.0, 1.0);
}

/// Returns a star with five points around the centre of `area`.
QPainterPath star(const QRectF& area) {
  constexpr int corners = 10;
  const double outer = std::min(area.width(), area.height()) / 2;
  QPainterPath path;
  for (int corner = 0; corner < corners; ++corner) {
    const double angle = (corner * std::numbers::pi / 5) - (std::numbers::pi / 2);
    const double radius = corner % 2 == 0 ? outer : outer * 0.45;
    const QPointF at = area.center() + QPointF(radius * std::cos(angle), radius * std::sin(angle));
    corner == 0 ? path.moveTo(at) : path.lineTo(at);
  }
  path.closeSubpath();
  return path;
}

/// Draws the mark of a verdict. Marks differ by shape, because some users cannot distinguish the colours.
void paint_mark(QPainter& painter, SettingVerdict verdict, const QRectF& area, const QColor& colour) {
  painter.setPen(colour);
  if (verdict == SettingVerdict::best) {
    painter.fillPath(star(area), colour);
  } else if (verdict == SettingVerdict::tied) {
    painter.drawText(area, Qt::AlignCenter | Qt::TextDontClip, QString(QChar(0x2248)));
  } else if (verdict == SettingVerdict::undecided) {
    painter.drawText(area, Qt::AlignCenter | Qt::TextDontClip, "?");
  }
}

/// Draws a dash, because an empty cell looks like a missing number.
void paint_infeasible(QPainter& painter, const QRectF& area, const QColor& colour) {
  painter.setPen(colour);
  painter.drawText(area, Qt::AlignCenter, QString(QChar(0x2013)));
}

void paint_hatch(QPainter& painter, const QRectF& area, const QColor& colour) {
  painter.fillRect(area, QBrush(colour, Qt::BDiagPattern));
  painter.setPen(QPen(colour, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
}

/// The size of a mark and its distance from the number before it, in pixels.
struct MarkSize {
  double side = 0, before = 0;
};

/// Returns the size of a mark next to a number of the width `wide`. The side is 0 if both do not fit.
MarkSize mark_beside(double wide, const QRectF& area, MarksBeside marks) {
  const MarkSize usual{std::min(area.height() - 3, 13.0), 6}, small{9, 2};
  constexpr double margin = 4, small_margin = 1;
  if (wide + usual.side + usual.before + margin <= area.width()) return usual;
  const bool fits = wide + small.side + small.before + small_margin <= area.width();
  return fits && marks == MarksBeside::any_size ? small : MarkSize();
}

bool is_key_of_matrix(const QKeyEvent& event) {
  const bool plain = (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == Qt::NoModifier;
  const int key = event.key();
  return plain && ((key >= Qt::Key_Home && key <= Qt::Key_PageDown) || key == Qt::Key_Space ||
                   key == Qt::Key_Return || key == Qt::Key_Enter);
}

}  // namespace

QColor matrix_colour(double relative) {
  // Omit both ends of viridis. Near-black is hard to see in the dark theme, and light yellow in the light
  // theme.
  constexpr double first = 0.9, last = 0.12;
  const Rgb rgb = colour_of(ColourMap::viridis, first + (share_of_scale(relative) * (last - first)));
  return {rgb[0], rgb[1], rgb[2]};
}

double number_shift(double wide, const QRectF& area, MarksBeside marks) {
  const double side = mark_beside(wide, area, marks).side;
  return side > 0 ? (side / 2) + 1 : 0;
}

HeatMap::HeatMap(Theme* theme, const QString& what, QWidget* parent)
    : Chart(theme, what, parent), bar_(new QScrollBar(Qt::Vertical, this)) {
  bar_->setFocusPolicy(Qt::NoFocus);
  bar_->hide();
  connect(bar_, &QScrollBar::valueChanged, this, [this] { update(); });
}

void HeatMap::rowsChanged(bool kept) {
  if (!kept) {
    current_ = hovered_ = {};
    bar_->setValue(0);
  }
  place();
  contentChanged();
}

void HeatMap::setRowOrder(std::vector<int> rows) {
  order_ = std::move(rows);
  positions_.assign(order_.size(), 0);
  for (std::size_t position = 0; position < order_.size(); ++position)
    positions_.at(static_cast<std::size_t>(order_[position])) = static_cast<int>(position);
}

int HeatMap::positionOf(int row) const noexcept {
  return row >= 0 && row < std::ssize(positions_) ? positions_[static_cast<std::size_t>(row)] : row;
}

int HeatMap::rowAtPosition(int position) const noexcept {
  return position >= 0 && position < std::ssize(order_) ? order_[static_cast<std::size_t>(position)]
                                                        : position;
}

void HeatMap::setChosenRow(int row) {
  if (row == chosen_) return;
  chosen_ = row;
  if (row >= 0 && row < rowCount()) {
    if (current_.row != row) current_ = {row, std::max(0, current_.column)};
    scrollTo(row);
  }
  update();
}

int HeatMap::rowAt(const QPointF& at) const {
  const MatrixPlace wanted = placeAt(at);
  if (wanted.column < 0 || stateOf(wanted) == CellState::infeasible) return -1;
  int index = 0;
  for (MatrixPlace cell{0, 0}; !(cell == wanted);) {
    index += stateOf(cell) == CellState::infeasible ? 0 : 1;
    cell = cell.column + 1 < static_cast<int>(settings().size()) ? MatrixPlace{cell.row, cell.column + 1}
                                                                 : MatrixPlace{cell.row + 1, 0};
  }
  return index;
}

MatrixPlace HeatMap::placeOf(int table_row) const {
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < static_cast<int>(settings().size()); ++column) {
      if (stateOf({row, column}) != CellState::infeasible && table_row-- == 0) return {row, column};
    }
  }
  return {};
}

void HeatMap::chooseRow(int row) {
  if (const MatrixPlace at = placeOf(row); at.row >= 0) setCurrent(at);
}

void HeatMap::restyle() {
  place();
  update();
}

int HeatMap::heightForWidth(int width) const {
  if (!hasContent()) return -1;
  constexpr double gaps = 9;
  const double row = fontMetrics().height() + 5.0;
  return static_cast<int>(std::ceil((row * (static_cast<double>(rowCount()) + 2)) +
                                    legendHeight(shownEntries(), width - 8.0) + gaps));
}

int HeatMap::visibleRows() const noexcept {
  return layout_.row > 0 ? static_cast<int>(layout_.cells.height() / layout_.row) : 0;
}

int HeatMap::missingHeight(int rows) const noexcept {
  if (!hasContent()) return 0;
  const double wanted = layout_.row * std::min(rows, rowCount());
  return static_cast<int>(std::ceil(wanted - layout_.cells.height()));
}

/// Computes the layout. The legend is on the right if there is space, otherwise below.
void HeatMap::place() {
  const bool screen = !theme_->paper();
  bar_->setVisible(false);
  layout_ = {};
  if (!hasContent()) return;
  Layout& l = layout_;
  l.row = fontMetrics().height() + 5.0;
  l.head = 2 * l.row;
  l.legend_line = fontMetrics().height() + 4.0;
  double longest = fontMetrics().horizontalAdvance(nameHeading());
  for (int row = 0; row < rowCount(); ++row)
    longest = std::max<double>(longest, fontMetrics().horizontalAdvance(nameOf(row)));
  const double bar = screen ? bar_->sizeHint().width() : 0;
  const auto columns = static_cast<double>(settings().size());
  l.names = std::min(longest + 16, std::max(80.0, width() * 0.3));
  const Widths widths = widthsIn(width() - l.names - bar);
  l.before = widths.before;
  l.after = widths.after;
  const double left = l.names + l.before;
  constexpr double min_legend = 222, before_legend = 14;  // Two short entries fit next to each other.
  const double legend_width = std::max(min_legend, before_legend + widths.legend + 4);
  const bool beside =
      screen && width() - left - l.after - bar - legend_width >= columns * widths.comfortable_cell;
  const double space = width() - left - l.after - bar - (beside ? legend_width : 0);
  l.cell = std::clamp(space / columns, 12.0,
                      beside ? max_cell_beside_legend : std::max(max_cell, space / columns));
  l.cells = QRectF(left, l.head, l.cell * columns, height() - l.head);
  placeLegend(l.cells.right() + l.after + bar + before_legend, beside);
  const double all = l.row * static_cast<double>(rowCount());
  // A list that scrolls shows only whole rows.
  if (screen && all > l.cells.height())
    l.cells.setHeight(std::max(1.0, std::floor(l.cells.height() / l.row)) * l.row);
  const int hidden = static_cast<int>(std::ceil(all - l.cells.height()));
  bar_->setRange(0, std::max(0, hidden));
  bar_->setPageStep(static_cast<int>(l.cells.height()));
  bar_->setSingleStep(static_cast<int>(l.row));
  bar_->setGeometry(static_cast<int>(l.cells.right() + l.after) + 2, static_cast<int>(l.cells.top()),
                    bar_->sizeHint().width(), static_cast<int>(l.cells.height()));
  bar_->setVisible(screen && hidden > 0);
}

/// Places the legend, and shortens the cells if the legend is below them. `x` is the left side of a legend
/// that is next to the cells.
void HeatMap::placeLegend(double x, bool beside) {
  Layout& l = layout_;
  if (beside) {
    l.legend = QRectF(x, 4, width() - x, height() - 8.0);
    // The lines are closer together if the legend is too low for all entries.
    const double all = legendHeight(shownEntries(), l.legend.width());
    const double share = l.legend.height() / std::max(1.0, all);
    l.legend_line =
        std::clamp(std::floor(l.legend_line * share), fontMetrics().height() + 0.0, l.legend_line);
    return;
  }
  const double high = legendHeight(shownEntries(), width() - 8.0) + 4;
  const double rows = l.row * static_cast<double>(rowCount());
  l.cells.setHeight(std::min(rows, std::max(l.row, height() - l.head - high - 2)));
  l.legend = QRectF(4, l.cells.bottom() + 4, width() - 8.0, high);
}

QRectF HeatMap::rectOf(const MatrixPlace& place) const {
  return {layout_.cells.left() + (place.column * layout_.cell),
          layout_.cells.top() + (positionOf(place.row) * layout_.row) - bar_->value(), layout_.cell,
          layout_.row};
}

MatrixPlace HeatMap::placeAt(const QPointF& at) const {
  if (!hasContent() || at.y() < layout_.cells.top() || at.y() >= layout_.cells.bottom()) return {};
  const int row = rowAtPosition(positionAtHeight(at.y()));
  if (row >= rowCount() || at.x() > layout_.cells.right() + layout_.after) return {};
  if (at.x() < layout_.cells.left() || at.x() > layout_.cells.right()) return {row, -1};
  const int column = static_cast<int>((at.x() - layout_.cells.left()) / layout_.cell);
  return {row, std::min(column, static_cast<int>(settings().size()) - 1)};
}

int HeatMap::positionAtHeight(double y) const {
  return static_cast<int>(std::floor((y - layout_.cells.top() + bar_->value()) / layout_.row));
}

QRectF HeatMap::filledRectOf(const MatrixPlace& place) const {
  return rectOf(place).adjusted(gap, gap, -gap, -gap);
}

QRectF HeatMap::entryIcon(const QRectF& area) {
  return {area.left() + 1, area.top() + 2, entry_icon - 2, area.height() - 4};
}

QPoint HeatMap::cellCentre(const MatrixPlace& place) {
  scrollTo(place.row);
  return rectOf(place).center().toPoint();
}

void HeatMap::scrollTo(int row) {
  const double top = positionOf(row) * layout_.row, bottom = top + layout_.row;
  if (top < bar_->value()) bar_->setValue(static_cast<int>(std::floor(top)));
  if (bottom > bar_->value() + layout_.cells.height())
    bar_->setValue(static_cast<int>(std::ceil(bottom - layout_.cells.height())));
}

void HeatMap::setCurrent(const MatrixPlace& place) {
  if (place == current_) return;
  current_ = place;
  setAccessibleDescription(tipOf(place));
  scrollTo(place.row);
  update();
  emit currentChanged(place.row, place.column);
}

void HeatMap::setHovered(const MatrixPlace& place) {
  if (place == hovered_) return;
  const int before = hovered_.row;
  hovered_ = place;
  update();
  if (place.row != before) emit rowHovered(place.row);
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  const MatrixPlace at = placeAt(event->position());
  if (event->button() == Qt::LeftButton && at.row >= 0)
    setCurrent({at.row, at.column < 0 ? std::max(0, current_.column) : at.column});
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
  setHovered(placeAt(event->position()));
}

void HeatMap::leaveEvent(QEvent*) {
  setHovered({});
}

void HeatMap::wheelEvent(QWheelEvent* event) {
  if (!bar_->isVisible()) return Chart::wheelEvent(event);
  QCoreApplication::sendEvent(bar_, event);
}

void HeatMap::moveCursor(int key, bool shift) {
  const int rows = rowCount(), columns = static_cast<int>(settings().size());
  // The row of `to` is a position until the cursor moves there.
  MatrixPlace to{std::max(0, positionOf(current_.row)), std::max(0, current_.column)};
  const int page = std::max(1, static_cast<int>(layout_.cells.height() / layout_.row) - 1);
  switch (key) {
    case Qt::Key_Up:
      --to.row;
      break;
    case Qt::Key_Down:
      ++to.row;
      break;
    case Qt::Key_Left:
      --to.column;
      break;
    case Qt::Key_Right:
      ++to.column;
      break;
    case Qt::Key_PageUp:
      to.row -= page;
      break;
    case Qt::Key_PageDown:
      to.row += page;
      break;
    case Qt::Key_Home:
      to.row = 0;
      break;
    case Qt::Key_End:
      to.row = rows - 1;
      break;
    default:
      return activate({rowAtPosition(to.row), to.column}, shift);
  }
  setCurrent({rowAtPosition(std::clamp(to.row, 0, rows - 1)), std::clamp(to.column, 0, columns - 1)});
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  if (!hasContent() || !is_key_of_matrix(*event)) return Chart::keyPressEvent(event);
  moveCursor(event->key(), (event->modifiers() & Qt::ShiftModifier) != 0);
}

bool HeatMap::event(QEvent* event) {
  // The window uses some of these keys as shortcuts. This chart uses them while it has the focus.
  if (event->type() == QEvent::ShortcutOverride && hasContent()) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (is_key_of_matrix(*key)) {
      event->accept();
      return true;
    }
  }
  if (event->type() != QEvent::ToolTip || !hasContent()) return Chart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tipAt(help->pos());
  tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

QString HeatMap::tipAt(const QPointF& at) const {
  if (hasContent() && layout_.legend.contains(at)) {
    const std::vector<Entry> entries = entriesIn(layout_.legend.size());
    const std::vector<QRectF> areas = entryAreas(entries, layout_.legend.width());
    for (std::size_t index = 0; index < entries.size(); ++index) {
      if (areas[index].translated(layout_.legend.topLeft()).contains(at))
        return entryTip(entries[index].kind);
    }
    return {};
  }
  return at.y() < layout_.head ? headTip(at.x()) : tipOf(placeAt(at));
}

void HeatMap::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  place();
  if (chosen_ >= 0 && chosen_ < rowCount()) scrollTo(chosen_);
}

void HeatMap::paintEvent(QPaintEvent*) {
  QCPPainter painter(this);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintFocus(painter);
}

void HeatMap::paintChart(QCPPainter& painter) {
  if (!hasContent()) return;
  painter.setFont(font());
  painter.setAntialiasing(true);
  paintHead(painter);
  painter.save();
  if (!theme_->paper()) painter.setClipRect(QRectF(0, layout_.cells.top(), width(), layout_.cells.height()));
  for (int row = 0; row < rowCount(); ++row) {
    const QRectF area = rectOf({row, 0});
    if (area.bottom() >= layout_.cells.top() && area.top() <= layout_.cells.bottom()) paintRow(painter, row);
  }
  painter.restore();
  paintLegend(painter);
}

namespace {

/// Returns a name for narrow columns: "2" for t = 2, and "S2" for mask-sorted:2.
QString short_name(const MatrixSetting& column) {
  const QString name = QString::fromStdString(column.text());
  if (column.setting.is_threshold()) return name.section(' ', -1);
  return column.setting.splits > 0 ? "S" + name.section(':', 1) : name;
}

}  // namespace

void HeatMap::paintHead(QPainter& painter) const {
  paintEnds(painter);
  const double top = layout_.head - layout_.row;
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(6, top, layout_.names - 10, layout_.row), Qt::AlignLeft | Qt::AlignVCenter,
                   nameHeading());
  paintSideHeads(painter);
  painter.setPen(theme_->palette().text);
  for (std::size_t at = 0; at < settings().size(); ++at) {
    const QRectF area(layout_.cells.left() + (static_cast<double>(at) * layout_.cell), top, layout_.cell,
                      layout_.row);
    const QString name = QString::fromStdString(settings()[at].text());
    const bool fits = painter.fontMetrics().horizontalAdvance(name) + 4 <= area.width();
    painter.drawText(area, Qt::AlignCenter,
                     fits ? name
                          : painter.fontMetrics().elidedText(short_name(settings()[at]), Qt::ElideMiddle,
                                                             static_cast<int>(area.width())));
  }
}

namespace {

/// Returns the column of t = max if the first column is t = 0, and -1 otherwise.
int column_of_max(const std::vector<MatrixSetting>& columns) {
  const auto found = std::find_if(columns.begin(), columns.end(), [](const MatrixSetting& one) {
    return one.setting == MatrixSetting::t_max;
  });
  const bool both = found != columns.end() && columns.front().setting == 0;
  return both ? static_cast<int>(found - columns.begin()) : -1;
}

}  // namespace

/// Draws above the columns which dataflow the smallest and the largest t stand for.
void HeatMap::paintEnds(QPainter& painter) const {
  const int max = column_of_max(settings());
  if (max < 0) return;
  const double end = layout_.cells.left() + (layout_.cell * (max + 1)), space = end - 6;
  constexpr double square = 8, after_square = 5, between = 34;
  const auto wide = [&](const QString& text) {
    return painter.fontMetrics().horizontalAdvance(text) + square + after_square;
  };
  QString first = tr("all weight-stationary"), last = tr("all output-stationary");
  if (wide(first) + wide(last) + between > space) {
    first = tr("all WS");
    last = tr("all OS");
  }
  const auto draw = [&](double left, const QString& text, StageGroup group) {
    const double middle = layout_.row / 2;
    painter.fillRect(QRectF(left, middle - (square / 2), square, square), theme_->stage(group));
    painter.setPen(theme_->palette().text);
    painter.drawText(QRectF(left + square + after_square, 0, wide(text), layout_.row),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
  };
  const double right = end - wide(last);
  // Narrow columns leave too little space for both texts. The first text then begins above the layer names.
  const double left = std::min(layout_.cells.left(), right - between - wide(first));
  draw(left, first, StageGroup::weight_stationary);
  draw(right, last, StageGroup::output_stationary);
  const double from = left + wide(first) + 6, to = right - 6, middle = layout_.row / 2, head = 4;
  painter.setPen(QPen(theme_->palette().faint_text, 1));
  painter.drawLine(QPointF(from, middle), QPointF(to, middle));
  for (const double side : {-head, head}) {
    painter.drawLine(QPointF(to, middle), QPointF(to - head, middle + side));
    painter.drawLine(QPointF(from, middle), QPointF(from + head, middle + side));
  }
}

namespace {

/// Describes a dataflow that is not a threshold.
QString dataflow_tip(const MatrixSetting& column) {
  const QString name = QString::fromStdString(column.text());
  if (column.setting.method != FeatureMethod::by_layout)
    return HeatMap::tr(
               "%1: gather-GEMM-scatter. Copies the input rows of all pairs, multiplies them by the weights "
               "of their offset, and adds the products to the outputs.")
        .arg(name);
  if (column.setting.splits == 0)
    return HeatMap::tr(
               "%1: implicit GEMM of TorchSparse++. Runs output-stationary and leaves the outputs in their "
               "natural order.")
        .arg(name);
  return HeatMap::tr(
             "%1: implicit GEMM of TorchSparse++. Divides the offsets into %2 parts. For each part, "
             "sorts the outputs by mask; the mask marks the offsets that have an input.")
      .arg(name)
      .arg(column.setting.splits);
}

}  // namespace

QString HeatMap::headTip(double x) const {
  if (!hasContent()) return {};
  QString both =
      tr("Output-stationary: keeps the sums of an output and reads all its inputs; good for offsets where "
         "many outputs have an input.\n"
         "Weight-stationary: keeps the weights of an offset and adds its products to the outputs; good for "
         "offsets where few outputs have an input.\n"
         "t divides the offsets of a layer by their distance from the centre (L1 norm): offsets with an L1 "
         "norm below t run output-stationary, all others weight-stationary.");
  const int column = x < layout_.cells.left()
                         ? -1
                         : static_cast<int>((x - layout_.cells.left()) / std::max(1.0, layout_.cell));
  if (column < 0 || column >= static_cast<int>(settings().size())) return both;
  const MatrixSetting& setting = settings()[static_cast<std::size_t>(column)];
  if (!setting.setting.is_threshold()) return dataflow_tip(setting);
  const int t = setting.setting.threshold;
  if (t == 0) return tr("At t = 0, all offsets run weight-stationary.") + "\n" + both;
  if (t == MatrixSetting::t_max) return tr("At t = max, all offsets run output-stationary.") + "\n" + both;
  return tr("At t = %1, offsets with an L1 norm below %1 run output-stationary, all others "
            "weight-stationary.")
             .arg(t) +
         "\n" + both;
}

void HeatMap::paintRow(QPainter& painter, int row) const {
  const QRectF line(0, rectOf({row, 0}).top(), layout_.cells.right() + layout_.after, layout_.row);
  if (row == chosen_ || row == hovered_.row) {
    QColor tint = row == chosen_ ? theme_->palette().accent : theme_->palette().text;
    tint.setAlphaF(row == chosen_ ? 0.2F : 0.08F);
    painter.fillRect(line, tint);
  }
  if (row == chosen_) painter.fillRect(QRectF(0, line.top(), 3, line.height()), theme_->palette().accent);
  painter.setPen(theme_->palette().text);
  painter.drawText(
      QRectF(6, line.top(), layout_.names - 10, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(nameOf(row), Qt::ElideMiddle, static_cast<int>(layout_.names - 10)));
  paintSides(painter, row, line);
  for (int column = 0; column < static_cast<int>(settings().size()); ++column)
    paintCell(painter, {row, column});
  paintMarks(painter, row);
}

void HeatMap::paintCell(QPainter& painter, const MatrixPlace& place) const {
  const QRectF area = filledRectOf(place);
  const Palette& colours = theme_->palette();
  switch (stateOf(place)) {
    case CellState::infeasible:
      return paint_infeasible(painter, area, colours.faint_text);
    case CellState::not_measured:
      painter.fillRect(area, colours.panel);  // The hatch must also be visible in the chosen row.
      return paint_hatch(painter, area, colours.line);
    case CellState::unusable:
      paint_hatch(painter, area, colours.error);
      painter.setPen(colours.error);
      return painter.drawText(area, Qt::AlignCenter, QString(QChar(0x2715)));
    case CellState::modelled:
    case CellState::measured:
      return paintTimes(painter, place, area);
  }
}

void HeatMap::paintNumber(QPainter& painter, const QRectF& area, double relative, const QString& number,
                          SettingVerdict verdict, MarksBeside marks) const {
  const QColor colour = matrix_colour(relative), ink = text_on(colour);
  painter.fillRect(area, colour);
  const double wide = painter.fontMetrics().horizontalAdvance(number);
  const MarkSize beside = mark_beside(wide, area, marks);
  const bool has_mark = verdict != SettingVerdict::none && verdict != SettingVerdict::worse;
  const bool both = beside.side > 0;
  const double shift = number_shift(wide, area, marks), alone = std::min(area.height() - 3, 13.0);
  if (has_mark) {
    const double side = both ? beside.side : alone;
    const double x = area.center().x() + (both ? (wide / 2) - shift + beside.before : -side / 2);
    paint_mark(painter, verdict, QRectF(x, area.center().y() - (side / 2), side, side), ink);
  }
  if (has_mark ? !both : wide + 6 > area.width()) return;
  painter.setPen(ink);
  painter.drawText(area.translated(-shift, 0), Qt::AlignCenter, number);
}

void HeatMap::paintPickFrame(QPainter& painter, const MatrixPlace& place, bool dashed) const {
  const auto frame = [&](const QPen& pen, double inset) {
    painter.setPen(pen);
    painter.drawRect(rectOf(place).adjusted(inset, inset, -inset, -inset));
  };
  painter.setBrush(Qt::NoBrush);
  // Draw two frames, because a single colour would be invisible on dark or on light cells.
  frame(QPen(theme_->palette().text, 2, dashed ? Qt::DashLine : Qt::SolidLine), 1);
  frame(QPen(theme_->palette().panel, 1), 2.5);
}

void HeatMap::paintCursor(QPainter& painter, int row) const {
  if (row != current_.row || current_.column < 0 || !hasFocus()) return;
  constexpr double inset = 3.5;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_->palette().accent, 2, Qt::DotLine));
  painter.drawRect(rectOf(current_).adjusted(inset, inset, -inset, -inset));
}

std::vector<QRectF> HeatMap::entryAreas(const std::vector<Entry>& entries, double width) const {
  const double line = layout_.legend_line;
  const double scale_and_gap = scaleWidth() + 14;
  // The colour scale has two lines. The other entries are next to the scale if the legend is wide, otherwise
  // below it.
  const double left = width > 3 * scale_and_gap ? scale_and_gap : 0;
  double x = left, y = left > 0 ? 0 : 2 * line;
  std::vector<QRectF> areas;
  for (const Entry& entry : entries) {
    if (entry.kind == EntryKind::scale) {
      areas.emplace_back(0, 0, scale_and_gap, 2 * line);
      continue;
    }
    const double icon = entry.kind == EntryKind::note ? 0 : entry_icon + 5;
    double wide = icon + fontMetrics().horizontalAdvance(entry.text) + 14;
    if (x > left && x + wide > width) {
      x = left;
      y += line;
    }
    double high = line;
    if (x + wide > width) {  // The entry is wider than the legend, so its text wraps.
      wide = std::max(1.0, width - x);
      const QRect space(0, 0, std::max(1, static_cast<int>(wide - icon)), std::numeric_limits<short>::max());
      const QRect text = fontMetrics().boundingRect(space, Qt::TextWordWrap, entry.text);
      high = line * std::max(1.0, std::round(static_cast<double>(text.height()) / fontMetrics().height()));
    }
    areas.emplace_back(x, y, wide, high);
    if (high > line) {
      x = left;
      y += high;
      continue;
    }
    // A note has its own line in a narrow legend, because it does not explain the next entry.
    x = entry.kind == EntryKind::note && left == 0 ? width : x + wide;
  }
  return areas;
}

double HeatMap::legendHeight(const std::vector<Entry>& entries, double width) const {
  double bottom = 0;
  for (const QRectF& area : entryAreas(entries, width))
    bottom = std::max(bottom, area.bottom());
  return bottom;
}

std::vector<HeatMap::Entry> HeatMap::entriesIn(const QSizeF& size) const {
  std::vector<Entry> entries = shownEntries();
  while (legendHeight(entries, size.width()) > size.height() + 1.0) {
    const auto last =
        std::find_if(entries.rbegin(), entries.rend(), [](const Entry& entry) { return entry.optional; });
    if (last == entries.rend()) break;
    entries.erase(std::next(last).base());
  }
  return entries;
}

void HeatMap::paintLegend(QPainter& painter) const {
  const std::vector<Entry> entries = entriesIn(layout_.legend.size());
  const std::vector<QRectF> areas = entryAreas(entries, layout_.legend.width());
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const QRectF area = areas[at].translated(layout_.legend.topLeft());
    if (area.bottom() > height() + 1.0) continue;
    const bool wraps = entries[at].kind != EntryKind::scale && area.height() > layout_.legend_line;
    paintEntry(painter, entries[at].kind,
               wraps ? QRectF(area.topLeft(), QSizeF(area.width(), layout_.legend_line)) : area);
    painter.setPen(theme_->palette().text);
    const double icon = entries[at].kind == EntryKind::note ? 1 : entry_icon + 5;
    painter.drawText(area.adjusted(icon, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                     entries[at].text);
  }
}

double HeatMap::scaleWidth() const {
  return std::max<double>(min_scale_width, fontMetrics().horizontalAdvance(scaleTitle()));
}

/// Draws the title of the colour scale and, below it, the scale with its numbers.
void HeatMap::paintScale(QPainter& painter, const QRectF& area) const {
  const double line = area.height() / 2;
  painter.setPen(theme_->palette().text);
  painter.drawText(QRectF(area.left(), area.top(), scaleWidth(), line), Qt::AlignLeft | Qt::AlignVCenter,
                   scaleTitle());
  // In a low legend, the numbers need the room of the ticks.
  const double tick_height = std::clamp(line - 1 - painter.fontMetrics().height(), 0.0, 3.0);
  const QRectF strip(area.left(), area.top() + line, scaleWidth(), line - tick_height - 1);
  constexpr int steps = 50;
  for (int step = 0; step < steps; ++step)
    painter.fillRect(QRectF(strip.left() + (strip.width() * step / steps), strip.top(),
                            (strip.width() / steps) + 0.5, strip.height()),
                     matrix_colour(std::pow(last_relative, (step + 0.5) / steps)));
  // Each number is centred at its position on the scale, except at the ends.
  const auto tick = [&](double relative, const QString& before) {
    const QString text = before + numberText(*theme_, relative, 'g', 2);
    const double wide = painter.fontMetrics().horizontalAdvance(text);
    const double x = strip.left() + (share_of_scale(relative) * strip.width());
    const double left = std::clamp(x - (wide / 2), strip.left() + 3, strip.right() - wide - 3);
    painter.setPen(text_on(matrix_colour(relative)));
    painter.drawText(QRectF(left, strip.top(), wide + 1, strip.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
    painter.setPen(theme_->palette().text);
    painter.drawLine(QPointF(x, strip.bottom()), QPointF(x, strip.bottom() + tick_height));
  };
  for (const double relative : scale_ticks)
    tick(relative, {});
  tick(last_relative, QString(QChar(0x2265)));
}

void HeatMap::paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const {
  const Palette& colours = theme_->palette();
  if (kind == EntryKind::scale) return paintScale(painter, area);
  const QRectF icon = entryIcon(area);
  const double side = std::min(icon.height(), 12.0);
  const QRectF mark(icon.center().x() - (side / 2), icon.center().y() - (side / 2), side, side);
  painter.setBrush(Qt::NoBrush);
  switch (kind) {
    case EntryKind::best:
      return paint_mark(painter, SettingVerdict::best, mark, colours.text);
    case EntryKind::tied:
      return paint_mark(painter, SettingVerdict::tied, mark, colours.text);
    case EntryKind::undecided:
      return paint_mark(painter, SettingVerdict::undecided, mark, colours.text);
    case EntryKind::pick:
    case EntryKind::partial_pick:
      painter.setPen(QPen(colours.text, 2, kind == EntryKind::pick ? Qt::SolidLine : Qt::DashLine));
      return painter.drawRect(icon);
    case EntryKind::measured:
      return painter.fillRect(icon, matrix_colour(1.0));
    case EntryKind::not_measured:
      return paint_hatch(painter, icon, colours.line);
    case EntryKind::infeasible:
      return paint_infeasible(painter, icon, colours.faint_text);
    case EntryKind::unusable:
      return paint_hatch(painter, icon, colours.error);
    case EntryKind::only:
      return painter.fillRect(icon, colours.line);
    case EntryKind::in_use:
    case EntryKind::modelled:
    case EntryKind::note:
    case EntryKind::scale:
      break;
  }
}

}  // namespace spira::ui

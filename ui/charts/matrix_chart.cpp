#include "ui/charts/matrix_chart.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLinearGradient>
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
constexpr double gap = 2, max_cell = 76, min_cell_for_interval = 110, max_cell_beside_legend = 120,
                 entry_icon = 22, min_scale_width = 126;

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
    painter.drawText(area, Qt::AlignCenter, QString(QChar(0x2248)));
  } else if (verdict == SettingVerdict::undecided) {
    painter.drawText(area, Qt::AlignCenter, "?");
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

double size_of_mark(const QRectF& area) {
  return std::min(area.height() - 3, 13.0);
}

/// Returns how far a number of this width is shifted to the left, to leave space for a mark. All numbers of a
/// column are shifted, so that numbers with and without a mark are aligned.
double shift_of_number(double wide, const QRectF& area) {
  const double mark = size_of_mark(area);
  return wide + mark + 10 <= area.width() ? (mark / 2) + 1 : 0;
}

/// Draws a modelled cell: coloured lines instead of a filled area, and an italic number. If `relative` is 0,
/// there is no best time to compare with, and the lines have a neutral colour.
void paint_modelled(QPainter& painter, const QRectF& area, double relative, const QString& number,
                    const Palette& colours) {
  const QColor colour = relative > 0 ? matrix_colour(relative) : colours.line;
  QColor tint = colour;
  constexpr float see_through = 0.16F;
  tint.setAlphaF(see_through);
  painter.fillRect(area, tint);
  painter.fillRect(area, QBrush(colour, Qt::FDiagPattern));
  painter.setPen(QPen(colour, 1, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.save();
  QFont font = painter.font();
  font.setItalic(true);
  painter.setFont(font);
  const double wide = painter.fontMetrics().horizontalAdvance(number), plate = wide + 4;
  if (!number.isEmpty() && plate <= area.width()) {
    const QRectF at = area.translated(-shift_of_number(wide, area), 0);
    // Fill the area behind the number, because the coloured lines would make the number hard to read.
    painter.fillRect(QRectF(at.center().x() - (plate / 2), at.top() + 1, plate, at.height() - 2),
                     colours.panel);
    painter.setPen(colours.text);
    painter.drawText(at, Qt::AlignCenter, number);
  }
  painter.restore();
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

QString changeText(double ms, double before_ms) {
  constexpr double shown = 0.0005;  // A smaller change is shown as 0.0 %, without a sign.
  double share = before_ms > 0 ? (ms / before_ms) - 1 : 0;
  if (std::abs(share) < shown) share = 0;
  return (share > 0 ? "+" : "") + onScreen(percent_text(share));
}

int column_of(const MatrixRow& row, const LayerSetting& setting) noexcept {
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    if (row.cells[at].state != CellState::infeasible && row.cells[at].setting.dataflow() == setting)
      return static_cast<int>(at);
  }
  return -1;
}

MatrixChart::MatrixChart(Theme* theme, QWidget* parent)
    : Chart(theme, tr("Matrix of layers and settings"), parent), bar_(new QScrollBar(Qt::Vertical, this)) {
  bar_->setFocusPolicy(Qt::NoFocus);
  connect(bar_, &QScrollBar::valueChanged, this, [this] { update(); });
  place();
}

void MatrixChart::setMatrix(std::shared_ptr<const SettingMatrix> matrix, MatrixOrigin origin) {
  const bool other = !matrix || !matrix_ || matrix->rows.size() != matrix_->rows.size() ||
                     matrix->columns.size() != matrix_->columns.size();
  matrix_ = std::move(matrix);
  origin_ = std::move(origin);
  nameRows();
  if (other) {
    current_ = hovered_ = {};
    pressed_.reset();
    bar_->setValue(0);
  }
  place();
  contentChanged();
}

void MatrixChart::nameRows() {
  QStringList names;
  if (matrix_) {
    for (const MatrixRow& row : matrix_->rows)
      names += QString::fromStdString(row.layer);
  }
  names_.brief = shortLayerNames(names);
  // Paper has no tooltips for the full names.
  names_.shown = theme_->paper() || names_.full ? names : names_.brief;
}

void MatrixChart::setFullNames(bool full) {
  if (full == names_.full) return;
  names_.full = full;
  nameRows();
  place();
  contentChanged();
}

void MatrixChart::setPicks(MatrixPicks picks, MatrixPicks in_use) {
  picks_ = std::move(picks);
  in_use_ = std::move(in_use);
  place();
  contentChanged();
}

void MatrixChart::setChosenLayer(int layer) {
  if (layer == chosen_) return;
  chosen_ = layer;
  if (hasContent() && layer >= 0 && layer < static_cast<int>(matrix_->rows.size())) {
    if (current_.row != layer) current_ = {layer, std::max(0, current_.column)};
    scrollTo(layer);
  }
  update();
}

const MatrixCell& MatrixChart::cellAt(const MatrixPlace& place) const {
  return matrix_->rows.at(static_cast<std::size_t>(place.row))
      .cells.at(static_cast<std::size_t>(place.column));
}

bool MatrixChart::canPick(const MatrixPlace& place) const {
  const CellState state = cellAt(place).state;
  return state == CellState::measured || state == CellState::not_measured || state == CellState::modelled;
}

ChartText MatrixChart::text() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (const MatrixRow& row : hasContent() ? matrix_->rows : std::vector<MatrixRow>{}) {
    for (const MatrixCell& cell : row.cells) {
      if (cell.n == 0) continue;
      least = std::min(least, cell.n);
      most = std::max(most, cell.n);
    }
  }
  return {origin_.subject.isEmpty() ? tr("Settings of each layer")
                                    : tr("Settings of each layer, %1").arg(origin_.subject),
          tr("time of features and map, divided by the time of the layer's best setting"), tr("medians"),
          most == 0       ? QString()
          : least == most ? tr("n = %1 each").arg(most)
                          : tr("n = %1 to %2").arg(least).arg(most)};
}

ChartTable MatrixChart::table() const {
  ChartTable table{{tr("Layer"), tr("Shape"), tr("Setting"), tr("Relative"), tr("Verdict"), tr("Median, ms"),
                    tr("IQR, ms"), tr("n"), tr("Layers of this shape"), tr("Cost, ms"), tr("Map, ms"),
                    tr("State"), tr("Picked"), tr("Modelled, ms"), tr("Modelled, relative")},
                   {}};
  for (std::size_t at = 0; hasContent() && at < matrix_->rows.size(); ++at) {
    const MatrixRow& row = matrix_->rows[at];
    for (const MatrixCell& cell : row.cells) {
      if (cell.state == CellState::infeasible) continue;
      const auto number = [](double value) { return value > 0 ? QVariant(value) : QVariant(); };
      const bool picked = at < picks_.size() && picks_[at] == cell.setting.dataflow();
      table.rows.push_back(
          {QString::fromStdString(row.layer), QString::fromStdString(row.shape.text(matrix_->levels)),
           QString::fromStdString(cell.setting_text()), number(cell.relative),
           QString::fromUtf8(text_of(cell.verdict)), number(cell.median_ms),
           cell.n > 0 ? QVariant(cell.iqr_ms) : QVariant(), QVariant::fromValue<qlonglong>(cell.n),
           row.layers_of_shape, number(cell.cost_ms), cell.cost_ms > 0 ? QVariant(cell.map_ms) : QVariant(),
           QString::fromUtf8(text_of(cell.state)), picked ? tr("yes") : QString(), number(cell.modelled_ms),
           number(cell.modelled_relative)});
    }
  }
  return table;
}

int MatrixChart::rowAt(const QPointF& at) const {
  const MatrixPlace wanted = placeAt(at);
  if (wanted.column < 0 || cellAt(wanted).state == CellState::infeasible) return -1;
  int index = 0;
  for (int row = 0; row <= wanted.row; ++row) {
    const auto& cells = matrix_->rows[static_cast<std::size_t>(row)].cells;
    const int columns = row == wanted.row ? wanted.column : static_cast<int>(cells.size());
    for (int column = 0; column < columns; ++column)
      index += cells[static_cast<std::size_t>(column)].state == CellState::infeasible ? 0 : 1;
  }
  return index;
}

namespace {

/// Returns the cell that a row of MatrixChart::table() describes.
MatrixPlace place_of(const SettingMatrix& matrix, int index) {
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
      if (matrix.rows[row].cells[column].state != CellState::infeasible && index-- == 0)
        return {static_cast<int>(row), static_cast<int>(column)};
    }
  }
  return {};
}

}  // namespace

MeasuredSubject MatrixChart::subjectOf(int row) const {
  MeasuredSubject subject;
  const MatrixPlace at = hasContent() && row >= 0 ? place_of(*matrix_, row) : MatrixPlace{};
  if (at.row < 0 || !cellAt(at).setting.dataflow().is_threshold()) return subject;
  subject.kind = MeasuredSubject::Kind::threshold;
  subject.layer = at.row;
  subject.threshold = cellAt(at).setting.threshold;
  return subject;
}

void MatrixChart::chooseRow(int row) {
  if (const MatrixPlace at = place_of(*matrix_, row); at.row >= 0) setCurrent(at);
}

std::unique_ptr<Chart> MatrixChart::twin(Theme* theme) const {
  auto other = std::make_unique<MatrixChart>(theme);
  other->setMatrix(matrix_, origin_);
  other->setPicks(picks_, in_use_);
  return other;
}

void MatrixChart::restyle() {
  place();
  update();
}

int MatrixChart::heightForWidth(int width) const {
  if (!hasContent()) return -1;
  constexpr double gaps = 9;
  const double row = fontMetrics().height() + 5.0;
  return static_cast<int>(
      std::ceil((row * (static_cast<double>(matrix_->rows.size()) + 2)) + legendHeight(width - 8.0) + gaps));
}

int MatrixChart::visibleRows() const noexcept {
  return layout_.row > 0 ? static_cast<int>(layout_.cells.height() / layout_.row) : 0;
}

int MatrixChart::missingHeight(int rows) const noexcept {
  if (!hasContent()) return 0;
  const double wanted = layout_.row * std::min(rows, static_cast<int>(matrix_->rows.size()));
  return std::max(0, static_cast<int>(std::ceil(wanted - layout_.cells.height())));
}

/// Computes the layout. The legend is on the right if there is space, otherwise below.
void MatrixChart::place() {
  const bool screen = !theme_->paper();
  bar_->setVisible(false);
  layout_ = {};
  if (!hasContent()) return;
  Layout& l = layout_;
  l.row = fontMetrics().height() + 5.0;
  l.head = 2 * l.row;
  l.legend_line = fontMetrics().height() + 4.0;
  double longest = fontMetrics().horizontalAdvance(tr("Layer"));
  for (const QString& name : names_.shown)
    longest = std::max<double>(longest, fontMetrics().horizontalAdvance(name));
  const double bar = screen ? bar_->sizeHint().width() : 0;
  const auto columns = static_cast<double>(matrix_->columns.size());
  l.names = std::min(longest + 16, std::max(80.0, width() * 0.3));
  const double for_times = fontMetrics().horizontalAdvance(tr("best, ms")) + 14.0;
  constexpr double comfortable_cell = 46;
  if (width() - l.names - for_times - bar >= columns * comfortable_cell) l.times = for_times;
  const double left = l.names + l.times;
  constexpr double min_legend = 222, before_legend = 14;  // Two short entries fit next to each other.
  const double legend_width =
      std::max(min_legend, before_legend + fontMetrics().horizontalAdvance(timesText()) + 4);
  const bool beside = screen && width() - left - bar - legend_width >= columns * comfortable_cell;
  const double space = width() - left - bar - (beside ? legend_width : 0);
  l.cell = std::clamp(space / columns, 12.0,
                      beside ? max_cell_beside_legend : std::max(max_cell, space / columns));
  l.cells = QRectF(left, l.head, l.cell * columns, height() - l.head);
  if (beside) {
    const double x = l.cells.right() + bar + before_legend;
    l.legend = QRectF(x, 4, width() - x, height() - 8.0);
    // The lines are closer together if the legend is too low for all entries.
    const double share = l.legend.height() / std::max(1.0, legendHeight(l.legend.width()));
    l.legend_line =
        std::clamp(std::floor(l.legend_line * share), fontMetrics().height() + 0.0, l.legend_line);
  } else {
    const double high = legendHeight(width() - 8.0) + 4;
    l.cells.setHeight(std::max(l.row, height() - l.head - high - 2));
    l.legend = QRectF(4, l.cells.bottom() + 4, width() - 8.0, high);
  }
  const double all = l.row * static_cast<double>(matrix_->rows.size());
  // A list that scrolls shows only whole rows.
  if (screen && all > l.cells.height())
    l.cells.setHeight(std::max(1.0, std::floor(l.cells.height() / l.row)) * l.row);
  const int hidden = static_cast<int>(std::ceil(all - l.cells.height()));
  bar_->setRange(0, std::max(0, hidden));
  bar_->setPageStep(static_cast<int>(l.cells.height()));
  bar_->setSingleStep(static_cast<int>(l.row));
  bar_->setGeometry(static_cast<int>(l.cells.right()) + 2, static_cast<int>(l.cells.top()),
                    bar_->sizeHint().width(), static_cast<int>(l.cells.height()));
  bar_->setVisible(screen && hidden > 0);
}

QRectF MatrixChart::rectOf(const MatrixPlace& place) const {
  return {layout_.cells.left() + (place.column * layout_.cell),
          layout_.cells.top() + (place.row * layout_.row) - bar_->value(), layout_.cell, layout_.row};
}

/// Returns the cell at a position. The column is -1 left and right of the cells.
MatrixPlace MatrixChart::placeAt(const QPointF& at) const {
  if (!hasContent() || at.y() < layout_.cells.top() || at.y() >= layout_.cells.bottom()) return {};
  const int row = static_cast<int>((at.y() - layout_.cells.top() + bar_->value()) / layout_.row);
  if (row >= static_cast<int>(matrix_->rows.size()) || at.x() > layout_.cells.right()) return {};
  if (at.x() < layout_.cells.left()) return {row, -1};
  const int column = static_cast<int>((at.x() - layout_.cells.left()) / layout_.cell);
  return {row, std::min(column, static_cast<int>(matrix_->columns.size()) - 1)};
}

QPoint MatrixChart::cellCentre(const MatrixPlace& place) {
  scrollTo(place.row);
  return rectOf(place).center().toPoint();
}

void MatrixChart::scrollTo(int row) {
  const double top = row * layout_.row, bottom = top + layout_.row;
  if (top < bar_->value()) bar_->setValue(static_cast<int>(std::floor(top)));
  if (bottom > bar_->value() + layout_.cells.height())
    bar_->setValue(static_cast<int>(std::ceil(bottom - layout_.cells.height())));
}

void MatrixChart::setCurrent(const MatrixPlace& place) {
  if (place == current_) return;
  current_ = place;
  setAccessibleDescription(tipOf(place));
  scrollTo(place.row);
  update();
  emit currentChanged(place.row, place.column);
}

void MatrixChart::setHovered(const MatrixPlace& place) {
  if (place == hovered_) return;
  const int before = hovered_.row;
  hovered_ = place;
  update();
  if (place.row != before) emit rowHovered(place.row);
}

/// Returns the rows from the pressed row to the row under the pointer. Omits rows whose layer cannot run the
/// setting.
std::vector<int> MatrixChart::draggedRows() const {
  std::vector<int> rows;
  if (!pressed_) return rows;
  const auto [first, last] = std::minmax(pressed_->row, dragged_to_);
  for (int row = first; row <= last; ++row) {
    if (canPick({row, pressed_->column})) rows.push_back(row);
  }
  return rows;
}

void MatrixChart::mousePressEvent(QMouseEvent* event) {
  const MatrixPlace at = placeAt(event->position());
  if (event->button() != Qt::LeftButton || at.row < 0) return;
  if (at.column < 0) return setCurrent({at.row, std::max(0, current_.column)});
  setCurrent(at);
  if (!canPick(at)) return QToolTip::showText(event->globalPosition().toPoint(), tipOf(at), this);
  pressed_ = at;
  dragged_to_ = at.row;
  wants_comparison_ = (event->modifiers() & Qt::ShiftModifier) != 0;
  update();
}

void MatrixChart::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) return setHovered(placeAt(event->position()));
  // Scroll if the user drags beyond the visible rows.
  const double y = event->position().y() - layout_.cells.top() + bar_->value();
  const int last = static_cast<int>(matrix_->rows.size()) - 1;
  dragged_to_ = std::clamp(static_cast<int>(std::floor(y / layout_.row)), 0, last);
  scrollTo(dragged_to_);
  update();
}

void MatrixChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  const std::vector<int> rows = draggedRows();
  const MatrixPlace from = *pressed_;
  pressed_.reset();
  update();
  if (wants_comparison_) return emit compareRequested(from.row, from.column);
  if (!rows.empty()) emit picked(rows, from.column);
}

void MatrixChart::leaveEvent(QEvent*) {
  setHovered({});
}

void MatrixChart::wheelEvent(QWheelEvent* event) {
  if (!bar_->isVisible()) return Chart::wheelEvent(event);
  QCoreApplication::sendEvent(bar_, event);
}

bool MatrixChart::act(int key, bool compare) {
  const int rows = static_cast<int>(matrix_->rows.size()),
            columns = static_cast<int>(matrix_->columns.size());
  MatrixPlace to{std::max(0, current_.row), std::max(0, current_.column)};
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
      if (canPick(to)) compare ? emit compareRequested(to.row, to.column) : emit picked({to.row}, to.column);
      return true;
  }
  setCurrent({std::clamp(to.row, 0, rows - 1), std::clamp(to.column, 0, columns - 1)});
  return true;
}

void MatrixChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && pressed_) {
    pressed_.reset();
    return update();
  }
  const bool compare = (event->modifiers() & Qt::ShiftModifier) != 0;
  if (hasContent() && is_key_of_matrix(*event) && act(event->key(), compare)) return;
  Chart::keyPressEvent(event);
}

bool MatrixChart::event(QEvent* event) {
  // The window uses some of these keys as shortcuts. This chart uses them while it has the focus.
  if (event->type() == QEvent::ShortcutOverride && hasContent()) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (is_key_of_matrix(*key) || (key->key() == Qt::Key_Escape && pressed_)) {
      event->accept();
      return true;
    }
  }
  if (event->type() != QEvent::ToolTip || !hasContent()) return Chart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = help->pos().y() < layout_.head ? headTip(help->pos().x()) : tipOf(placeAt(help->pos()));
  tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

QString MatrixChart::tipOf(const MatrixPlace& place) const {
  if (!hasContent() || place.row < 0) return {};
  const MatrixRow& row = matrix_->rows.at(static_cast<std::size_t>(place.row));
  const auto level = [this](int number) { return level_text(matrix_->levels, number); };
  const QString layer = tr("%1, %2, %3, %4 to %5 channels")
                            .arg(bothNames(names_.brief[place.row], row.layer),
                                 QString::fromStdString(cells_text(row.shape.kernel.size)),
                                 strideText(level(row.shape.stride_in), level(row.shape.stride_out)))
                            .arg(row.shape.in_channels)
                            .arg(row.shape.out_channels);
  const QString shared =
      row.layers_of_shape > 1
          ? "\n" + tr("%1 layers have this shape. They share one measurement, so their rows are identical.")
                       .arg(row.layers_of_shape)
          : QString();
  const QString gain = gainText(place.row);
  if (place.column < 0) return layer + (gain.isEmpty() ? QString() : "\n" + gain) + shared;
  const MatrixCell& cell = cellAt(place);
  if (cell.state == CellState::infeasible)
    return layer + "\n" + tr("not possible: %1").arg(whyInfeasible(place));
  QString text = QString("%1, %2").arg(layer, QString::fromStdString(cell.setting_text()));
  if (cell.state == CellState::modelled) {
    const QString time = onScreen(ms_text(cell.modelled_ms));
    const QString share = onScreen(cell.modelled_relative, 'f', 2) + QChar(0x00D7);
    text +=
        "\n" +
        (!(cell.modelled_relative > 0)
             ? tr("Modelled, not measured: time of the features of one layer: %1").arg(time)
         : row.best >= 0
             ? tr("Modelled, not measured: time of the features of one layer: %1, %2 the time of the best "
                  "measured setting")
                   .arg(time, share)
             : tr("Modelled, not measured: time of the features of one layer: %1, %2 the time of the run")
                   .arg(time, share));
    return text + "\n" + modelText(cell);
  }
  if (cell.state == CellState::not_measured) {
    const QString model = modelText(cell);
    return text + "\n" + tr("Not measured.") + (model.isEmpty() ? QString() : "\n" + model);
  }
  return text + "\n" + measuredText(row, cell) + (gain.isEmpty() ? QString() : "\n" + gain) + shared;
}

QString MatrixChart::whyInfeasible(const MatrixPlace& place) const {
  const LayerShape& shape = matrix_->rows.at(static_cast<std::size_t>(place.row)).shape;
  Layer layer;
  layer.op = shape.op;
  layer.kernel_size = shape.kernel.size;
  layer.transposed = shape.transposed;
  constexpr int any_other = 2;
  if (shape.stride_in != shape.stride_out) layer.stride = PerAxis(any_other);
  LayerPlan plan;
  plan.set(matrix_->columns.at(static_cast<std::size_t>(place.column))
               .of_layer(KernelOffsets(shape.kernel, 1).max_threshold()));
  return QString::fromStdString(why_not_plan(layer, plan));
}

QString MatrixChart::gainText(int row) const {
  const auto at = static_cast<std::size_t>(row);
  const MatrixRow& facts = matrix_->rows.at(at);
  if (facts.best < 0) return {};
  const MatrixCell& best = facts.cells[static_cast<std::size_t>(facts.best)];
  const auto cell_of = [&](const MatrixPicks& picks) -> const MatrixCell* {
    const int column = at < picks.size() ? column_of(facts, picks[at]) : -1;
    const MatrixCell* cell = column < 0 ? nullptr : &facts.cells[static_cast<std::size_t>(column)];
    return cell != nullptr && cell->cost_ms > 0 ? cell : nullptr;
  };
  const MatrixCell *used = cell_of(in_use_), *picked = cell_of(picks_);
  const auto part = [&](const QString& what, const MatrixCell& cell) {
    QString text =
        tr("%1 %2: %3")
            .arg(what, QString::fromStdString(cell.setting_text()), onScreen(ms_text(cell.cost_ms)));
    if (used != nullptr && used != &cell)
      text += QString(" (%1)").arg(changeText(cell.cost_ms, used->cost_ms));
    return text;
  };
  QStringList parts;
  if (used != nullptr) parts += part(tr("in use"), *used);
  if (picked != nullptr) parts += part(tr("picked"), *picked);
  parts += part(tr("best"), best);
  return parts.join("; ");
}

QString MatrixChart::modelText(const MatrixCell& cell) const {
  if (cell.model < 0) return {};
  const ModelCheck& model = matrix_->models.at(static_cast<std::size_t>(cell.model));
  if (model.cells == 0) return tr("No modelled time, because no measured cell can check the model.");
  const QString error = tr("median error %1 on %2")
                            .arg(onScreen(percent_text(model.median_error)),
                                 counted(model.cells, tr("1 measured cell"), tr("%1 measured cells")));
  if (!model.shown)
    return tr("No modelled time, because the model is not checked well enough: %1.").arg(error);
  return tr("Model %1: %2, largest error %3.")
      .arg(QString::fromStdString(model.basis), error, onScreen(percent_text(model.largest_error)));
}

QString MatrixChart::measuredText(const MatrixRow& row, const MatrixCell& cell) const {
  const QString contents = row.with_map ? tr("time of map and features of this layer")
                                        : tr("time of the %1 of one layer").arg(contentsText());
  QString text =
      tr("%1, %2: median %3, IQR %4, n = %5")
          .arg(contents, origin_.source, onScreen(ms_text(cell.median_ms)), onScreen(ms_text(cell.iqr_ms)))
          .arg(cell.n);
  if (cell.state == CellState::unusable)
    return text + "\n" +
           tr("The output differs from the output with t = max, so this setting cannot be picked.");
  if (row.best < 0) return text + "\n" + tr("The layer has no other setting.");
  if (cell.cost_ms > 0) {
    const QString cost = onScreen(ms_text(cell.cost_ms)),
                  share = onScreen(cell.relative_text()) + QChar(0x00D7);
    const bool map = cell.map_ms > 0;
    text +=
        "\n" + (row.layers_of_shape == 1
                    ? (map ? tr("cost of the layer and its map: %1 (%2 the cost of the best setting)")
                           : tr("cost of the layer: %1 (%2 the cost of the best setting)"))
                          .arg(cost, share)
                    : (map ? tr("cost of the %1 layers of this shape and their map: %2 (%3 the cost of the "
                                "best setting)")
                           : tr("cost of the %1 layers of this shape: %2 (%3 the cost of the best setting)"))
                          .arg(row.layers_of_shape)
                          .arg(cost, share));
  }
  switch (cell.verdict) {
    case SettingVerdict::best:
      return text + "\n" + tr("Best: the smallest cost of this layer.");
    case SettingVerdict::tied:
      return text + "\n" +
             (cell.noisy_tie()
                  ? tr("Tied: its median is larger, but the samples vary too much to show that it is slower")
                  : tr("Tied: not statistically distinguishable from the best setting")) +
             (cell.relative_high > 0
                  ? tr(" (95 %: %1 to %2)")
                        .arg(onScreen(cell.relative_low, 'f', 2), onScreen(cell.relative_high, 'f', 2))
                  : QString()) +
             ".";
    case SettingVerdict::undecided:
      return text + "\n" + tr("Undecided: too few samples for a verdict.");
    case SettingVerdict::worse:
      return text + "\n" + tr("Significantly slower than the best setting.");
    case SettingVerdict::none:
      break;
  }
  return text + "\n" +
         (cell.cost_ms > 0 ? tr("The only measured setting of this layer.")
                           : tr("The cost is unknown, because the map was not measured."));
}

void MatrixChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  place();
  if (chosen_ >= 0 && hasContent() && chosen_ < static_cast<int>(matrix_->rows.size())) scrollTo(chosen_);
}

void MatrixChart::paintEvent(QPaintEvent*) {
  QCPPainter painter(this);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintFocus(painter);
}

void MatrixChart::paintChart(QCPPainter& painter) {
  if (!hasContent()) return;
  painter.setFont(font());
  painter.setAntialiasing(true);
  paintHead(painter);
  painter.save();
  if (!theme_->paper()) painter.setClipRect(QRectF(0, layout_.cells.top(), width(), layout_.cells.height()));
  for (int row = 0; row < static_cast<int>(matrix_->rows.size()); ++row) {
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

void MatrixChart::paintHead(QPainter& painter) const {
  paintEnds(painter);
  const double top = layout_.head - layout_.row;
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(6, top, layout_.names - 10, layout_.row), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Layer"));
  if (layout_.times > 0)
    painter.drawText(QRectF(layout_.names, top, layout_.times - 8, layout_.row),
                     Qt::AlignRight | Qt::AlignVCenter, tr("best, ms"));
  painter.setPen(theme_->palette().text);
  for (std::size_t at = 0; at < matrix_->columns.size(); ++at) {
    const QRectF area(layout_.cells.left() + (static_cast<double>(at) * layout_.cell), top, layout_.cell,
                      layout_.row);
    const QString name = QString::fromStdString(matrix_->columns[at].text());
    const bool fits = painter.fontMetrics().horizontalAdvance(name) + 4 <= area.width();
    painter.drawText(area, Qt::AlignCenter,
                     fits
                         ? name
                         : painter.fontMetrics().elidedText(short_name(matrix_->columns[at]), Qt::ElideMiddle,
                                                            static_cast<int>(area.width())));
  }
}

namespace {

/// Returns the column of t = max if the first column is t = 0, and -1 otherwise.
int column_of_max(const SettingMatrix& matrix) {
  const auto found = std::find_if(matrix.columns.begin(), matrix.columns.end(), [](const MatrixSetting& one) {
    return one.setting == MatrixSetting::t_max;
  });
  const bool both = found != matrix.columns.end() && matrix.columns.front().setting == 0;
  return both ? static_cast<int>(found - matrix.columns.begin()) : -1;
}

}  // namespace

/// Draws above the columns which dataflow the smallest and the largest t stand for.
void MatrixChart::paintEnds(QPainter& painter) const {
  const int max = column_of_max(*matrix_);
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
    return MatrixChart::tr(
               "%1: gather-GEMM-scatter. Copies the input rows of all pairs, multiplies them with "
               "one product per offset, and adds the products to the outputs.")
        .arg(name);
  if (column.setting.splits == 0)
    return MatrixChart::tr(
               "%1: implicit GEMM of TorchSparse++. Output-stationary, with the dense map in the "
               "natural order of the outputs.")
        .arg(name);
  return MatrixChart::tr(
             "%1: implicit GEMM of TorchSparse++. Divides the offsets into %2 parts and sorts the "
             "outputs of each part by which offsets have an input.")
      .arg(name)
      .arg(column.setting.splits);
}

}  // namespace

QString MatrixChart::headTip(double x) const {
  if (!hasContent()) return {};
  QString both =
      tr("Output-stationary: keeps the sums of an output and reads all its inputs; good for offsets where "
         "many outputs have an input.\n"
         "Weight-stationary: keeps the weights of an offset and adds its products to the outputs; good for "
         "offsets where few outputs have an input.\n"
         "t divides the offsets of a layer by their distance from the centre (L1 norm): offsets with an L1 "
         "norm below t run output-stationary, all others weight-stationary.");
  if (x >= layout_.names && x < layout_.cells.left())
    return tr("Smallest median time of the layer (%1): %2, without the map. The list of layers and Density "
              "show another measurement, the last run, with the t in use. The list includes the map.")
        .arg(sourceText(), contentsText());
  const int column = x < layout_.cells.left()
                         ? -1
                         : static_cast<int>((x - layout_.cells.left()) / std::max(1.0, layout_.cell));
  if (column < 0 || column >= static_cast<int>(matrix_->columns.size())) return both;
  const MatrixSetting& setting = matrix_->columns[static_cast<std::size_t>(column)];
  if (!setting.setting.is_threshold()) return dataflow_tip(setting);
  const int t = setting.setting.threshold;
  if (t == 0) return tr("At t = 0, all offsets run weight-stationary.") + "\n" + both;
  if (t == MatrixSetting::t_max) return tr("At t = max, all offsets run output-stationary.") + "\n" + both;
  return tr("At t = %1, offsets with an L1 norm below %1 run output-stationary, all others "
            "weight-stationary.")
             .arg(t) +
         "\n" + both;
}

void MatrixChart::paintRow(QPainter& painter, int row) const {
  const MatrixRow& facts = matrix_->rows[static_cast<std::size_t>(row)];
  const QRectF line(0, rectOf({row, 0}).top(), layout_.cells.right(), layout_.row);
  if (row == chosen_ || row == hovered_.row) {
    QColor tint = row == chosen_ ? theme_->palette().accent : theme_->palette().text;
    tint.setAlphaF(row == chosen_ ? 0.2F : 0.08F);
    painter.fillRect(line, tint);
  }
  if (row == chosen_) painter.fillRect(QRectF(0, line.top(), 3, line.height()), theme_->palette().accent);
  painter.setPen(theme_->palette().text);
  const QString& name = names_.shown[row];
  painter.drawText(
      QRectF(6, line.top(), layout_.names - 10, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(layout_.names - 10)));
  if (layout_.times > 0) {
    const MatrixCell* timed = timedCell(facts);
    const double ms = timed == nullptr ? 0 : timed->features_ms;
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(QRectF(layout_.names, line.top(), layout_.times - 8, line.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     ms > 0 ? numberText(*theme_, fixed(ms, ms < 10    ? 3
                                                            : ms < 100 ? 2
                                                                       : 1))
                            : QString(QChar(0x2013)));
  }
  for (int column = 0; column < static_cast<int>(facts.cells.size()); ++column)
    paintCell(painter, {row, column});
  paintFrames(painter, row);
}

namespace {

/// Draws the number, the mark and the confidence interval of a tie, because the number alone looks like that
/// of a slower t.
void paint_noisy_tie(QPainter& painter, const MatrixCell& cell, const Theme& theme, const QRectF& area,
                     const QColor& ink) {
  const QString number = numberText(theme, cell.relative_text()) + " \u2248 ";
  const QString interval = numberText(theme, fixed(cell.relative_low, 2)) + QChar(0x2013) +
                           numberText(theme, fixed(cell.relative_high, cell.relative_high < 10 ? 2 : 0));
  QFont small = painter.font();
  constexpr double share_of_size = 0.8;
  small.setPointSizeF(small.pointSizeF() * share_of_size);
  const double first = painter.fontMetrics().horizontalAdvance(number);
  const double second = QFontMetricsF(small).horizontalAdvance(interval);
  const double left = area.center().x() - ((first + second) / 2);
  painter.save();
  painter.setPen(ink);
  painter.drawText(QRectF(left, area.top(), first + 1, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   number);
  painter.setFont(small);
  painter.drawText(QRectF(left + first, area.top(), second + 1, area.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, interval);
  painter.restore();
}

}  // namespace

void MatrixChart::paintCell(QPainter& painter, const MatrixPlace& place) const {
  const MatrixCell& cell = cellAt(place);
  const QRectF area = rectOf(place).adjusted(gap, gap, -gap, -gap);
  const Palette& colours = theme_->palette();
  if (cell.state == CellState::infeasible) return paint_infeasible(painter, area, colours.faint_text);
  if (cell.state == CellState::not_measured) return paint_hatch(painter, area, colours.line);
  if (cell.state == CellState::modelled) {
    const double relative = cell.modelled_relative;
    const QString number = relative > 0 ? numberText(*theme_, relative, 'f', 2) : QString();
    return paint_modelled(painter, area, relative, number, colours);
  }
  if (cell.state == CellState::unusable) {
    paint_hatch(painter, area, colours.error);
    painter.setPen(colours.error);
    return painter.drawText(area, Qt::AlignCenter, QString(QChar(0x2715)));
  }
  if (!(cell.relative > 0)) return painter.fillRect(area, colours.line);
  const QColor colour = matrix_colour(cell.relative), ink = text_on(colour);
  painter.fillRect(area, colour);
  const QString number = numberText(*theme_, cell.relative_text());
  const double wide = painter.fontMetrics().horizontalAdvance(number);
  const double mark = size_of_mark(area);
  const bool has_mark = cell.verdict != SettingVerdict::none && cell.verdict != SettingVerdict::worse;
  const bool fits = wide + 6 <= area.width(), both = wide + mark + 10 <= area.width();
  if (cell.noisy_tie() && layout_.cell >= min_cell_for_interval)
    return paint_noisy_tie(painter, cell, *theme_, area, ink);
  if (has_mark) {
    const double x = both ? area.center().x() + (wide / 2) - (mark / 2) + 5 : area.center().x() - (mark / 2);
    paint_mark(painter, cell.verdict, QRectF(x, area.center().y() - (mark / 2), mark, mark), ink);
  }
  if (has_mark ? !both : !fits) return;
  painter.setPen(ink);
  painter.drawText(area.translated(-shift_of_number(wide, area), 0), Qt::AlignCenter, number);
}

namespace {

/// Draws a triangle at the left edge of a cell, which marks the setting in use.
void paint_in_use(QPainter& painter, const QRectF& cell, const QColor& ink) {
  constexpr double wide = 5, half = 4.5;
  const QPointF tip(cell.left() + 1 + wide, cell.center().y());
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink);
  painter.drawPolygon(QPolygonF{{tip, tip + QPointF(-wide, -half), tip + QPointF(-wide, half)}});
  painter.setBrush(Qt::NoBrush);
}

}  // namespace

/// Marks the setting in use, and draws frames around the picked setting and around the keyboard cursor.
void MatrixChart::paintFrames(QPainter& painter, int row) const {
  const MatrixRow& facts = matrix_->rows[static_cast<std::size_t>(row)];
  const auto at = static_cast<std::size_t>(row);
  int picked = at < picks_.size() ? column_of(facts, picks_[at]) : -1;
  const int used = at < in_use_.size() ? column_of(facts, in_use_[at]) : -1;
  const std::vector<int> dragged = wants_comparison_ ? std::vector<int>{} : draggedRows();
  if (std::find(dragged.begin(), dragged.end(), row) != dragged.end()) picked = pressed_->column;
  painter.setBrush(Qt::NoBrush);
  const auto frame = [&](int column, const QPen& pen, double inset) {
    painter.setPen(pen);
    painter.drawRect(rectOf({row, column}).adjusted(inset, inset, -inset, -inset));
  };
  if (used >= 0) {
    const MatrixCell& cell = facts.cells[static_cast<std::size_t>(used)];
    const bool filled = cell.state == CellState::measured && cell.relative > 0;
    paint_in_use(painter, rectOf({row, used}).adjusted(gap, gap, -gap, -gap),
                 filled ? text_on(matrix_colour(cell.relative)) : theme_->palette().text);
  }
  if (picked >= 0) {
    // Draw two frames, because a single colour would be invisible on dark or on light cells.
    frame(picked, QPen(theme_->palette().text, 2), 1);
    frame(picked, QPen(theme_->palette().panel, 1), 2.5);
  }
  if (row == current_.row && current_.column >= 0 && hasFocus())
    frame(current_.column, QPen(theme_->palette().accent, 2, Qt::DotLine), 3.5);
}

const MatrixCell* MatrixChart::timedCell(const MatrixRow& row) {
  const int column = row.best >= 0 ? row.best : row.current;
  return column < 0 ? nullptr : &row.cells[static_cast<std::size_t>(column)];
}

QString MatrixChart::contentsText() const {
  return origin_.with_order ? tr("features and row order") : tr("features");
}

QString MatrixChart::timesText() const {
  return origin_.with_order ? tr("best, ms: features, row order, no map") : tr("best, ms: features, no map");
}

QString MatrixChart::sourceText() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (const MatrixRow& row : matrix_->rows) {
    const MatrixCell* cell = timedCell(row);
    if (cell == nullptr || cell->n == 0) continue;
    least = std::min(least, cell->n);
    most = std::max(most, cell->n);
  }
  if (most == 0) return origin_.source;
  return least == most ? tr("%1, n = %2").arg(origin_.source).arg(most)
                       : tr("%1, n = %2 to %3").arg(origin_.source).arg(least).arg(most);
}

QString MatrixChart::infeasibleText() const {
  bool strided = false, transposed = false, other_reason = false;
  for (const MatrixRow& row : matrix_->rows) {
    if (std::none_of(row.cells.begin(), row.cells.end(),
                     [](const MatrixCell& cell) { return cell.state == CellState::infeasible; }))
      continue;
    const bool other_stride = row.shape.stride_in != row.shape.stride_out;
    transposed = transposed || row.shape.transposed;
    strided = strided || (other_stride && !row.shape.transposed);
    other_reason = other_reason || (!other_stride && !row.shape.transposed);
  }
  QStringList reasons;
  if (strided) reasons += tr("strided layers run t = 0 or t = max");
  if (transposed) reasons += tr("transposed layers run t = 0");
  if (other_reason) reasons += reasons.isEmpty() ? tr("see tooltip") : tr("others: see tooltip");
  return tr("not possible: %1").arg(reasons.join("; "));
}

std::vector<MatrixChart::Entry> MatrixChart::shownEntries() const {
  if (!hasContent()) return {};
  std::vector<Entry> entries{{EntryKind::scale, {}}};
  bool only = false, shared = false, noisy = false;
  double model_error = 0, refused_error = 0;
  std::array<bool, 5> states{};
  for (std::size_t row = 0; row < matrix_->rows.size(); ++row) {
    shared = shared || matrix_->rows[row].layers_of_shape > 1;
    for (const MatrixCell& cell : matrix_->rows[row].cells) {
      states.at(static_cast<std::size_t>(cell.state)) = true;
      if (cell.model >= 0 && cell.n == 0) {
        const ModelCheck& model = matrix_->models.at(static_cast<std::size_t>(cell.model));
        double& error = model.shown ? model_error : refused_error;
        error = std::max(error, model.median_error);
      }
      only = only || (cell.state == CellState::measured && !(cell.relative > 0));
      noisy = noisy || cell.noisy_tie();
    }
  }
  const auto has = [&states](CellState one) { return states.at(static_cast<std::size_t>(one)); };
  // These legend entries are always shown, so that the user also learns which marks are absent.
  entries.push_back({EntryKind::best, tr("best")});
  entries.push_back({EntryKind::tied, tr("tied with best")});
  entries.push_back({EntryKind::undecided, tr("undecided (< %1 samples)").arg(fewest_samples_for_verdict)});
  if (noisy)
    entries.push_back({EntryKind::note, layout_.cell >= min_cell_for_interval
                                            ? tr("small numbers: 95 % interval")
                                            : tr("\u2248 above 1.05: samples vary")});
  entries.push_back({EntryKind::note, tr("no mark: slower than best")});
  if (shared) entries.push_back({EntryKind::note, tr("same shape: same times")});
  entries.push_back({EntryKind::pick, tr("picked")});
  entries.push_back({EntryKind::in_use, tr("in use")});
  entries.push_back({EntryKind::measured, tr("measured")});
  entries.push_back(
      {EntryKind::modelled, has(CellState::modelled)
                                ? tr("modelled, error %1").arg(onScreen(percent_text(model_error)))
                                : tr("modelled")});
  if (has(CellState::not_measured))
    entries.push_back(
        {EntryKind::not_measured,
         refused_error > model_error_limit
             ? tr("not measured (error of the model: %1)").arg(onScreen(percent_text(refused_error)))
             : tr("not measured")});
  if (has(CellState::infeasible)) entries.push_back({EntryKind::infeasible, infeasibleText()});
  if (has(CellState::unusable)) entries.push_back({EntryKind::unusable, tr("output differs")});
  if (only) entries.push_back({EntryKind::only, tr("no other setting")});
  // A low chart cuts the last entries, so they must not be needed to read the cells.
  if (layout_.times > 0) {
    entries.push_back({EntryKind::note, timesText()});
    entries.push_back({EntryKind::note, sourceText()});
  }
  entries.push_back({EntryKind::note, tr("L1 < t: output-stationary")});
  entries.push_back({EntryKind::note, tr("L1 \u2265 t: weight-stationary")});
  return entries;
}

std::vector<QRectF> MatrixChart::entryAreas(const std::vector<Entry>& entries, double width) const {
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

double MatrixChart::legendHeight(double width) const {
  double bottom = 0;
  for (const QRectF& area : entryAreas(shownEntries(), width))
    bottom = std::max(bottom, area.bottom());
  return bottom;
}

void MatrixChart::paintLegend(QPainter& painter) const {
  const std::vector<Entry> entries = shownEntries();
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

double MatrixChart::scaleWidth() const {
  return std::max<double>(min_scale_width, fontMetrics().horizontalAdvance(tr("with map / best (log)")));
}

/// Draws the title of the colour scale and, below it, the scale with its numbers.
void MatrixChart::paintScale(QPainter& painter, const QRectF& area) const {
  const double line = area.height() / 2;
  painter.setPen(theme_->palette().text);
  painter.drawText(QRectF(area.left(), area.top(), scaleWidth(), line), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("with map / best (log)"));
  constexpr double tick_height = 3;
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

void MatrixChart::paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const {
  const Palette& colours = theme_->palette();
  if (kind == EntryKind::scale) return paintScale(painter, area);
  const QRectF icon(area.left() + 1, area.top() + 2, entry_icon - 2, area.height() - 4);
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
      painter.setPen(QPen(colours.text, 2));
      return painter.drawRect(icon);
    case EntryKind::in_use:
      return paint_in_use(painter, icon, colours.text);
    case EntryKind::measured:
      return painter.fillRect(icon, matrix_colour(1.0));
    case EntryKind::modelled:
      return paint_modelled(painter, icon, 1.0, {}, colours);
    case EntryKind::not_measured:
      return paint_hatch(painter, icon, colours.line);
    case EntryKind::infeasible:
      return paint_infeasible(painter, icon, colours.faint_text);
    case EntryKind::unusable:
      return paint_hatch(painter, icon, colours.error);
    case EntryKind::only:
      return painter.fillRect(icon, colours.line);
    case EntryKind::note:
    case EntryKind::scale:
      break;
  }
}

}  // namespace spira::ui

#include "ui/charts/matrix_chart.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace spira::ui {
namespace {

constexpr double min_cell_for_interval = 110;

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
    const QRectF at = area.translated(-number_shift(wide, area), 0);
    // Fill the area behind the number, because the coloured lines would make the number hard to read.
    painter.fillRect(QRectF(at.center().x() - (plate / 2), at.top() + 1, plate, at.height() - 2),
                     colours.panel);
    painter.setPen(colours.text);
    painter.drawText(at, Qt::AlignCenter, number);
  }
  painter.restore();
}

}  // namespace

QString changeText(double ms, double before_ms) {
  constexpr double shown = 0.0005;  // A smaller change is shown as 0.0 %, without a sign.
  double share = before_ms > 0 ? (ms / before_ms) - 1 : 0;
  if (std::abs(share) < shown) share = 0;
  return (share > 0 ? "+" : "") + onScreen(percent_text(share));
}

std::vector<int> undecided_rows(const SettingMatrix& matrix) {
  std::vector<int> rows;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    if (matrix.rows[row].undecided) rows.push_back(static_cast<int>(row));
  }
  return rows;
}

QString matrixCostText() {
  return MatrixChart::tr(
      "A cell shows the cost of a layer with one setting: the time of its features, and of the kernel map "
      "unless another layer builds the same map. Layers of the same shape are added up. The total counts a "
      "shared map only once, so it is not the sum of the cells.");
}

int column_of(const MatrixRow& row, const LayerSetting& setting) noexcept {
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    if (row.cells[at].state != CellState::infeasible && row.cells[at].setting.dataflow() == setting)
      return static_cast<int>(at);
  }
  return -1;
}

MatrixChart::MatrixChart(Theme* theme, QWidget* parent)
    : HeatMap(theme, tr("Matrix of layers and settings"), parent) {}

void MatrixChart::setMatrix(std::shared_ptr<const SettingMatrix> matrix, MatrixOrigin origin) {
  const bool other = !matrix || !matrix_ || matrix->rows.size() != matrix_->rows.size() ||
                     matrix->columns.size() != matrix_->columns.size();
  matrix_ = std::move(matrix);
  origin_ = std::move(origin);
  nameRows();
  orderRows();
  if (other) pressed_.reset();
  rowsChanged(!other);
}

/// Shows the measured rows of an incomplete matrix first, the largest possible gain at the top. The rows keep
/// their places while the tuner runs.
void MatrixChart::orderRows() {
  std::vector<int> rows;
  const auto measured = [](const MatrixRow& row) { return row.measured; };
  const bool complete = !matrix_ || !origin_.final ||
                        std::all_of(matrix_->rows.begin(), matrix_->rows.end(), measured) ||
                        std::none_of(matrix_->rows.begin(), matrix_->rows.end(), measured);
  ordered_ = !complete;
  if (complete) return setRowOrder({});
  for (int row = 0; row < rowCount(); ++row)
    rows.push_back(row);
  const auto gain_ms = [](const MatrixRow& row) {
    if (row.current < 0 || row.best < 0) return 0.0;
    const auto cost = [&row](int column) { return row.cells[static_cast<std::size_t>(column)].cost_ms; };
    return std::max(0.0, cost(row.current) - cost(row.best));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
    const MatrixRow &first = matrix_->rows[static_cast<std::size_t>(a)],
                    &second = matrix_->rows[static_cast<std::size_t>(b)];
    return first.measured != second.measured ? first.measured : gain_ms(first) > gain_ms(second);
  });
  setRowOrder(std::move(rows));
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
  setChosenRow(layer);
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
                    tr("State"), tr("Chosen"), tr("Modelled, ms"), tr("Modelled, relative")},
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

MeasuredSubject MatrixChart::subjectOf(int row) const {
  MeasuredSubject subject;
  const MatrixPlace at = hasContent() && row >= 0 ? placeOf(row) : MatrixPlace{};
  if (at.row < 0 || !cellAt(at).setting.dataflow().is_threshold()) return subject;
  subject.kind = MeasuredSubject::Kind::threshold;
  subject.layer = at.row;
  subject.threshold = cellAt(at).setting.threshold;
  return subject;
}

std::unique_ptr<Chart> MatrixChart::twin(Theme* theme) const {
  auto other = std::make_unique<MatrixChart>(theme);
  other->setMatrix(matrix_, origin_);
  other->setPicks(picks_, in_use_);
  return other;
}

/// Returns the rows from the pressed row to the row under the pointer. Omits rows whose layer cannot run the
/// setting.
std::vector<int> MatrixChart::draggedRows() const {
  std::vector<int> rows;
  if (!pressed_) return rows;
  const int pressed = positionOf(pressed_->row);
  const auto [first, last] = std::minmax(pressed, dragged_to_);
  for (int position = first; position <= last; ++position) {
    const int row = rowAtPosition(position);
    if (canPick({row, pressed_->column})) rows.push_back(row);
  }
  return rows;
}

void MatrixChart::mousePressEvent(QMouseEvent* event) {
  HeatMap::mousePressEvent(event);
  const MatrixPlace at = placeAt(event->position());
  if (event->button() != Qt::LeftButton || at.row < 0 || at.column < 0) return;
  if (!canPick(at)) return QToolTip::showText(event->globalPosition().toPoint(), tipOf(at), this);
  pressed_ = at;
  dragged_to_ = positionOf(at.row);
  wants_comparison_ = (event->modifiers() & Qt::ShiftModifier) != 0;
  update();
}

void MatrixChart::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) return HeatMap::mouseMoveEvent(event);
  // Scroll if the user drags beyond the visible rows.
  dragged_to_ = std::clamp(positionAtHeight(event->position().y()), 0, rowCount() - 1);
  scrollTo(rowAtPosition(dragged_to_));
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

void MatrixChart::activate(const MatrixPlace& place, bool shift) {
  if (!canPick(place)) return;
  shift ? emit compareRequested(place.row, place.column) : emit picked({place.row}, place.column);
}

void MatrixChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape || !pressed_) return HeatMap::keyPressEvent(event);
  pressed_.reset();
  update();
}

bool MatrixChart::event(QEvent* event) {
  // The window uses Escape as a shortcut. While the user drags, this key cancels the drag.
  if (event->type() == QEvent::ShortcutOverride && pressed_ &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return HeatMap::event(event);
}

QString MatrixChart::entryTip(EntryKind kind) const {
  switch (kind) {
    case EntryKind::scale:
    case EntryKind::note:
      return matrixCostText();
    case EntryKind::best:
    case EntryKind::tied:
    case EntryKind::pick:
      return tr(
          "The star marks the setting with the smallest cost for this layer alone. The frame marks the "
          "chosen setting. The tuner chooses the settings of all layers that share a map together. If "
          "settings are tied, it chooses the simplest one: fewer maps first, then t = max, then t = 0. "
          "Therefore the frame and the star can be in different cells.");
    case EntryKind::undecided:
      return tr("A verdict needs at least %1 samples. Tune with a longer time limit to get more samples of "
                "these layers.")
          .arg(fewest_samples_for_verdict);
    case EntryKind::infeasible:
      return infeasibleText();
    default:
      return {};
  }
}

QString MatrixChart::tipOf(const MatrixPlace& place) const {
  if (!hasContent() || place.row < 0) return {};
  const MatrixRow& row = matrix_->rows.at(static_cast<std::size_t>(place.row));
  const auto level = [this](int number) { return level_text(matrix_->levels, number); };
  const QString layer = tr("%1, %2, %3, %4 input and %5 output channels")
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
             ? tr("Modelled, not measured: the features of one layer take %1").arg(time)
         : row.best >= 0
             ? tr("Modelled, not measured: the features of one layer take %1, which is %2 the time of the "
                  "best measured setting")
                   .arg(time, share)
             : tr("Modelled, not measured: the features of one layer take %1, which is %2 the time measured "
                  "in the run")
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
  if (picked != nullptr) parts += part(tr("chosen"), *picked);
  parts += part(tr("best"), best);
  return parts.join("; ");
}

QString MatrixChart::modelText(const MatrixCell& cell) const {
  if (cell.model < 0) return {};
  const ModelCheck& model = matrix_->models.at(static_cast<std::size_t>(cell.model));
  if (model.cells == 0) return tr("No modelled time, because no time has been measured to check the model.");
  const QString error = tr("median error %1 in %2")
                            .arg(onScreen(percent_text(model.median_error)),
                                 counted(model.cells, tr("1 measured cell"), tr("%1 measured cells")));
  if (!model.shown) return tr("No modelled time, because the model is too inaccurate: %1.").arg(error);
  return tr("Model %1: %2, largest error %3.")
      .arg(QString::fromStdString(model.basis), error, onScreen(percent_text(model.largest_error)));
}

QString MatrixChart::measuredText(const MatrixRow& row, const MatrixCell& cell) const {
  const QString contents = row.with_map ? tr("time of map and features of this layer")
                                        : tr("time of the %1 of one layer").arg(contentsText());
  QString text =
      tr("%1 (%2): median %3, IQR %4, n = %5")
          .arg(contents, origin_.source, onScreen(ms_text(cell.median_ms)), onScreen(ms_text(cell.iqr_ms)))
          .arg(cell.n);
  if (cell.state == CellState::unusable)
    return text + "\n" +
           tr("The output differs from the output with t = max, so this setting cannot be chosen.");
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
      return text + "\n" + tr("Best: the smallest cost for this layer.");
    case SettingVerdict::tied:
      return text + "\n" +
             (cell.noisy_tie() ? tr("Undecided: the median of this setting is larger, but the samples vary "
                                    "too much to show that the setting is slower")
                               : tr("Tied: not statistically distinguishable from the best setting")) +
             (cell.relative_high > 0
                  ? tr(" (95 % interval: %1 to %2)")
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
         (cell.cost_ms > 0 ? tr("No other setting of this layer was measured.")
                           : tr("The cost is unknown, because the map was not measured."));
}

int MatrixChart::rowCount() const {
  return matrix_ ? static_cast<int>(matrix_->rows.size()) : 0;
}

const std::vector<MatrixSetting>& MatrixChart::settings() const {
  return matrix_->columns;
}

CellState MatrixChart::stateOf(const MatrixPlace& place) const {
  return cellAt(place).state;
}

HeatMap::Widths MatrixChart::widthsIn(double space) {
  constexpr double comfortable_cell = 46;
  Widths widths{0, 0, comfortable_cell, static_cast<double>(fontMetrics().horizontalAdvance(timesText()))};
  const double times = fontMetrics().horizontalAdvance(tr("features, ms")) + 14.0;
  if (space - times >= static_cast<double>(matrix_->columns.size()) * comfortable_cell) widths.before = times;
  return widths;
}

void MatrixChart::paintSideHeads(QPainter& painter) const {
  if (layout().before > 0)
    painter.drawText(QRectF(layout().names, layout().head - layout().row, layout().before - 8, layout().row),
                     Qt::AlignRight | Qt::AlignVCenter, tr("features, ms"));
}

QString MatrixChart::headTip(double x) const {
  if (!hasContent() || x < layout().names || x >= layout().cells.left()) return HeatMap::headTip(x);
  return tr("Median time of the layer with its best setting: %2, without the map (%1). The layer list and "
            "the Density tab "
            "show times of the last run, with the current t. In the layer list, the times include the map.")
      .arg(sourceText(), contentsText());
}

void MatrixChart::paintSides(QPainter& painter, int row, const QRectF& line) const {
  if (layout().before <= 0) return;
  const MatrixCell* timed = timedCell(matrix_->rows[static_cast<std::size_t>(row)]);
  const double ms = timed == nullptr ? 0 : timed->features_ms;
  painter.setPen(theme_->palette().faint_text);
  painter.drawText(QRectF(layout().names, line.top(), layout().before - 8, line.height()),
                   Qt::AlignRight | Qt::AlignVCenter,
                   ms > 0 ? numberText(*theme_, fixed(ms, ms < 10    ? 3
                                                          : ms < 100 ? 2
                                                                     : 1))
                          : QString(QChar(0x2013)));
}

namespace {

/// Draws the number, the mark and the confidence interval of a setting that looks slower, but is not proven
/// to be.
void paint_noisy_tie(QPainter& painter, const MatrixCell& cell, const Theme& theme, const QRectF& area,
                     const QColor& ink) {
  const QString number = numberText(theme, cell.relative_text()) + " ? ";
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

void MatrixChart::paintTimes(QPainter& painter, const MatrixPlace& place, const QRectF& area) const {
  const MatrixCell& cell = cellAt(place);
  if (cell.state == CellState::modelled) {
    const double relative = cell.modelled_relative;
    return paint_modelled(painter, area, relative,
                          relative > 0 ? numberText(*theme_, relative, 'f', 2) : QString(),
                          theme_->palette());
  }
  if (!(cell.relative > 0)) return painter.fillRect(area, theme_->palette().line);
  if (cell.noisy_tie() && layout().cell >= min_cell_for_interval) {
    const QColor colour = matrix_colour(cell.relative);
    painter.fillRect(area, colour);
    return paint_noisy_tie(painter, cell, *theme_, area, text_on(colour));
  }
  paintNumber(painter, area, cell.relative, numberText(*theme_, cell.relative_text()),
              cell.noisy_tie() ? SettingVerdict::undecided : cell.verdict);
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
void MatrixChart::paintMarks(QPainter& painter, int row) const {
  const MatrixRow& facts = matrix_->rows[static_cast<std::size_t>(row)];
  const auto at = static_cast<std::size_t>(row);
  int picked = at < picks_.size() ? column_of(facts, picks_[at]) : -1;
  const int used = at < in_use_.size() ? column_of(facts, in_use_[at]) : -1;
  const std::vector<int> dragged = wants_comparison_ ? std::vector<int>{} : draggedRows();
  if (std::find(dragged.begin(), dragged.end(), row) != dragged.end()) picked = pressed_->column;
  if (used >= 0) {
    const MatrixCell& cell = facts.cells[static_cast<std::size_t>(used)];
    const bool filled = cell.state == CellState::measured && cell.relative > 0;
    paint_in_use(painter, filledRectOf({row, used}),
                 filled ? text_on(matrix_colour(cell.relative)) : theme_->palette().text);
  }
  if (picked >= 0) paintPickFrame(painter, {row, picked}, false);
  paintCursor(painter, row);
}

const MatrixCell* MatrixChart::timedCell(const MatrixRow& row) {
  const int column = row.best >= 0 ? row.best : row.current;
  return column < 0 ? nullptr : &row.cells[static_cast<std::size_t>(column)];
}

QString MatrixChart::contentsText() const {
  return origin_.with_order ? tr("features and row order") : tr("features");
}

QString MatrixChart::timesText() const {
  return origin_.with_order ? tr("ms: best setting with row order, without map")
                            : tr("ms: best setting, without map");
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
  if (strided) reasons += tr("strided layers: only t = 0 or t = max");
  if (transposed) reasons += tr("transposed layers: only t = 0");
  if (other_reason) reasons += reasons.isEmpty() ? tr("see tooltip") : tr("others: see tooltip");
  return reasons.join("; ");
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
  entries.push_back({EntryKind::best, tr("best for this layer alone")});
  entries.push_back({EntryKind::tied, tr("tied with best")});
  entries.push_back(
      {EntryKind::undecided, (noisy ? tr("undecided (noisy or n < %1)") : tr("undecided (< %1 samples)"))
                                 .arg(fewest_samples_for_verdict)});
  if (noisy && layout().cell >= min_cell_for_interval)
    entries.push_back({EntryKind::note, tr("small numbers: 95 % interval")});
  entries.push_back({EntryKind::note, tr("no mark: slower than best")});
  entries.push_back({EntryKind::pick, origin_.tuned ? tr("chosen (if tied: the simplest)") : tr("chosen")});
  entries.push_back({EntryKind::in_use, tr("in use")});
  const bool modelled = has(CellState::modelled);
  entries.push_back({EntryKind::measured, tr("measured"), !modelled});
  entries.push_back(
      {EntryKind::modelled,
       modelled ? tr("modelled (error: %1)").arg(onScreen(percent_text(model_error))) : tr("modelled"),
       !modelled});
  if (has(CellState::not_measured))
    entries.push_back({EntryKind::not_measured,
                       refused_error > model_error_limit
                           ? tr("not measured (model error: %1)").arg(onScreen(percent_text(refused_error)))
                           : tr("not measured")});
  if (has(CellState::infeasible)) entries.push_back({EntryKind::infeasible, tr("not possible")});
  if (has(CellState::unusable)) entries.push_back({EntryKind::unusable, tr("output differs")});
  if (only) entries.push_back({EntryKind::only, tr("no other setting")});
  if (ordered_) entries.push_back({EntryKind::note, tr("order: measured layers, then largest gain")});
  // A low chart omits these entries, so they must not be needed to read the cells.
  const auto note = [&entries](const QString& text) { entries.push_back({EntryKind::note, text, true}); };
  if (layout().before > 0) {
    note(timesText());
    note(sourceText());
  }
  if (has(CellState::infeasible)) note(infeasibleText());
  if (shared) note(tr("layers of the same shape share their times"));
  note(tr("total: a shared map counts once"));
  note(tr("L1 < t: output-stationary"));
  note(tr("L1 \u2265 t: weight-stationary"));
  return entries;
}

void MatrixChart::paintEntry(QPainter& painter, EntryKind kind, const QRectF& area) const {
  const Palette& colours = theme_->palette();
  if (kind == EntryKind::in_use) return paint_in_use(painter, entryIcon(area), colours.text);
  if (kind == EntryKind::modelled) return paint_modelled(painter, entryIcon(area), 1.0, {}, colours);
  HeatMap::paintEntry(painter, kind, area);
}

}  // namespace spira::ui

#include "ui/charts/group_chart.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QMouseEvent>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

constexpr double comfortable_time = 56, space_for_mark = 14, between_columns = 8;

/// Returns a time without its unit, with three significant digits.
std::string short_ms(double ms) {
  constexpr double one = 1, ten = 10, hundred = 100;
  const double size = std::abs(ms);
  return fixed(ms, size < one ? 3 : size < ten ? 2 : size < hundred ? 1 : 0);
}

/// Returns the first and the second line of the heading of a binding, such as "forward" and "= dgrad".
std::pair<QString, QString> heading_of(Binding binding) {
  switch (binding) {
    case Binding::all_alike:
      return {GroupChart::tr("passes"), GroupChart::tr("alike")};
    case Binding::forward_dgrad:
      return {GroupChart::tr("forward"), GroupChart::tr("= dgrad")};
    case Binding::dgrad_wgrad:
      return {GroupChart::tr("dgrad"), GroupChart::tr("= wgrad")};
    case Binding::free:
      break;
  }
  return {GroupChart::tr("passes"), GroupChart::tr("free")};
}

QString explanation_of(Binding binding) {
  switch (binding) {
    case Binding::all_alike:
      return GroupChart::tr(
          "All passes of a layer have the same setting. Layers can have different settings.");
    case Binding::forward_dgrad:
      return GroupChart::tr(
          "The forward pass and dgrad of a layer have the same setting. wgrad can have another setting.");
    case Binding::dgrad_wgrad:
      return GroupChart::tr(
          "dgrad and wgrad of a layer have the same setting. The forward pass can have another setting.");
    case Binding::free:
      break;
  }
  return GroupChart::tr("Each pass of a layer (forward, dgrad, wgrad) can have a different setting.");
}

/// Returns how many decimals the differences of a table have. It depends on the largest time of a group.
int decimals_of_extras(const GroupTable& table) {
  constexpr double long_ms = 10;
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const GroupRow& row) { return row.choice_ms.value_or(0) >= long_ms; })
             ? 2
             : 3;
}

/// Returns a text such as "+0.04" or "-1.05". Returns "0" if both times have the same samples.
QString extra_number(const std::optional<ExtraTime>& extra, const GroupTable& table, const Theme& theme) {
  if (!extra) return QChar(0x2013);
  if (extra->verdict == SettingVerdict::none) return "0";
  const std::string number = fixed(extra->ms, decimals_of_extras(table));
  // A small negative time is rounded to "-0.00".
  if (number.find_first_of("123456789") == std::string::npos) return "0";
  return (extra->ms < 0 ? "" : "+") + numberText(theme, number);
}

bool has_mark(const std::optional<ExtraTime>& extra) {
  return extra && (extra->verdict == SettingVerdict::tied || extra->verdict == SettingVerdict::undecided);
}

QString mark_text(SettingVerdict verdict) {
  return verdict == SettingVerdict::tied ? QString(QChar(0x2248)) : "?";
}

/// Returns a sentence such as "one dataflow for the group: 0.04 ms slower than the chosen settings".
QString extra_tip(const QString& what, const ExtraTime& extra) {
  const QString ms = onScreen(ms_text(std::abs(extra.ms)));
  switch (extra.verdict) {
    case SettingVerdict::none:
      return GroupChart::tr("%1: identical to the chosen settings").arg(what);
    case SettingVerdict::tied:
      return (extra.ms < 0 ? GroupChart::tr("%1: %2 faster than the chosen settings; the difference is not "
                                            "distinguishable from zero")
                           : GroupChart::tr("%1: %2 slower than the chosen settings; the difference is not "
                                            "distinguishable from zero"))
          .arg(what, ms);
    case SettingVerdict::undecided:
      return (extra.ms < 0
                  ? GroupChart::tr("%1: %2 faster than the chosen settings; too few samples for a verdict")
                  : GroupChart::tr("%1: %2 slower than the chosen settings; too few samples for a verdict"))
          .arg(what, ms);
    case SettingVerdict::best:
    case SettingVerdict::worse:
      break;
  }
  return (extra.ms < 0 ? GroupChart::tr("%1: %2 faster than the chosen settings")
                       : GroupChart::tr("%1: %2 slower than the chosen settings"))
      .arg(what, ms);
}

QString verdict_tip(SettingVerdict verdict) {
  switch (verdict) {
    case SettingVerdict::best:
      return GroupChart::tr("Best: the smallest time in this group");
    case SettingVerdict::tied:
      return GroupChart::tr("Tied: not statistically distinguishable from the best setting");
    case SettingVerdict::undecided:
      return GroupChart::tr("Undecided: too few samples for a verdict");
    case SettingVerdict::worse:
      return GroupChart::tr("Significantly slower than the best setting");
    case SettingVerdict::none:
      break;
  }
  return GroupChart::tr("No other setting of this group was measured");
}

/// Returns the time of a cell divided by the smallest time of its row.
double relative_of(const GroupRow& row, const GroupCell& cell) {
  return row.best < 0 ? 0 : cell.ms / row.cells[static_cast<std::size_t>(row.best)].ms;
}

}  // namespace

GroupChart::GroupChart(Theme* theme, QWidget* parent)
    : HeatMap(theme, tr("Groups of layers and settings"), parent) {}

void GroupChart::setTable(std::shared_ptr<const GroupTable> table, QStringList layers, QString subject) {
  const bool kept = table && table_ && table->rows.size() == table_->rows.size() &&
                    table->columns.size() == table_->columns.size();
  table_ = std::move(table);
  names_.layers = std::move(layers);
  names_.brief = shortLayerNames(names_.layers);
  subject_ = std::move(subject);
  rowsChanged(kept);
}

void GroupChart::setFullNames(bool full) {
  if (full == names_.full) return;
  names_.full = full;
  place();
  contentChanged();
}

void GroupChart::setChosenLayer(int layer) {
  int chosen = -1;
  for (int row = 0; row < rowCount(); ++row) {
    const std::vector<int> layers = layersOf(row);
    if (std::find(layers.begin(), layers.end(), layer) != layers.end()) chosen = row;
  }
  setChosenRow(chosen);
}

int GroupChart::rowCount() const {
  return table_ ? static_cast<int>(table_->rows.size()) : 0;
}

const GroupRow& GroupChart::rowOf(int row) const {
  return table_->rows.at(static_cast<std::size_t>(row));
}

const GroupCell& GroupChart::cellAt(const MatrixPlace& place) const {
  return rowOf(place.row).cells.at(static_cast<std::size_t>(place.column));
}

std::vector<int> GroupChart::layersOf(int row) const {
  std::vector<int> layers;
  for (const std::string& name : rowOf(row).layers)
    layers.push_back(static_cast<int>(names_.layers.indexOf(QString::fromStdString(name))));
  return layers;
}

QString GroupChart::shownName(const std::string& layer) const {
  const QString full = QString::fromStdString(layer);
  const auto index = names_.layers.indexOf(full);
  // Paper has no tooltips for the full names.
  return theme_->paper() || names_.full || index < 0 ? full : names_.brief[index];
}

QString GroupChart::nameOf(int row) const {
  const MapKey& map = rowOf(row).map;
  const auto level = [this](int number) {
    return QString::fromStdString(level_text(table_->levels, number));
  };
  return QString("%1  %2").arg(QString::fromStdString(cells_text(map.kernel.size)),
                               map.stride_in == map.stride_out
                                   ? level(map.stride_in)
                                   : level(map.stride_in) + QChar(0x2192) + level(map.stride_out));
}

QString GroupChart::mapText(int row) const {
  const MapKey& map = rowOf(row).map;
  return tr("%1, %2").arg(
      QString::fromStdString(cells_text(map.kernel.size)),
      strideText(level_text(table_->levels, map.stride_in), level_text(table_->levels, map.stride_out)));
}

QString GroupChart::layersText(int row) const {
  const GroupRow& facts = rowOf(row);
  const auto all = std::ssize(facts.layers), missing = std::ssize(facts.missing);
  if (missing > 0 && missing < all) return tr("%1 of %2 layers").arg(all - missing).arg(all);
  const QString first = shownName(facts.layers.front());
  return all == 1 ? first : tr("%1 and %2 more").arg(first).arg(all - 1);
}

int GroupChart::pickedOf(int row) const {
  const auto& cells = rowOf(row).cells;
  return std::accumulate(cells.begin(), cells.end(), 0,
                         [](int sum, const GroupCell& cell) { return sum + cell.picked; });
}

std::vector<std::optional<ExtraTime>> GroupChart::extrasOf(int row) const {
  const GroupRow& facts = rowOf(row);
  std::vector<std::optional<ExtraTime>> extras{facts.one_dataflow};
  if (table_->training) extras.insert(extras.end(), facts.bindings.begin(), facts.bindings.end());
  return extras;
}

QStringList GroupChart::textsAfter(int row) const {
  const GroupRow& facts = rowOf(row);
  QStringList texts{facts.choice_ms ? numberText(*theme_, short_ms(*facts.choice_ms))
                                    : QString(QChar(0x2013))};
  for (const auto& extra : extrasOf(row))
    texts += extra_number(extra, *table_, *theme_) + (has_mark(extra) ? " " + mark_text(extra->verdict) : "");
  return texts;
}

ChartText GroupChart::text() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (int row = 0; row < rowCount(); ++row) {
    for (const GroupCell& cell : rowOf(row).cells) {
      if (cell.n == 0) continue;
      least = std::min(least, cell.n);
      most = std::max(most, cell.n);
    }
  }
  return {subject_.isEmpty() ? tr("Settings of each group of layers")
                             : tr("Settings of each group of layers, %1").arg(subject_),
          tr("ms, all layers that share the map"), tr("medians"),
          most == 0       ? QString()
          : least == most ? tr("n = %1 each").arg(most)
                          : tr("n = %1 to %2").arg(least).arg(most)};
}

ChartTable GroupChart::table() const {
  ChartTable table{
      {tr("Map"), tr("Layers"), tr("Setting"), tr("Median, ms"), tr("Relative"), tr("Verdict"), tr("n"),
       tr("State"), tr("Layers with this setting"), tr("Chosen, ms"), tr("One dataflow: difference, ms")},
      {}};
  if (!hasContent()) return table;
  for (const Binding binding : all_bindings) {
    if (table_->training) table.header += tr("%1: difference, ms").arg(QString::fromUtf8(text_of(binding)));
  }
  for (int row = 0; row < rowCount(); ++row) {
    const GroupRow& facts = rowOf(row);
    QStringList layers;
    for (const std::string& name : facts.layers)
      layers += QString::fromStdString(name);
    for (std::size_t column = 0; column < facts.cells.size(); ++column) {
      const GroupCell& cell = facts.cells[column];
      if (cell.state == CellState::infeasible) continue;
      const bool known = cell.state == CellState::measured;
      QVariantList line{mapText(row),
                        layers.join(' '),
                        QString::fromStdString(table_->columns[column].text()),
                        known ? QVariant(cell.ms) : QVariant(),
                        known ? QVariant(relative_of(facts, cell)) : QVariant(),
                        QString::fromUtf8(text_of(cell.verdict)),
                        QVariant::fromValue<qlonglong>(cell.n),
                        QString::fromUtf8(text_of(cell.state)),
                        cell.picked,
                        facts.choice_ms ? QVariant(*facts.choice_ms) : QVariant()};
      for (const auto& extra : extrasOf(row))
        line.push_back(extra ? QVariant(extra->ms) : QVariant());
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

MeasuredSubject GroupChart::subjectOf(int) const {
  return {};
}

std::unique_ptr<Chart> GroupChart::twin(Theme* theme) const {
  auto other = std::make_unique<GroupChart>(theme);
  other->setTable(table_, names_.layers, subject_);
  return other;
}

void GroupChart::placeSides() {
  sides_ = {{{},
             tr("chosen"),
             tr("Time of the group with the chosen settings, in ms. Layers can have different settings."),
             0},
            {tr("one"), tr("dataflow"),
             tr("Time of the group if all its layers use the best common dataflow, minus the time with the "
                "chosen settings, in ms."),
             0}};
  for (const Binding binding : all_bindings) {
    if (!table_->training) break;
    const auto [above, heading] = heading_of(binding);
    sides_.push_back(
        {above, heading,
         explanation_of(binding) + "\n" + tr("Difference from the time with the chosen settings, in ms."),
         0});
  }
  const QFontMetrics metrics = fontMetrics();
  for (std::size_t at = 0; at < sides_.size(); ++at) {
    double widest =
        std::max(metrics.horizontalAdvance(sides_[at].above), metrics.horizontalAdvance(sides_[at].heading));
    for (int row = 0; row < rowCount(); ++row) {
      const GroupRow& facts = rowOf(row);
      const double wide =
          at == 0 ? metrics.horizontalAdvance(
                        facts.choice_ms ? numberText(*theme_, short_ms(*facts.choice_ms)) : QString())
                  : metrics.horizontalAdvance(extra_number(extrasOf(row)[at - 1], *table_, *theme_)) +
                        space_for_mark;
      widest = std::max(widest, wide);
    }
    sides_[at].width = widest + between_columns;
  }
}

HeatMap::Widths GroupChart::widthsIn(double space) {
  placeSides();
  Widths widths{0, 6, comfortable_time, 0};
  for (const SideColumn& column : sides_)
    widths.after += column.width;
  // In a narrow chart, the cells need the space of the bindings. The tooltips and the table show them too.
  constexpr double min_cell = 30;
  constexpr std::size_t always_shown = 2;
  const auto count = static_cast<double>(table_->columns.size());
  while (sides_.size() > always_shown && space - widths.after < count * min_cell) {
    widths.after -= sides_.back().width;
    sides_.pop_back();
  }
  double layers = fontMetrics().horizontalAdvance(tr("Layers"));
  for (int row = 0; row < rowCount(); ++row)
    layers = std::max<double>(layers, fontMetrics().horizontalAdvance(layersText(row)));
  layers += 2 * between_columns;
  if (space - widths.after - layers >= count * comfortable_time) widths.before = layers;
  return widths;
}

void GroupChart::paintSideHeads(QPainter& painter) const {
  const Layout& l = layout();
  const double top = l.head - l.row;
  painter.setPen(theme_->palette().faint_text);
  if (l.before > 0)
    painter.drawText(QRectF(l.names, top, l.before, l.row), Qt::AlignLeft | Qt::AlignVCenter, tr("Layers"));
  double x = l.cells.right();
  for (const SideColumn& column : sides_) {
    const QRectF area(x, top, column.width, l.row);
    painter.drawText(area.translated(0, -l.row), Qt::AlignRight | Qt::AlignVCenter, column.above);
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, column.heading);
    x += column.width;
  }
}

void GroupChart::paintSides(QPainter& painter, int row, const QRectF& line) const {
  const Layout& l = layout();
  const Palette& colours = theme_->palette();
  if (l.before > 0) {
    painter.setPen(colours.faint_text);
    painter.drawText(QRectF(l.names, line.top(), l.before - between_columns, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, layersText(row));
  }
  const auto extras = extrasOf(row);
  double x = l.cells.right();
  for (std::size_t at = 0; at < sides_.size(); ++at) {
    const QRectF area(x, line.top(), sides_[at].width, line.height());
    x += sides_[at].width;
    if (at == 0) {
      painter.setPen(colours.text);
      painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, textsAfter(row).front());
      continue;
    }
    const auto& extra = extras[at - 1];
    const bool significant =
        extra && (extra->verdict == SettingVerdict::worse || extra->verdict == SettingVerdict::best);
    painter.setPen(significant ? colours.text : colours.faint_text);
    painter.drawText(area.adjusted(0, 0, -space_for_mark, 0), Qt::AlignRight | Qt::AlignVCenter,
                     extra_number(extra, *table_, *theme_));
    if (has_mark(extra))
      painter.drawText(QRectF(area.right() - space_for_mark, area.top(), space_for_mark, area.height()),
                       Qt::AlignCenter, mark_text(extra->verdict));
  }
}

void GroupChart::paintTimes(QPainter& painter, const MatrixPlace& place, const QRectF& area) const {
  const GroupRow& row = rowOf(place.row);
  const GroupCell& cell = cellAt(place);
  const QString number = numberText(*theme_, short_ms(cell.ms));
  if (cell.verdict != SettingVerdict::none)
    return paintNumber(painter, area, relative_of(row, cell), number, cell.verdict, MarksBeside::any_size);
  painter.fillRect(area, theme_->palette().line);
  painter.setPen(theme_->palette().text);
  const double wide = painter.fontMetrics().horizontalAdvance(number);
  if (wide + 6 <= area.width())
    painter.drawText(area.translated(-number_shift(wide, area, MarksBeside::any_size), 0), Qt::AlignCenter,
                     number);
}

/// Draws frames around the choices and around the keyboard cursor.
void GroupChart::paintMarks(QPainter& painter, int row) const {
  const auto& cells = rowOf(row).cells;
  const int picked = pickedOf(row);
  for (std::size_t column = 0; column < cells.size(); ++column) {
    if (cells[column].picked > 0)
      paintPickFrame(painter, {row, static_cast<int>(column)}, cells[column].picked < picked);
  }
  paintCursor(painter, row);
}

std::vector<HeatMap::Entry> GroupChart::shownEntries() const {
  if (!hasContent()) return {};
  bool partial = false, single = false;
  std::array<bool, 5> states{};
  for (int row = 0; row < rowCount(); ++row) {
    const int picked = pickedOf(row);
    for (const GroupCell& cell : rowOf(row).cells) {
      states.at(static_cast<std::size_t>(cell.state)) = true;
      partial = partial || (cell.picked > 0 && cell.picked < picked);
      single = single || (cell.state == CellState::measured && cell.verdict == SettingVerdict::none);
    }
  }
  const auto has = [&states](CellState one) { return states.at(static_cast<std::size_t>(one)); };
  std::vector<Entry> entries{
      {EntryKind::scale, {}},
      {EntryKind::best, tr("best for all layers")},
      {EntryKind::tied, tr("tied with best")},
      {EntryKind::undecided, tr("undecided (< %1 samples)").arg(fewest_samples_for_verdict)},
      {EntryKind::note, tr("no mark: slower than best")},
      {EntryKind::pick, tr("chosen for all layers")}};
  if (partial) entries.push_back({EntryKind::partial_pick, tr("chosen for some layers")});
  if (has(CellState::not_measured)) entries.push_back({EntryKind::not_measured, tr("not measured")});
  if (has(CellState::infeasible)) entries.push_back({EntryKind::infeasible, tr("not possible")});
  if (has(CellState::unusable)) entries.push_back({EntryKind::unusable, tr("output differs")});
  if (single) entries.push_back({EntryKind::only, tr("no other setting")});
  entries.push_back({EntryKind::note, table_->training
                                          ? tr("ms: all layers and passes, each map counted once")
                                          : tr("ms: all layers, each map counted once")});
  entries.push_back({EntryKind::note, tr("+: ms more than chosen")});
  if (sides_.size() < 1 + extrasOf(0).size())
    entries.push_back({EntryKind::note, tr("more columns: see table or tooltip")});
  return entries;
}

QString GroupChart::entryTip(EntryKind kind) const {
  return kind == EntryKind::best || kind == EntryKind::tied
             ? tr("All layers of the map change to the setting together, so one map is enough. In Matrix, "
                  "only "
                  "layers of one shape change, and a setting that needs a second map costs more.")
             : QString();
}

void GroupChart::activate(const MatrixPlace& place, bool) {
  setCurrent(place);
  emit samplesRequested();
}

void GroupChart::mousePressEvent(QMouseEvent* event) {
  HeatMap::mousePressEvent(event);
  const MatrixPlace at = placeAt(event->position());
  if (event->button() == Qt::LeftButton && at.row >= 0 && at.column >= 0) emit samplesRequested();
}

QString GroupChart::groupTip(int row) const {
  const GroupRow& facts = rowOf(row);
  QStringList names, missing;
  for (const std::string& name : facts.layers)
    names += shownName(name);
  for (const std::string& name : facts.missing)
    missing += shownName(name);
  QStringList lines{tr("%1: %2").arg(mapText(row), names.join(", "))};
  if (!missing.isEmpty())
    lines += missing.size() == names.size() ? tr("No layer of this group was measured")
                                            : tr("Not measured, so not included: %1").arg(missing.join(", "));
  if (!facts.choice_ms) return lines.join('\n');
  lines += tr("chosen settings: %1").arg(onScreen(ms_text(*facts.choice_ms)));
  const auto extras = extrasOf(row);
  for (std::size_t at = 0; at < extras.size(); ++at) {
    if (extras[at])
      lines += extra_tip(
          at == 0 ? tr("one dataflow for the group") : QString::fromUtf8(text_of(all_bindings.at(at - 1))),
          *extras[at]);
  }
  return lines.join('\n');
}

QString GroupChart::cellTip(const MatrixPlace& place) const {
  const GroupRow& row = rowOf(place.row);
  const GroupCell& cell = cellAt(place);
  const QString setting =
      QString::fromStdString(table_->columns.at(static_cast<std::size_t>(place.column)).text());
  switch (cell.state) {
    case CellState::infeasible:
      return tr("%1: not possible for these layers").arg(setting);
    case CellState::unusable:
      return tr("%1: no time, because the output of a layer differs from the output with t = max")
          .arg(setting);
    case CellState::not_measured:
    case CellState::modelled:
      return tr("%1: not measured for at least one layer of the group").arg(setting);
    case CellState::measured:
      break;
  }
  QString text =
      (table_->training ? tr("%1 for all layers and passes: %2 (%3 the best time), n = %4")
                        : tr("%1 for all layers: %2 (%3 the best time), n = %4"))
          .arg(setting, onScreen(ms_text(cell.ms)), onScreen(relative_of(row, cell), 'f', 2) + QChar(0x00D7))
          .arg(cell.n) +
      "\n" + verdict_tip(cell.verdict);
  if (cell.picked > 0)
    text += "\n" + (table_->training ? tr("Chosen for %1 of %2 passes") : tr("Chosen for %1 of %2 layers"))
                       .arg(cell.picked)
                       .arg(pickedOf(place.row));
  return text;
}

QString GroupChart::tipOf(const MatrixPlace& place) const {
  if (!hasContent() || place.row < 0) return {};
  const QString group = groupTip(place.row);
  return place.column < 0 ? group : cellTip(place) + "\n" + group;
}

QString GroupChart::headTip(double x) const {
  if (!hasContent()) return {};
  const Layout& l = layout();
  if (x < l.names)
    return tr("Kernel size, input stride and output stride of the kernel map that the layers share.");
  if (x < l.cells.left()) return tr("The layers that use this kernel map");
  double right = l.cells.right();
  for (const SideColumn& column : sides_) {
    const double left = std::exchange(right, right + column.width);
    if (x >= left && x < right) return column.explanation;
  }
  return HeatMap::headTip(x);
}

}  // namespace spira::ui

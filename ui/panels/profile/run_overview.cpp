#include "ui/panels/profile/run_overview.hpp"

#include "engine/base/text.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/panels/profile/breakdown_bars.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

const StageTree* stages_of(const Workspace& workspace, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (const auto& measured = workspace.results().measurement())
    return at < measured->layers.size() ? &measured->layers[at].stages : nullptr;
  const auto& result = workspace.results().layer(layer);
  return result ? &result->stages : nullptr;
}

}  // namespace

std::optional<RunTimes> run_times(const Workspace& workspace) {
  const auto& network = workspace.network();
  const auto& measured = workspace.results().measurement();
  if (!network || workspace.results().layersRun() == 0) return std::nullopt;
  RunTimes times;
  times.layers = static_cast<int>(network->layers.size());
  times.layers_run = workspace.results().layersRun();
  std::map<StageGroup, double> groups;
  const auto add = [&](const std::map<StageGroup, double>& parts) {
    for (const auto& [group, ms] : parts)
      groups[group] += ms;
  };
  if (measured) {
    times.samples = measured->repetitions();
    if (!measured->wall.ms.empty()) times.wall = measured->wall.stats();
    if (!measured->compiled_wall.ms.empty()) times.graph = measured->compiled_wall.stats();
    times.indexing_ms = measured->indexing.sum_of_tops_ms();
    add(parts_of(measured->indexing));
  } else if (workspace.scene().voxels()) {
    times.indexing_ms = workspace.scene().voxels()->stages.sum_of_tops_ms();
    add(parts_of(workspace.scene().voxels()->stages));
  }
  times.sum_ms = times.indexing_ms;
  for (int layer = 0; layer < times.layers && !measured; ++layer) {
    if (const auto& result = workspace.results().layer(layer))
      times.single_wall_ms = times.single_wall_ms.value_or(0) + result->wall_ms;
  }
  for (int layer = 0; layer < times.layers; ++layer) {
    const StageTree* stages = stages_of(workspace, layer);
    if (stages == nullptr || stages->nodes.empty()) continue;
    times.slowest.push_back({layer, stages->sum_of_tops_ms(), 0, parts_of(*stages)});
    times.sum_ms += times.slowest.back().ms;
    add(times.slowest.back().parts);
  }
  if (times.slowest.empty()) return std::nullopt;
  std::stable_sort(times.slowest.begin(), times.slowest.end(),
                   [](const LayerTime& a, const LayerTime& b) { return a.ms > b.ms; });
  constexpr std::size_t most = 5;
  times.slowest.resize(std::min(most, times.slowest.size()));
  for (LayerTime& layer : times.slowest)
    layer.share = times.sum_ms > 0 ? layer.ms / times.sum_ms : 0;
  times.stages.assign(groups.begin(), groups.end());
  std::erase_if(times.stages, [](const auto& stage) { return stage.second <= 0; });
  std::stable_sort(times.stages.begin(), times.stages.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return times;
}

LeadingTime leading_time(const Workspace& workspace, const RunTimes& times) {
  const bool partial = !workspace.network()->skipped.empty();
  if (times.graph)
    return {RunOverview::tr("Device time of one run"),
            partial ? RunOverview::tr("all layers that run, as one CUDA graph")
                    : RunOverview::tr("the whole network as one CUDA graph"),
            times.graph->median,
            times.graph->n,
            times.graph->iqr(),
            "graph"};
  if (times.wall)
    return {RunOverview::tr("Wall time of one run"),
            partial ? RunOverview::tr("only the layers that run, not the whole network") : QString(),
            times.wall->median,
            times.wall->n,
            times.wall->iqr(),
            "wall"};
  if (times.samples > 1)
    return {
        RunOverview::tr("Sum of the stages of one run"),
        RunOverview::tr(
            "only the complete stages (their sum is 100 %); the report is truncated and has no wall time"),
        times.sum_ms,
        times.samples,
        {},
        ""};
  return {RunOverview::tr("Sum of all stages, one run"), {}, times.sum_ms, 1, {}, ""};
}

double maps_and_features_ms(const RunTimes& times) noexcept {
  return times.sum_ms - times.indexing_ms;
}

QString trustHtml(const Workspace& workspace) {
  const auto trust = trust_here(workspace);
  if (!trust) return {};
  const std::string_view meaning = meaning_of(trust->grade);
  // Trust::text() begins with the letter of the grade.
  return RunOverview::tr("<b>Trust grade %1</b>%2. %3")
      .arg(QChar::fromLatin1(letter_of(trust->grade)))
      .arg(onScreen(trust->text()).mid(1).toHtmlEscaped(),
           QString::fromUtf8(meaning.data(), std::ssize(meaning)).toHtmlEscaped());
}

namespace {

constexpr int slowest_stretch = 4, stages_stretch = 4;
enum Column { name_column, bar_column, time_column, share_column, columns };
constexpr int value_role = Qt::UserRole;  // The layer or the stage group that the row shows.
constexpr int parts_role =
    Qt::UserRole + 1;                        // QVariantList of (stage group, share of the longest row) pairs.
constexpr int text_role = Qt::UserRole + 2;  // The text of a cell when the table is wide.

/// Draws the stages of a row as a stacked bar.
class BarDelegate : public QStyledItemDelegate {
 public:
  BarDelegate(Theme* theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    constexpr int beside = 5, above = 4;
    const QRect slot = option.rect.adjusted(beside, above, -beside, -above);
    double left = slot.left();
    for (const QVariant& part : index.data(parts_role).toList()) {
      const QVariantList pair = part.toList();
      const double width = pair[1].toDouble() * slot.width();
      painter->fillRect(QRectF(left, slot.top(), std::max(1.0, width), slot.height()),
                        theme_->stage(static_cast<StageGroup>(pair[0].toInt())));
      left += width;
    }
  }

 private:
  Theme* theme_;
};

QTableWidget* new_table(const QString& name, Theme* theme, QWidget* parent) {
  auto* table = new QTableWidget(0, columns, parent);
  table->setAccessibleName(name);
  table->setItemDelegateForColumn(bar_column, new BarDelegate(theme, table));
  table->horizontalHeader()->hide();
  table->verticalHeader()->hide();
  table->setShowGrid(false);
  table->setStyleSheet("background: transparent");
  table->viewport()->setCursor(Qt::PointingHandCursor);
  table->setFrameShape(QFrame::NoFrame);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionMode(QAbstractItemView::NoSelection);
  table->setContextMenuPolicy(Qt::CustomContextMenu);
  table->setTabKeyNavigation(false);
  table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 4);
  table->verticalHeader()->setMinimumSectionSize(1);
  auto* header = table->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(bar_column, QHeaderView::Stretch);
  header->setMinimumSectionSize(1);
  return table;
}

QTableWidgetItem* item(const QString& text, const QString& tip, Qt::Alignment alignment = Qt::AlignLeft) {
  auto* made = new QTableWidgetItem(text);
  made->setToolTip(tip);
  made->setTextAlignment(alignment | Qt::AlignVCenter);
  return made;
}

void set_row(QTableWidget* table, int row, int value, const QString& name, const QVariantList& parts,
             const QString& time, double share, const QString& tip) {
  auto* first = item(name, tip);
  first->setData(value_role, value);
  first->setData(text_role, name);
  auto* bar = item({}, tip);
  bar->setData(parts_role, parts);
  table->setItem(row, name_column, first);
  table->setItem(row, bar_column, bar);
  auto* number = item(time, tip, Qt::AlignRight);
  number->setData(text_role, time);
  table->setItem(row, time_column, number);
  table->setItem(row, share_column, item(shareOnScreen(share), tip, Qt::AlignRight));
}

/// Returns a share and the time that is 100 %, such as "7 % of the sum of all stages (0.925 ms)".
QString shareText(double share, const RunTimes& times) {
  return RunOverview::tr("%1 of the sum of all stages (%2)")
      .arg(shareOnScreen(share), msOnScreen(times.sum_ms, times.samples));
}

/// Minimum lengths of the longest bar in a wide and in a narrow table, in pixels.
constexpr int min_bar = 60, min_narrow_bar = 40;

const QString ms_unit = " ms";

/// Returns the text of a cell in a narrow table, which has no units and short names.
QString narrow_text(const QTableWidgetItem& cell, bool stages) {
  const QString text = cell.data(text_role).toString();
  if (cell.column() == time_column) return text.chopped(text.endsWith(ms_unit) ? ms_unit.size() : 0);
  return stages ? shortStageGroupText(static_cast<StageGroup>(cell.data(value_role).toInt())) : text;
}

/// Shows the texts of a wide or of a narrow table. Returns the width of the table with the shortest bars.
int set_texts(QTableWidget* table, bool stages, bool narrow) {
  for (int row = 0; row < table->rowCount(); ++row) {
    for (const int column : {name_column, time_column}) {
      QTableWidgetItem* cell = table->item(row, column);
      cell->setText(narrow ? narrow_text(*cell, stages) : cell->data(text_role).toString());
    }
  }
  // sizeHintForColumn() is protected in QTableView, but public in its base class.
  const QAbstractItemView& all = *table;
  return all.sizeHintForColumn(name_column) + (narrow ? min_narrow_bar : min_bar) +
         all.sizeHintForColumn(time_column) + all.sizeHintForColumn(share_column);
}

/// Returns true if all times of the table have the same unit, so that its heading can name the unit.
bool all_in_ms(const QTableWidget& table) {
  for (int row = 0; row < table.rowCount(); ++row) {
    if (!table.item(row, time_column)->data(text_role).toString().endsWith(ms_unit)) return false;
  }
  return true;
}

int value_at(const QTableWidget& table, int row) {
  const QTableWidgetItem* first = table.item(row, name_column);
  return first == nullptr ? -1 : first->data(value_role).toInt();
}

}  // namespace

RunOverview::RunOverview(Workspace* workspace, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      theme_(theme),
      total_(new QLabel),
      slowest_title_(new QLabel),
      stages_title_(new QLabel),
      slowest_(new_table(tr("Slowest layers"), theme, this)),
      stages_(new_table(tr("Stages"), theme, this)) {
  total_->setObjectName("total");
  total_->setTextFormat(Qt::RichText);
  total_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  total_->setWordWrap(true);
  total_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  slowest_->setObjectName("slowest");
  stages_->setObjectName("stages");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  constexpr int gap = 24;
  layout->setSpacing(gap);
  layout->addWidget(total_, 3);
  for (const auto& [title, table, stretch] : {std::tuple(slowest_title_, slowest_, slowest_stretch),
                                              std::tuple(stages_title_, stages_, stages_stretch)}) {
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    title->setWordWrap(true);
    title->setAlignment(Qt::AlignLeft | Qt::AlignBottom);
    title->installEventFilter(this);
    constexpr int two_rows = 40;
    WholeRowScroll::keepWithNext(*title, two_rows);
    column->addWidget(title);
    column->addWidget(table);
    column->addStretch(1);
    layout->addLayout(column, stretch);
  }
  connect(total_, &QLabel::linkActivated, this,
          [this](const QString& link) { emit wallSamplesWanted(link == "graph"); });
  connect(slowest_, &QTableWidget::cellClicked, this, [this](int row, int column) {
    column == time_column ? emit samplesWanted(layerAt(row)) : emit layerWanted(layerAt(row));
  });
  connect(slowest_, &QTableWidget::cellActivated, this, [this](int row) { emit layerWanted(layerAt(row)); });
  connect(stages_, &QTableWidget::cellClicked, this,
          [this](int row) { emit stageWanted(static_cast<StageGroup>(value_at(*stages_, row))); });
}

int RunOverview::layerAt(int row) const {
  return value_at(*slowest_, row);
}

std::optional<SummaryLine> RunOverview::lineAt(int row) const {
  const QTableWidgetItem* time = slowest_->item(row, time_column);
  if (time == nullptr) return std::nullopt;
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::layer;
  subject.layer = layerAt(row);
  const Layer& layer = workspace_->network()->layers.at(static_cast<std::size_t>(subject.layer));
  const QString text = time->data(text_role).toString();
  return SummaryLine{QString::fromStdString(layer.name), text, text, subject};
}

void RunOverview::follow() {
  const auto times = run_times(*workspace_);
  for (QWidget* part : std::initializer_list<QWidget*>{slowest_title_, stages_title_, slowest_, stages_})
    part->setVisible(times.has_value() && parts_ != Parts::total);
  total_->setVisible(parts_ != Parts::tables);
  // If there are no tables, the total time takes the whole width.
  auto* columns = static_cast<QHBoxLayout*>(layout());
  columns->setStretch(1, parts_ == Parts::total ? 0 : slowest_stretch);
  columns->setStretch(2, parts_ == Parts::total ? 0 : stages_stretch);
  if (!times) {
    total_->setToolTip({});
    total_->setText(tr("Press Run to see where the time goes, or Measure for medians and spread."));
    return;
  }
  const QString former = formerSettingsText(*workspace_);
  const auto trust = trust_here(*workspace_);
  total_->setToolTip(trust ? tr("Trust grade %1").arg(onScreen(trust->text())) : QString());
  total_->setText(keepUnits(totalHtml(*times)) +
                  (former.isEmpty() ? QString() : tr("<p>Out of date: %1</p>").arg(former)));
  fillSlowest(*times);
  fillStages(*times);
  for (QTableWidget* table : {slowest_, stages_}) {
    // The panel scrolls instead of the table.
    table->setFixedHeight(table->rowCount() * table->verticalHeader()->defaultSectionSize());
    table->setMinimumWidth(set_texts(table, table == stages_, true));
  }
  fitTexts();
}

/// Returns the leading time of the run as a large number, the other totals and the trust grade as HTML.
QString RunOverview::totalHtml(const RunTimes& times) const {
  const QString colour = times_are_void(*workspace_)
                             ? QString(" style='color:%1'").arg(theme_->palette().faint_text.name())
                             : QString();
  const LeadingTime lead = leading_time(*workspace_, times);
  QString number = msOnScreen(lead.ms, lead.n);
  if (*lead.link != '\0') number = QString("<a href='%1'%2>%3</a>").arg(lead.link, colour, number);
  QStringList lines{
      QString("<div><b>%1</b></div><div style='font-size:xx-large'><b>%2</b></div>").arg(lead.title, number)};
  if (const auto& scene = workspace_->scene().facts(); scene && scene->batch > 1)
    lines +=
        tr("Batch of %1: %2 per frame").arg(scene->batch).arg(msOnScreen(lead.ms / scene->batch, lead.n));
  QStringList facts;
  if (lead.iqr_ms && lead.n > 1)
    facts += tr("median of %1 samples, IQR %2").arg(lead.n).arg(onScreen(ms_text(*lead.iqr_ms)));
  if (!lead.contents.isEmpty()) facts += lead.contents;
  if (!facts.isEmpty()) lines += facts.join("; ");
  if (lead.n == 1 && !workspace_->results().measurement())
    lines += tr("n\u00a0=\u00a0%1. Press Measure for medians, spread and a trust grade.").arg(lead.n);
  if (const QString trust = trustHtml(*workspace_); !trust.isEmpty()) lines += trust;
  if (times.layers_run < times.layers)
    lines += counted(times.layers, tr("%1 of 1 layer has run"), tr("%2 of %1 layers have run"))
                 .arg(times.layers_run);
  return lines.join("<br>").replace("</div><br>", "</div>");
}

void RunOverview::fillSlowest(const RunTimes& times) {
  const Network& network = *workspace_->network();
  const QStringList names = shortLayerNames(network);
  slowest_title_->setToolTip(
      tr("Time of map and features of each layer, %1. A shared map counts for the first layer that uses it.")
          .arg(layerTimesText(*workspace_)));
  slowest_->setRowCount(static_cast<int>(times.slowest.size()));
  const double longest = std::max(times.slowest.front().ms, 1e-9);
  for (int row = 0; row < slowest_->rowCount(); ++row) {
    const LayerTime& layer = times.slowest[static_cast<std::size_t>(row)];
    QVariantList parts;
    QStringList tip{QString::fromStdString(network.layers[static_cast<std::size_t>(layer.layer)].name),
                    tr("Map and features: %1, %2")
                        .arg(msOnScreen(layer.ms, times.samples), shareText(layer.share, times))};
    for (const auto& [group, ms] : layer.parts) {
      if (ms <= 0) continue;
      parts += QVariant(QVariantList{static_cast<int>(group), ms / longest});
      tip += QString("%1: %2").arg(stageGroupText(group), msOnScreen(ms, times.samples));
    }
    if (layer.parts.contains(StageGroup::residual)) tip += residualTip();
    tip += tr(
        "Click the name to show the layer in the timeline. Click the time to show the samples of the layer.");
    set_row(slowest_, row, layer.layer, names[layer.layer], parts, msOnScreen(layer.ms, times.samples),
            layer.share, tip.join('\n'));
  }
}

void RunOverview::fillStages(const RunTimes& times) {
  stages_title_->setToolTip(tr("Stages of indexing and layers. 100 % is the sum of all stages, %1.")
                                .arg(msOnScreen(times.sum_ms, times.samples)));
  const std::size_t rows = times.stages.size();
  stages_->setRowCount(static_cast<int>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto& [group, ms] = times.stages[row];
    const QVariantList bar{
        QVariant(QVariantList{static_cast<int>(group), ms / std::max(times.stages.front().second, 1e-9)})};
    const double share = times.sum_ms > 0 ? ms / times.sum_ms : 0;
    QStringList tip{group == StageGroup::residual ? residualTip() : stageGroupText(group)};
    tip += {shareText(share, times), tr("Click to highlight these stages in all views.")};
    set_row(stages_, static_cast<int>(row), static_cast<int>(group), stageGroupText(group), bar,
            msOnScreen(ms, times.samples), share, tip.join('\n'));
  }
}

/// Shortens the names of the stages and moves the units to the headings if the bars would otherwise be too
/// short to compare.
void RunOverview::fitTexts() {
  if (slowest_->rowCount() == 0) return;
  bool narrow = false;
  for (QTableWidget* table : {slowest_, stages_})
    narrow = set_texts(table, table == stages_, false) > table->width() || narrow;
  if (narrow) {
    set_texts(slowest_, false, true);
    set_texts(stages_, true, true);
  }
  const auto in_ms = [narrow](const QTableWidget& table) {
    return narrow && all_in_ms(table) ? tr(", ms") : QString();
  };
  slowest_title_->setText(tr("<b>Slowest layers</b>%1; %2").arg(in_ms(*slowest_), samplesText()));
  // The share of a stage is not a share of the first number of the run, unless that is the sum of all stages.
  const auto times = run_times(*workspace_);
  const bool sum_leads = !times || leading_time(*workspace_, *times).ms == times->sum_ms;
  stages_title_->setText(
      sum_leads ? tr("<b>Stages</b>%1; 100 % = sum of all stages").arg(in_ms(*stages_))
                : tr("<b>Stages</b>%1; 100 % = sum of all stages, %2")
                      .arg(in_ms(*stages_), keepUnits(msOnScreen(times->sum_ms, times->samples))));
  alignHeadings();
}

/// Returns the number of samples of each layer. The order of layers with one sample is not reliable.
QString RunOverview::samplesText() const {
  const auto& measured = workspace_->results().measurement();
  if (measured && measured->repetitions() > 1) return tr("median of %1 samples").arg(measured->repetitions());
  return workspace_->results().report() ? tr("single run: the order may change")
                                        : tr("single run: the order may change; press Measure");
}

/// Gives the headings of both tables the same height, so that rows next to each other end at the same height.
/// Otherwise, WholeRowScroll cannot hide a cut row of one table without cutting a row of the other.
void RunOverview::alignHeadings() {
  const bool beside = static_cast<QBoxLayout*>(layout())->direction() == QBoxLayout::LeftToRight;
  const auto height = [](const QLabel& title) { return std::max(0, title.heightForWidth(title.width())); };
  const int both = beside ? std::max(height(*slowest_title_), height(*stages_title_)) : 0;
  slowest_title_->setMinimumHeight(both);
  stages_title_->setMinimumHeight(both);
}

bool RunOverview::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fitTexts();
  return QWidget::eventFilter(watched, event);
}

void RunOverview::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitTexts();
}

}  // namespace spira::ui

#include "ui/panels/profile/timeline_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/job/timeline.hpp"
#include "engine/measure/timeline_text.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QResizeEvent>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <set>

namespace spira::ui {
namespace {

QString ms(double milliseconds) {
  return onScreen(ms_text(milliseconds));
}

constexpr int margin = 8;  // Left and right margin in pixels.
constexpr const char* gpu_command = "device.cuda";

std::vector<int> layers_of(const Timeline& timeline, const Network& network) {
  std::vector<int> layers;
  for (const TimelineSpan& span : timeline.spans) {
    const std::string layer(span.stage.layer());
    layers.push_back(layer.empty() ? -1 : network.index_of(layer));
  }
  return layers;
}

}  // namespace

TimelinePanel::TimelinePanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      samples_(new SamplesPane(theme)),
      headline_(new QLabel(body())),
      legend_(new QLabel(body())),
      area_text_(new QLabel),
      chart_(new TimelineChart(theme)),
      sums_(new TimelineAreaModel(this)),
      table_(new QTableView),
      halves_(new QSplitter(Qt::Vertical, body())),
      area_page_(makeSums()) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(margin, 4, margin, 4);
  layout->setSpacing(2);
  layout->addWidget(headline_);
  auto* tools = new QHBoxLayout;
  tools_ = tools;
  auto* fit = makeButton(tr("Fit"), tr("Zoom to the selected span or layer; press again to show all (F)"));
  auto* area = makeButton(
      tr("Sum up"), tr("Drag across the timeline to add up the times in a range by layer and phase (R)"));
  auto* keys = makeButton(tr("Keys"), tr("Show the keys of the timeline (?)"));
  tools->addWidget(legend_, 1);
  tools->addWidget(new FollowHead(workspace, shown_, body()));
  samples_shown_ = makeButton(tr("Samples"), tr("Show the time of the selected span in each repetition"));
  samples_shown_->setCheckable(true);
  for (QToolButton* button : {fit, area, samples_shown_, keys})
    tools->addWidget(button);
  tools->addWidget(chart_->makeTableSwitch(body()));
  layout->addLayout(tools);
  auto* below = new QHBoxLayout;
  below->addWidget(halves_, 1);
  below->addWidget(samples_);
  samples_->hide();
  layout->addLayout(below, 1);
  halves_->addWidget(chart_);
  halves_->addWidget(area_page_);
  halves_->setChildrenCollapsible(false);
  halves_->setStretchFactor(0, 3);
  halves_->setStretchFactor(1, 2);
  headline_->setWordWrap(true);
  headline_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(headline_, &QLabel::linkActivated, this, [this] { emit commandRequested(gpu_command); });
  legend_->setTextFormat(Qt::RichText);
  legend_->installEventFilter(this);
  legend_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(fit, &QToolButton::clicked, chart_, &TimelineChart::fitOrFocus);
  connect(area, &QToolButton::clicked, chart_, &TimelineChart::takeArea);
  connect(keys, &QToolButton::clicked, chart_, &TimelineChart::toggleKeys);
  connect(chart_, &TimelineChart::layerClicked, selection_, &Selection::setLayer);
  connect(chart_, &TimelineChart::areaChanged, this, &TimelinePanel::followArea);
  connect(chart_, &TimelineChart::currentChanged, this, &TimelinePanel::followSamples);
  connect(samples_shown_, &QToolButton::toggled, this, &TimelinePanel::followSamples);
  connect(samples_, &SamplesPane::closeRequested, this, [this] { samples_shown_->setChecked(false); });
  connect(chart_, &TimelineChart::phaseClicked, selection_, &Selection::setPhase);
  connect(shown_, &Selection::layerChanged, chart_, &TimelineChart::setChosenLayer);
  connect(shown_, &Selection::phaseChanged, this, [this] { chart_->setChosenPhase(shown_->phase()); });
  for (const auto changed : {&Selection::columnsChanged, &Selection::hoverChanged})
    connect(shown_, changed, this, &TimelinePanel::tint);
  connect(shown_, &Selection::layerChanged, this, &TimelinePanel::tint);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &TimelinePanel::tint);
  connect(theme_, &Theme::changed, this, &TimelinePanel::nameColours);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &TimelinePanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &TimelinePanel::follow);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &TimelinePanel::followSoon);
  connect(&workspace_->results(), &RunResults::reportChanged, this, &TimelinePanel::follow);
  connect(&workspace_->baseline(), &BaselineRun::reportChanged, this, &TimelinePanel::followComparedReport);
  follow();
}

/// Shows the samples of the current span, which the user clicked or reached with the keyboard.
void TimelinePanel::followSamples() {
  const int span = chart_->view().current;
  const auto& measured = workspace_->results().measurement();
  const bool any = measured && span >= 0 && span < static_cast<int>(measured->timeline.spans.size());
  samples_->setVisible(samples_shown_->isChecked());
  makeRoomForSamples();
  if (!any) return samples_->setSeries(tr("no span is selected"), {});
  const TimelineSpan& here = measured->timeline.spans[static_cast<std::size_t>(span)];
  const QString stage = QString::fromStdString(here.stage.text());
  samples_->setSeries(stage, {{stage, here.samples_ms}});
}

/// Shows the samples of one row of the sums. If a span is only partly inside the selected area, its samples
/// still contain its whole time.
void TimelinePanel::showSamplesOfRow(int row) {
  const auto& measured = workspace_->results().measurement();
  if (!measured) return;
  const AreaRow& sum = sums_->row(row);
  std::vector<SampleSeries> series;
  for (const int at : sum.spans) {
    const TimelineSpan& span = measured->timeline.spans.at(static_cast<std::size_t>(at));
    series.push_back({QString::fromStdString(span.stage.text()), span.samples_ms});
  }
  samples_shown_->setChecked(true);
  samples_->setSeries(sum.layer.empty()
                          ? stageGroupText(sum.group)
                          : tr("%1: %2").arg(QString::fromStdString(sum.layer), stageGroupText(sum.group)),
                      std::move(series));
}

void TimelinePanel::tint() {
  chart_->setTint(dataflows_of_offsets(*workspace_, *shown_));
}

QToolButton* TimelinePanel::makeButton(const QString& text, const QString& tip) {
  auto* button = new QToolButton(body());
  button->setObjectName("chip");
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(text);
  button->setAccessibleDescription(tip);
  return button;
}

QWidget* TimelinePanel::makeSums() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(area_text_);
  layout->addWidget(table_, 1);
  area_text_->setWordWrap(true);
  table_->setObjectName("sums");
  table_->setModel(sums_);
  table_->setMinimumHeight(66);
  table_->setAccessibleName(tr("Sums in the selected range by layer and phase"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(21);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(TimelineAreaModel::layer, QHeaderView::Stretch);
  table_->setToolTip(tr("Click a row to see the samples of its spans"));
  for (const auto chosen : {&QTableView::clicked, &QTableView::activated})
    connect(table_, chosen, this, [this](const QModelIndex& row) { showSamplesOfRow(row.row()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (!row.isValid() || sums_->row(row.row()).layer.empty()) return;
            selection_->setLayer(workspace_->network()->index_of(sums_->row(row.row()).layer));
          });
  return page;
}

QString TimelinePanel::headline() const {
  return headline_->text();
}

QString TimelinePanel::headlineOf(const Measurement& measured) const {
  const Timeline& timeline = measured.timeline;
  const Statistics wall = statistics(timeline.wall_ms);
  const QString mode = timeline.mode == TimelineMode::in_situ ? tr("<b>In situ</b>, with concurrent stages")
                                                              : tr("<b>Sequential stages, no overlap</b>");
  QString text = tr("%1 on %2: <b>end to end %3</b> (median of %4, IQR %5), <b>overlap factor %6</b>; %7.")
                     .arg(mode, QString::fromStdString(measured.device.name).toHtmlEscaped(), ms(wall.median))
                     .arg(counted(wall.n, tr("1 sample"), tr("%1 samples")))
                     .arg(ms(wall.iqr()), onScreen(fixed(timeline.overlap_factor(), 2)),
                          onScreen(mark_cost_text(timeline)));
  if (timeline.mode != TimelineMode::in_situ) text += " " + wayInSitu(measured);
  return text;
}

/// Returns instructions for measuring an in-situ timeline, or the reason why this is not possible.
QString TimelinePanel::wayInSitu(const Measurement& measured) const {
  const QString why = measured.compiled_wall.ms.empty()
                          ? QString::fromStdString(measured.compiled_how).toHtmlEscaped()
                          : QString();
  if (workspace_->results().report() || measured.device.kind == BackendKind::cuda)
    return why.isEmpty() ? tr("Not measured in situ.") : tr("Not measured in situ: %1.").arg(why);
  const QString no_gpu = commands_ != nullptr ? commands_->unavailableReason(gpu_command) : QString();
  if (!no_gpu.isEmpty()) return tr("In-situ timing requires an NVIDIA GPU: %1.").arg(no_gpu.toHtmlEscaped());
  return tr(
      "In-situ timing requires an NVIDIA GPU: <a href='gpu'>select it</a>, then press Measure (Ctrl+M).");
}

void TimelinePanel::addCommands(const CommandSet& commands) {
  commands_ = &commands;
  connect(commands.action(gpu_command), &QAction::changed, this, [this] {
    if (const auto& measured = workspace_->results().measurement(); measured && !measured->timeline.empty())
      headline_->setText(headlineOf(*measured));
  });
}

void TimelinePanel::follow() {
  chart_->setTimeline(nullptr, {});
  followSamples();
  const auto& measured = workspace_->results().measurement();
  const auto& network = workspace_->network();
  if (!workspace_->scene().facts())
    return showEmpty(
        tr("Open a scene and measure a network to see when its stages ran and which stages overlapped."),
        "file.open", tr("Open scene..."));
  if (workspace_->results().report() && (!measured || measured->timeline.empty()))
    return showEmpty(
        tr("This report has no timeline, because an older version wrote it. Measure the scene again to get "
           "one."));
  if (!measured || !network)
    return showEmpty(tr("Nothing has been measured yet. Press Measure (Ctrl+M) to run the network and see "
                        "when its stages ran."),
                     "run.measure", tr("Measure"));
  if (measured->timeline.empty())
    return showEmpty(tr("The measurement has no timeline; measure again."), "run.measure", tr("Measure"));
  headline_->setText(headlineOf(*measured));
  headline_->setToolTip(tr("%1, timed by %2. The chart shows the repetition with the median end-to-end time. "
                           "The overlap factor is the total time of all spans divided by the end-to-end "
                           "time: 1 means sequential without gaps.")
                            .arg(QString::fromStdString(measured->timeline.how).toHtmlEscaped(),
                                 QString::fromStdString(std::string(clock_text(measured->timeline.clock)))));
  chart_->setTimeline({measured, &measured->timeline}, layers_of(measured->timeline, *network),
                      weight_stationary_layers(*network, measured->plan));
  chart_->setChosenLayer(shown_->layer());
  chart_->setChosenPhase(shown_->phase());
  tint();
  followComparedReport();
  nameColours();
  showBody();
}

void TimelinePanel::followComparedReport() {
  const auto& before = workspace_->baseline().report();
  const bool any = before && !before->measurement.timeline.empty();
  chart_->setBaseline(any ? std::shared_ptr<const Timeline>(before, &before->measurement.timeline) : nullptr);
  chart_->setToolTip(
      any ? tr("Dashed: stages of the selected layer in the baseline, with both runs starting at time 0")
          : QString());
}

void TimelinePanel::placeLegend(bool own_row) {
  if (own_row == legend_below_) return;
  legend_below_ = own_row;
  auto* rows = static_cast<QVBoxLayout*>(body()->layout());
  if (own_row) {
    tools_->removeWidget(legend_);
    tools_->insertStretch(0, 1);
    rows->insertWidget(rows->indexOf(tools_) + 1, legend_);
  } else {
    rows->removeWidget(legend_);
    const std::unique_ptr<QLayoutItem> stretch(tools_->takeAt(0));
    tools_->insertWidget(0, legend_, 1);
  }
}

/// Shows the names of the colours in the legend. Uses short names if the long names do not fit. If the short
/// names do not fit either, moves the legend below the tool buttons.
void TimelinePanel::nameColours() {
  const auto& measured = workspace_->results().measurement();
  if (!measured) return;
  int room = body()->width() - (2 * margin), beside_tools = room;
  for (int at = 0; at < tools_->count(); ++at) {
    const QWidget* tool = tools_->itemAt(at)->widget();
    if (tool != nullptr && tool != legend_ && !tool->isHidden())
      beside_tools -= tool->sizeHint().width() + tools_->spacing();
  }
  const auto& all = chart_->view().groups;
  const std::set<StageGroup> groups(all.begin(), all.end());
  for (const bool brief : {false, true}) {
    QStringList names;
    int width = 0;
    for (const StageGroup group : groups) {
      constexpr int around = 32;  // Width of the coloured square and the space after the name, in pixels.
      QString name = brief ? shortStageGroupText(group) : stageGroupText(group);
      width += legend_->fontMetrics().horizontalAdvance(name) + around;
      names += QString("<span style='color:%1'>\u25a0</span>&nbsp;%2")
                   .arg(theme_->stage(group).name(), name.replace(' ', "&nbsp;"));
    }
    legend_->setText(names.join("&nbsp;&nbsp; "));
    if (brief) placeLegend(width > beside_tools);
    if (width <= (brief ? room : beside_tools)) {
      if (!brief) placeLegend(false);
      return;
    }
  }
}

void TimelinePanel::followArea() {
  const auto& measured = workspace_->results().measurement();
  const auto& area = chart_->view().area;
  const bool any = area && measured;
  const bool shown = any || chart_->takesArea();
  if (shown && area_page_->isHidden()) shareRoom(true);
  area_page_->setVisible(shown);
  makeRoomForSamples();
  sums_->setRows(
      any ? add_up(measured->timeline, chart_->view().lanes, *area, chart_->view().weight_stationary)
          : std::vector<AreaRow>(),
      chart_->view().short_names);
  if (!any)
    return area_text_->setText(
        tr("Drag across the timeline to add up the times in a range. Press R again to add up the visible "
           "range."));
  const double length = area->high_ms - area->low_ms;
  area_text_->setText(tr("<b>Sum: %1</b>, from %2 to %3 (%4 long); %5, average concurrency %6")
                          .arg(ms(sums_->totalMs()), onScreen(fixed(area->low_ms, 3)),
                               onScreen(fixed(area->high_ms, 3)) + " ms", ms(length))
                          .arg(counted(sums_->spanCount(), tr("1 span"), tr("%1 spans")))
                          .arg(onScreen(length > 0 ? sums_->totalMs() / length : 0, 'f', 2)));
}

/// Places the table of sums below the chart. If the dock is not high enough, places it next to the chart.
void TimelinePanel::shareRoom(bool anew) {
  constexpr int room_for_both = 280, room_for_all_columns = 900;  // Minimum height and width in pixels.
  const auto way = height() < room_for_both ? Qt::Horizontal : Qt::Vertical;
  const int chart_share = way == Qt::Horizontal ? 50 : 58;  // Share of the chart in percent.
  if (!anew && way == halves_->orientation()) return;
  halves_->setOrientation(way);
  table_->setColumnHidden(TimelineAreaModel::spans, way == Qt::Horizontal && width() < room_for_all_columns);
  const int room = way == Qt::Horizontal ? halves_->width() : halves_->height();
  halves_->setSizes({room * chart_share / 100, room * (100 - chart_share) / 100});
}

/// Hides the chart if the panel is too narrow for the chart, the sums and the samples. The chart reappears
/// when the user closes the sums or the samples.
void TimelinePanel::makeRoomForSamples() {
  constexpr int room_for_three = 900;  // Minimum width in pixels.
  chart_->setVisible(width() >= room_for_three || samples_->isHidden() || area_page_->isHidden());
}

void TimelinePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  shareRoom(false);
  makeRoomForSamples();
}

bool TimelinePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == legend_ && event->type() == QEvent::Resize) nameColours();
  return Panel::eventFilter(watched, event);
}

}  // namespace spira::ui

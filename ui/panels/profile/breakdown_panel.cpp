#include "ui/panels/profile/breakdown_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/selection.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/breakdown_bars.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace spira::ui {
namespace {

QHBoxLayout* row_of(std::initializer_list<QWidget*> widgets) {
  auto* row = new QHBoxLayout;
  for (QWidget* widget : widgets)
    row->addWidget(widget);
  return row;
}

}  // namespace

BreakdownPanel::BreakdownPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      shown_(new FollowedSelection(selection, workspace, this)),
      headline_(new QLabel(body())),
      in_situ_(new QCheckBox(tr("in situ"))),
      logarithmic_(new QCheckBox(tr("log"))),
      chart_(new StageChart(theme, body())),
      samples_(new SamplesPane(theme)) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  auto* head = new QHBoxLayout;
  head->addWidget(headline_, 1);
  auto* tools = row_of(
      {new FollowHead(workspace, shown_, body()), in_situ_, logarithmic_, chart_->makeTableSwitch(body())});
  head->addLayout(tools);
  head->setAlignment(tools, Qt::AlignTop);
  layout->addLayout(head);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(chart_);
  halves->addWidget(samples_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 3);
  halves->setStretchFactor(1, 1);
  layout->addWidget(halves, 1);
  samples_->hide();
  headline_->setWordWrap(true);
  headline_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(headline_, &QLabel::linkActivated, this, &BreakdownPanel::showWall);
  logarithmic_->setToolTip(
      tr("Logarithmic axis. Stages are drawn side by side, because stacked bars cannot be read on a log "
         "scale."));
  logarithmic_->setAccessibleName(tr("Logarithmic axis"));
  connect(in_situ_, &QCheckBox::toggled, this, &BreakdownPanel::follow);
  connect(logarithmic_, &QCheckBox::toggled, chart_, &StageChart::setLogarithmic);
  connect(chart_, &StageChart::barClicked, this, &BreakdownPanel::showSamples);
  connect(samples_, &SamplesPane::closeRequested, samples_, &QWidget::hide);
  connect(chart_, &StageChart::layerClicked, selection_, &Selection::setLayer);
  connect(chart_, &StageChart::phaseClicked, selection_, &Selection::setPhase);
  connect(shown_, &Selection::layerChanged, this, [this](int layer) {
    chart_->setChosenLayer(layer);
    tint();
  });
  connect(shown_, &Selection::phaseChanged, this, [this] { chart_->setChosenPhase(shown_->phase()); });
  connect(chart_, &StageChart::layerHovered, this, [this](int layer) {
    Hover hover;
    hover.layer = layer;
    selection_->setHover(hover);
  });
  for (const auto changed : {&Selection::columnsChanged, &Selection::hoverChanged})
    connect(shown_, changed, this, &BreakdownPanel::tint);
  connect(workspace_, &Workspace::voxelsChanged, this, &BreakdownPanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::layerChanged, this, &BreakdownPanel::followSoon);
  connect(workspace_, &Workspace::measurementChanged, this, &BreakdownPanel::followSoon);
  connect(workspace_, &Workspace::planChanged, this, &BreakdownPanel::tint);
  connect(workspace_, &Workspace::planChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::sweepsChanged, this, &BreakdownPanel::followSoon);
  connect(workspace_, &Workspace::comparedReportChanged, this, &BreakdownPanel::follow);
  connect(workspace_, &Workspace::trialsChanged, this, &BreakdownPanel::follow);
  connect(selection_, &Selection::triedChanged, this, &BreakdownPanel::follow);
  follow();
}

void BreakdownPanel::tint() {
  chart_->setTint(dataflows_of_offsets(*workspace_, *shown_), shown_->hover().layer);
}

QString BreakdownPanel::headline() const {
  return headline_->text();
}

void BreakdownPanel::follow() {
  if (!workspace_->sceneFacts())
    return showEmpty(tr("Open a scene and run a network to see the time of each layer, split into stages."),
                     "file.open", tr("Open scene..."));
  if (workspace_->layersRun() == 0)
    return showEmpty(tr("Run the network to see where its time goes."), "run.run", tr("Run network"));
  const QString why = in_situ_unavailable_reason(*workspace_);
  in_situ_->setEnabled(why.isEmpty());
  in_situ_->setToolTip(
      why.isEmpty()
          ? tr("Stage times measured while other stages share the device; not comparable with isolated times")
          : why);
  const bool in_situ = why.isEmpty() && in_situ_->isChecked();
  const auto& measured = workspace_->measurement();
  std::vector<StageBar> bars = in_situ ? in_situ_bars(*workspace_) : isolated_bars(*workspace_);
  if (!in_situ) add_other_thresholds(*workspace_, *selection_, bars);
  if (measured) add_baseline(*workspace_, in_situ, bars);
  headline_->setForegroundRole(times_are_void(*workspace_) ? QPalette::PlaceholderText
                                                           : QPalette::WindowText);
  chart_->setBars(std::move(bars),
                  in_situ    ? tr("in situ, one run")
                  : measured ? tr("median")
                             : tr("one sample"),
                  in_situ    ? tr("n = 1 (median of %1 repetitions)").arg(measured->timeline.wall_ms.size())
                  : measured ? tr("n = %1").arg(measured->repetitions())
                             : tr("n = 1"));
  // If the bars have changed, hide the samples, because they belong to the previous bars.
  if (measured != bars_of_ || in_situ != were_in_situ_) samples_->hide();
  bars_of_ = measured;
  were_in_situ_ = in_situ;
  in_situ ? fillInSituHeadline(measured->timeline) : fillHeadline();
  chart_->setChosenLayer(shown_->layer());
  showBody();
  // Ask for height only if the chart becomes another chart, because the user can change the height later.
  if (std::exchange(shown_bars_, chart_->bars().size()) != chart_->bars().size()) emit missingHeightChanged();
}

void BreakdownPanel::showSamples(int bar) {
  const StageBar& shown = chart_->bars().at(static_cast<std::size_t>(bar));
  samples_->setSeries(shown.subject, shown.samples);
  samples_->show();
}

void BreakdownPanel::showWall() {
  const auto& measured = workspace_->measurement();
  if (!measured) return;
  std::vector<SampleSeries> series{{tr("wall time"), measured->wall.ms}};
  if (!measured->compiled_wall.ms.empty())
    series.push_back({tr("wall time, CUDA graph"), measured->compiled_wall.ms});
  samples_->setSeries(tr("whole network"), std::move(series));
  samples_->show();
}

int BreakdownPanel::missingHeight() const {
  constexpr int min_plot = 160;  // Height in pixels at which the parts of a bar can be compared.
  return chart_->isVisible() ? std::max(0, min_plot - chart_->plotHeight()) : 0;
}

/// Returns the device and the clock of the times. The heading omits them, because the chart needs the height.
QString BreakdownPanel::deviceText(const QString& clock) const {
  return tr("Measured on %1, %2").arg(QString::fromStdString(workspace_->measurement()->device.name), clock);
}

/// Fills the heading for in-situ times. Omits isolated times, because they are not comparable with in-situ
/// times.
void BreakdownPanel::fillInSituHeadline(const Timeline& timeline) {
  const Statistics wall = statistics(timeline.wall_ms);
  double all_ms = 0;
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track)
    all_ms += timeline.busy_ms(track);
  headline_->setText(tr("<b>In situ, end to end %1</b> (median of %2, IQR %3); the chart shows the median "
                        "repetition, <b>sum of its stages %4</b>, some of them concurrent.")
                         .arg(onScreen(ms_text(wall.median)))
                         .arg(wall.n)
                         .arg(onScreen(ms_text(wall.iqr())), onScreen(ms_text(all_ms))));
  QStringList tips{tr("end to end: %1").arg(percentilesText(timeline.wall_ms))};
  if (const QString missing = missingPercentilesText(timeline.wall_ms); !missing.isEmpty()) tips += missing;
  tips += deviceText(QString::fromStdString(std::string(clock_text(timeline.clock))));
  headline_->setToolTip(tips.join('\n'));
}

/// Returns the leading time of the run, as in Summary, and how the bars relate to it.
QString BreakdownPanel::totalText() const {
  const auto times = run_times(*workspace_);
  if (!times) return tr("The layers that ran have no stages.");
  const LeadingTime lead = leading_time(*workspace_, *times);
  QString number = msOnScreen(lead.ms, lead.n);
  if (*lead.link != '\0') number = "<a href='wall'>" + number + "</a>";
  QString text = QString("<b>%1: %2</b>").arg(lead.title, number);
  if (lead.iqr_ms && lead.n > 1)
    text += tr(" (median of %1, IQR %2)").arg(lead.n).arg(onScreen(ms_text(*lead.iqr_ms)));
  if (!times->wall && !lead.contents.isEmpty()) text += ", " + lead.contents;
  if (lead.n == 1) text += tr(" (n = 1)");
  if (!workspace_->measurement()) return text + tr(". Press Measure (Ctrl+M) for medians.");
  if (times->wall) text += tr(". Sum of all bars: %1").arg(msOnScreen(times->sum_ms, times->samples));
  return text + ".";
}

void BreakdownPanel::fillHeadline() {
  const auto& measured = workspace_->measurement();
  headline_->setText(totalText());
  if (const auto& scene = workspace_->sceneFacts(); scene && scene->batch > 1)
    headline_->setText(headline_->text() + " " + tr("All times are of a batch of %1.").arg(scene->batch));
  const auto times = run_times(*workspace_);
  if (!measured || !times) return headline_->setToolTip({});
  QStringList tips = other_totals(*times);
  if (const QString contents = leading_time(*workspace_, *times).contents; !contents.isEmpty())
    tips.prepend(tr("The time above: %1").arg(contents));
  tips += tr(
      "Timers between stages cost time and prevent overlap, so the stages are measured in separate passes.");
  if (!measured->wall.ms.empty()) {
    tips.prepend(tr("wall time: %1").arg(percentilesText(measured->wall.ms)));
    if (const QString missing = missingPercentilesText(measured->wall.ms); !missing.isEmpty())
      tips.insert(1, missing);
  }
  tips += deviceText(QString::fromStdString(std::string(clocks_text(measured->device.clock))));
  headline_->setToolTip(tips.join('\n'));
}

}  // namespace spira::ui

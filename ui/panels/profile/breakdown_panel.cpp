#include "ui/panels/profile/breakdown_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/run/backward.hpp"
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
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
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
      division_(new QComboBox(body())),
      measure_passes_(new QPushButton(tr("Measure passes"), body())),
      in_situ_(new QCheckBox(tr("in situ"))),
      logarithmic_(new QCheckBox(tr("log"))),
      chart_(new StageChart(theme, body())),
      samples_(new SamplesPane(theme)) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  auto* head = new QHBoxLayout;
  head->addWidget(headline_, 1);
  makeTools(*head);
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
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &BreakdownPanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &BreakdownPanel::follow);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &BreakdownPanel::followSoon);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &BreakdownPanel::followSoon);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &BreakdownPanel::tint);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &BreakdownPanel::follow);
  connect(&workspace_->results(), &RunResults::sweepsChanged, this, &BreakdownPanel::followSoon);
  connect(&workspace_->baseline(), &BaselineRun::reportChanged, this, &BreakdownPanel::follow);
  connect(&workspace_->results(), &RunResults::trialsChanged, this, &BreakdownPanel::follow);
  connect(selection_, &Selection::triedChanged, this, &BreakdownPanel::follow);
  follow();
}

void BreakdownPanel::makeTools(QHBoxLayout& head) {
  auto* tools = row_of({new FollowHead(workspace_, shown_, body()), measure_passes_, division_, in_situ_,
                        logarithmic_, chart_->makeTableSwitch(body())});
  head.addLayout(tools);
  head.setAlignment(tools, Qt::AlignTop);
  logarithmic_->setToolTip(
      tr("Logarithmic axis. Stages are drawn side by side, because stacked bars cannot be read on a log "
         "scale."));
  logarithmic_->setAccessibleName(tr("Logarithmic axis"));
  division_->addItems({tr("by pass"), tr("by stage")});
  division_->setAccessibleName(tr("Parts of the bars"));
  division_->setToolTip(tr("Passes of the training step, or stages of the forward pass alone"));
  measure_passes_->setToolTip(tr(
      "Measure training steps to see the forward pass and the two gradients (dgrad, wgrad) of each layer"));
  connect(division_, &QComboBox::currentIndexChanged, this, &BreakdownPanel::follow);
  connect(measure_passes_, &QPushButton::clicked, this, [this] { emit commandRequested("run.training"); });
}

/// Returns true if the bars show the passes of training steps.
bool BreakdownPanel::byPass() const {
  const auto& measured = workspace_->results().measurement();
  return measured && measured->training && division_->currentIndex() == 0;
}

void BreakdownPanel::tint() {
  chart_->setTint(dataflows_of_offsets(*workspace_, *shown_), shown_->hover().layer);
}

QString BreakdownPanel::headline() const {
  return headline_->text();
}

void BreakdownPanel::follow() {
  if (!workspace_->scene().facts())
    return showEmpty(tr("Open a scene and run a network to see the time of each layer, split into stages."),
                     "file.open", tr("Open scene..."));
  if (workspace_->results().layersRun() == 0)
    return showEmpty(tr("Run the network to see where its time goes."), "run.run", tr("Run network"));
  const auto& measured = workspace_->results().measurement();
  const bool trained = measured && measured->training, by_pass = byPass();
  division_->setVisible(trained);
  measure_passes_->setVisible(!trained && !workspace_->results().report());
  const QString why =
      by_pass
          ? tr("no in-situ times, because training steps are measured layer by layer; choose \"by stage\"")
          : in_situ_unavailable_reason(*workspace_);
  in_situ_->setEnabled(why.isEmpty());
  in_situ_->setToolTip(
      why.isEmpty()
          ? tr("Stage times measured while other stages share the device; not comparable with isolated times")
          : why);
  const bool in_situ = why.isEmpty() && in_situ_->isChecked();
  std::vector<StageBar> bars = by_pass   ? pass_bars(*workspace_)
                               : in_situ ? in_situ_bars(*workspace_)
                                         : isolated_bars(*workspace_);
  if (!in_situ && !by_pass) add_other_thresholds(*workspace_, *selection_, bars);
  if (measured && !by_pass) add_baseline(*workspace_, in_situ, bars);
  headline_->setForegroundRole(times_are_void(*workspace_) ? QPalette::PlaceholderText
                                                           : QPalette::WindowText);
  chart_->setBars(std::move(bars),
                  in_situ    ? tr("in situ, one run")
                  : measured ? tr("median")
                             : tr("one sample"),
                  in_situ ? tr("n = 1 (the repetition with the median wall time, of %1 repetitions)")
                                .arg(measured->timeline.wall_ms.size())
                  : by_pass  ? tr("n = %1").arg(measured->training->wall.ms.size())
                  : measured ? tr("n = %1").arg(measured->repetitions())
                             : tr("n = 1"));
  // If the bars have changed, hide the samples, because they belong to the previous bars.
  if (measured != bars_of_ || in_situ != were_in_situ_ || by_pass != were_by_pass_) samples_->hide();
  bars_of_ = measured;
  were_in_situ_ = in_situ;
  were_by_pass_ = by_pass;
  by_pass ? fillTrainingHeadline() : in_situ ? fillInSituHeadline(measured->timeline) : fillHeadline();
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
  const auto& measured = workspace_->results().measurement();
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
  return tr("Measured on %1, %2")
      .arg(QString::fromStdString(workspace_->results().measurement()->device.name), clock);
}

/// Fills the heading for in-situ times. Omits isolated times, because they are not comparable with in-situ
/// times.
void BreakdownPanel::fillInSituHeadline(const Timeline& timeline) {
  const Statistics wall = statistics(timeline.wall_ms);
  double all_ms = 0;
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track)
    all_ms += timeline.busy_ms(track);
  headline_->setText(
      tr("<b>In situ, end to end: %1</b> (median of %2, IQR %3). The chart shows the repetition with the "
         "median time. <b>Sum of its stages: %4</b>; some stages run concurrently.")
          .arg(onScreen(ms_text(wall.median)))
          .arg(counted(wall.n, tr("1 sample"), tr("%1 samples")))
          .arg(onScreen(ms_text(wall.iqr())), onScreen(ms_text(all_ms))));
  QStringList tips{tr("end to end: %1").arg(percentilesText(timeline.wall_ms))};
  if (const QString missing = missingPercentilesText(timeline.wall_ms); !missing.isEmpty()) tips += missing;
  tips += deviceText(QString::fromStdString(std::string(clock_text(timeline.clock))));
  headline_->setToolTip(tips.join('\n'));
}

/// Fills the heading for training steps: the time of a step, the loss scale, and whether gradients
/// overflowed.
void BreakdownPanel::fillTrainingHeadline() {
  const Measurement& measured = *workspace_->results().measurement();
  const TrainingMeasurement& training = *measured.training;
  const Statistics wall = training.wall.stats();
  QString text = tr("<b>Training step %1</b> (median of %2, IQR %3), loss scale %4, ")
                     .arg(onScreen(ms_text(wall.median)))
                     .arg(counted(wall.n, tr("1 sample"), tr("%1 samples")))
                     .arg(onScreen(ms_text(wall.iqr())))
                     .arg(training.loss_scale);
  const std::string overflow = overflow_text(measured);
  text += overflow.empty()
              ? tr("no overflow.")
              : QString("<b style='color: %1'>%2.</b>")
                    .arg(theme_->palette().error.name(), QString::fromStdString(overflow).toHtmlEscaped());
  double sum = 0;
  for (const StageBar& bar : chart_->bars())
    sum += bar.sum_ms();
  text += " " + tr("Sum of all bars (medians of the single stages): %1.").arg(onScreen(ms_text(sum)));
  headline_->setText(text);
  headline_->setToolTip(QStringList{
      tr("wall time of a step: %1").arg(percentilesText(training.wall.ms)),
      tr("The stages are measured in separate steps, because time stamps make a step longer. The time of a "
         "step can be larger than the sum of its stages: it contains the work between the stages, and the "
         "median of a stage ignores samples that other programs disturbed."),
      tr("Peak memory of a step: %1").arg(onScreen(bytes_text(training.peak_bytes))),
      tr("Gradients are multiplied by the loss scale, so that they do not become 0 in fp16. NaN or infinite "
         "gradients count as an overflow."),
      deviceText(QString::fromStdString(std::string(clocks_text(measured.device.clock))))}
                            .join('\n'));
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
    text += tr(" (median of %1 samples, IQR %2)").arg(lead.n).arg(onScreen(ms_text(*lead.iqr_ms)));
  if (!times->wall && !lead.contents.isEmpty()) text += ", " + lead.contents;
  if (lead.n == 1) text += tr(" (n = 1)");
  if (!workspace_->results().measurement()) return text + tr(". Press Measure (Ctrl+M) for medians.");
  if (times->wall) text += tr(". Sum of all bars: %1").arg(msOnScreen(times->sum_ms, times->samples));
  return text + ".";
}

void BreakdownPanel::fillHeadline() {
  const auto& measured = workspace_->results().measurement();
  headline_->setText(totalText());
  if (const auto& scene = workspace_->scene().facts(); scene && scene->batch > 1)
    headline_->setText(headline_->text() + " " +
                       tr("All times are for a batch of %1 frames.").arg(scene->batch));
  const auto times = run_times(*workspace_);
  if (!measured || !times) return headline_->setToolTip({});
  QStringList tips;
  if (const QString contents = leading_time(*workspace_, *times).contents; !contents.isEmpty())
    tips.prepend(tr("Time in the heading: %1").arg(contents));
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

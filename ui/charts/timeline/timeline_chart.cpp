#include "ui/charts/timeline/timeline_chart.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/charts/timeline/timeline_painter.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QAccessible>
#include <QLabel>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace spira::ui {
namespace {

QString ms(double milliseconds) {
  return onScreen(ms_text(milliseconds));
}

/// Returns the description of the stage, or an empty string for an unknown stage.
QString text_of_stage(const StageKey& stage) {
  for (const StageFacts& facts : stage_facts()) {
    if (facts.name == stage.name())
      return QString::fromUtf8(facts.text.data(), static_cast<qsizetype>(facts.text.size()));
  }
  return {};
}

double end_of(const Timeline& timeline) {
  double end_ms = timeline.shown_wall_ms();
  for (const TimelineSpan& span : timeline.spans)
    end_ms = std::max(end_ms, span.end_ms);
  return end_ms;
}

std::map<QString, QString> short_names_of(const Timeline& timeline) {
  std::set<QString> all;
  for (const TimelineSpan& span : timeline.spans)
    all.insert(QString::fromStdString(std::string(span.stage.layer())));
  const QStringList names(all.begin(), all.end()), brief = shortLayerNames(names);
  std::map<QString, QString> found;
  for (qsizetype at = 0; at < names.size(); ++at)
    found[names[at]] = brief[at];
  return found;
}

}  // namespace

QString TimelineView::tipOf(int span) const {
  if (!timeline || span < 0) return {};
  const TimelineSpan& here = timeline->spans.at(static_cast<std::size_t>(span));
  const Statistics s = statistics(here.samples_ms);
  const QString does = text_of_stage(here.stage);
  return TimelineChart::tr("%1%2\nstarts at %3, takes %4, on track %5\nmedian %6, IQR %7, n = %8")
      .arg(QString::fromStdString(here.stage.text()), does.isEmpty() ? QString() : "\n" + does,
           ms(here.start_ms), ms(here.length_ms()),
           QString::fromStdString(timeline->tracks[static_cast<std::size_t>(here.track)]), ms(s.median),
           ms(s.iqr()))
      .arg(s.n);
}

bool TimelineView::comparesLayer() const {
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before[at].second >= 0 && layers[at] == chosen_layer) return true;
  }
  return false;
}

TimelineChart::TimelineChart(Theme* theme, QWidget* parent)
    : PlotChart(theme, tr("Timeline: one row per track, one rectangle per stage"), QSize(0, 0), parent),
      painter_(new TimelinePainter(plot_, theme, &view_)),
      keys_(new QLabel(this)) {
  plot_->yAxis->setRangeReversed(true);
  plot_->yAxis->setTickLength(0, 0);
  plot_->yAxis->grid()->setVisible(false);
  plot_->legend->setVisible(false);
  keys_->setText(
      tr("<table cellspacing='2'>"
         "<tr><td><b>W S</b>, wheel&nbsp;&nbsp;</td><td>zoom in and out at the pointer</td></tr>"
         "<tr><td><b>A D</b>, drag</td><td>move left and right</td></tr>"
         "<tr><td><b>F</b></td><td>zoom to the selected span or layer; press again to show all</td></tr>"
         "<tr><td><b>, .</b></td><td>go to the previous or next span of the row</td></tr>"
         "<tr><td><b>&uarr; &darr;</b></td><td>go to the row above or below</td></tr>"
         "<tr><td><b>P</b>, click on row name&nbsp;&nbsp;</td><td>pin the row to the top; press again to "
         "unpin it</td></tr>"
         "<tr><td><b>R</b>, drag</td><td>sum the times in a range; press R again to use the visible "
         "range</td></tr>"
         "<tr><td><b>Enter</b></td><td>select the layer of the span</td></tr>"
         "<tr><td><b>Esc</b></td><td>clear the range or deselect the span</td></tr>"
         "<tr><td><b>?</b></td><td>show or hide this list</td></tr></table>"));
  keys_->setObjectName("timeline-keys");
  keys_->setAccessibleName(tr("Keys of the timeline"));
  keys_->setAutoFillBackground(true);
  keys_->setFrameShape(QFrame::StyledPanel);
  keys_->setMargin(6);
  keys_->setAttribute(Qt::WA_TransparentForMouseEvents);
  keys_->hide();
  restyle();
}

void TimelineChart::setTimeline(std::shared_ptr<const Timeline> timeline, std::vector<int> layers,
                                WeightStationaryLayers weight_stationary) {
  const int chosen = view_.chosen_layer;
  const bool focused = view_.focused;
  view_ = {};
  view_.chosen_layer = chosen;
  view_.focused = focused;
  view_.timeline = std::move(timeline);
  view_.layers = std::move(layers);
  view_.weight_stationary = std::move(weight_stationary);
  takes_area_ = focused_on_ = false;
  pressed_.reset();
  if (view_.timeline) {
    view_.groups = colours_of(*view_.timeline, view_.weight_stationary);
    view_.short_names = short_names_of(*view_.timeline);
    scale_.setWall(end_of(*view_.timeline));
  }
  setAccessibleDescription({});
  emit areaChanged();
  placeTracks();
  contentChanged();
  rebuild();
}

void TimelineChart::setBaseline(const std::shared_ptr<const Timeline>& timeline) {
  view_.before.clear();
  if (!view_.timeline) return rebuild();
  double end_ms = end_of(*view_.timeline);
  if (timeline && timeline->mode == view_.timeline->mode) {
    std::map<StageKey, const TimelineSpan*> old;  // The first baseline span of each stage.
    for (const TimelineSpan& span : timeline->spans) {
      if (span.parent < 0) old.emplace(span.stage, &span);
    }
    for (const TimelineSpan& span : view_.timeline->spans) {
      const auto found = span.parent < 0 ? old.find(span.stage) : old.end();
      view_.before.push_back(found == old.end() ? std::pair(-1.0, -1.0)
                                                : std::pair(found->second->start_ms, found->second->end_ms));
      // Makes the axis long enough for all baseline spans.
      end_ms = std::max(end_ms, view_.before.back().second);
    }
  }
  if (end_ms != scale_.wall()) scale_.setWall(end_ms);  // If the length is unchanged, keeps the zoom.
  rebuild();
}

void TimelineChart::setChosenLayer(int layer) {
  view_.chosen_layer = layer;
  if (view_.current >= 0 && layer != view_.layers[static_cast<std::size_t>(view_.current)])
    view_.current = -1;
  focused_on_ = false;
  rebuild();
}

void TimelineChart::setChosenPhase(std::optional<StageGroup> phase) {
  if (phase == view_.chosen_phase) return;
  view_.chosen_phase = phase;
  rebuild();
}

void TimelineChart::setTint(const std::set<StageGroup>& phases) {
  if (phases == view_.tinted) return;
  view_.tinted = phases;
  rebuild();
}

QRectF TimelineChart::rectOf(int span) const {
  return painter_->rectOf(span);
}

ChartText TimelineChart::text() const {
  if (!view_.timeline) return {};
  const auto repetitions = view_.timeline->wall_ms.size();
  return {view_.timeline->mode == TimelineMode::in_situ ? tr("Timeline (in situ)")
                                                        : tr("Timeline (sequential stages)"),
          tr("ms since the first timer event"), tr("repetition with the median end-to-end time"),
          tr("n = %1").arg(repetitions)};
}

bool TimelineChart::hasContent() const {
  return view_.timeline && !view_.timeline->empty();
}

std::vector<LegendEntry> TimelineChart::legendEntries() const {
  std::vector<LegendEntry> all;
  for (const StageGroup group : std::set<StageGroup>(view_.groups.begin(), view_.groups.end()))
    all.push_back({theme_->stage(group), shortStageGroupText(group)});
  return all;
}

ChartTable TimelineChart::table() const {
  ChartTable table{{tr("Stage"), tr("Track"), tr("Start, ms"), tr("Duration, ms"), tr("Median, ms"),
                    tr("IQR, ms"), tr("n")},
                   {}};
  if (!view_.timeline) return table;
  for (const TimelineSpan& span : view_.timeline->spans) {
    const Statistics s = statistics(span.samples_ms);
    table.rows.push_back(
        {QString::fromStdString(span.stage.text()),
         QString::fromStdString(view_.timeline->tracks[static_cast<std::size_t>(span.track)]), span.start_ms,
         span.length_ms(), s.median, s.iqr(), static_cast<int>(s.n)});
  }
  return table;
}

MeasuredSubject TimelineChart::subjectOf(int row) const {
  MeasuredSubject subject;
  if (row >= 0) subject.layer = view_.layers[static_cast<std::size_t>(row)];
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

std::unique_ptr<Chart> TimelineChart::twin(Theme* theme) const {
  auto other = std::make_unique<TimelineChart>(theme);
  other->pinned_ = pinned_;
  other->setTimeline(view_.timeline, view_.layers, view_.weight_stationary);
  if (scale_.low() > 0 || scale_.high() < scale_.wall()) other->scale_.set(scale_.low(), scale_.high());
  return other;
}

void TimelineChart::restyle() {
  PlotChart::restyle();
  plot_->xAxis->grid()->setVisible(true);
  plot_->yAxis->setTickLabelColor(theme_->palette().text);
}

void TimelineChart::rebuild() {
  constexpr int room_for_unit = 120;
  plot_->xAxis->setLabel(height() < room_for_unit ? QString() : tr("ms since the first timer event"));
  plot_->xAxis->setRange(scale_.low(), scale_.high());
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineChart::setCurrent(int span) {
  view_.current = span;
  focused_on_ = false;
  emit currentChanged(span);
  setAccessibleDescription(view_.tipOf(span));
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
  rebuild();
}

void TimelineChart::setArea(const std::optional<TimelineArea>& area) {
  view_.area = area;
  if (area) {
    view_.area->low_ms = std::clamp(area->low_ms, 0.0, scale_.wall());
    view_.area->high_ms = std::clamp(area->high_ms, 0.0, scale_.wall());
  }
  emit areaChanged();
  rebuild();
}

/// Creates the axis labels. A track has one lane for each nesting depth of its spans. Lane i extends from i
/// to i + 1 on the axis. The name of a track is in the middle of its lanes.
void TimelineChart::placeTracks() {
  view_.lanes = view_.timeline ? lanes_of(*view_.timeline, pinned_) : TimelineLanes();
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const auto& first = view_.lanes.first_lane;
  for (std::size_t row = 0; row + 1 < first.size(); ++row) {
    const auto track = static_cast<std::size_t>(view_.lanes.tracks[row]);
    const QString name = QString::fromStdString(view_.timeline->tracks[track]);
    const bool pinned = static_cast<int>(row) < view_.lanes.pinned;
    ticker->addTick((first[row] + first[row + 1]) / 2.0, pinned ? QString(QChar(0x25B2)) + " " + name : name);
  }
  plot_->yAxis->setTicker(ticker);
  plot_->yAxis->setRange(0, std::max(1, view_.lanes.count()));
}

int TimelineChart::trackAtLane(int lane) const {
  const auto& first = view_.lanes.first_lane;
  const auto after = std::upper_bound(first.begin(), first.end(), lane);
  if (after == first.begin() || after == first.end()) return -1;
  return view_.lanes.tracks[static_cast<std::size_t>(after - first.begin() - 1)];
}

int TimelineChart::trackNamedAt(const QPointF& at) const {
  const QRect plot = plot_->axisRect()->rect();
  if (!view_.timeline || at.x() >= plot.left() || at.y() < plot.top() || at.y() > plot.bottom()) return -1;
  return trackAtLane(painter_->laneAt(at.y()));
}

/// Returns the track of the current span. If there is no current span, returns the track under the pointer.
int TimelineChart::trackToPin() const {
  if (view_.current >= 0) return view_.timeline->spans[static_cast<std::size_t>(view_.current)].track;
  return pointer_ ? trackAtLane(painter_->laneAt(pointer_->y())) : -1;
}

void TimelineChart::pinTrack(int track) {
  if (!view_.timeline || track < 0) return;
  const std::string& name = view_.timeline->tracks.at(static_cast<std::size_t>(track));
  if (std::erase(pinned_, name) == 0) pinned_.push_back(name);
  // Remove the selected area, because other tracks will be in its lanes.
  setArea(std::nullopt);
  placeTracks();
  rebuild();
}

/// Returns the time range for the F key: the current span, or the spans of the selected layer if no span is
/// current.
std::optional<std::pair<double, double>> TimelineChart::wanted() const {
  const auto& spans = view_.timeline->spans;
  if (view_.current >= 0) {
    const TimelineSpan& span = spans[static_cast<std::size_t>(view_.current)];
    return std::pair(span.start_ms, span.end_ms);
  }
  std::optional<std::pair<double, double>> both;
  for (std::size_t span = 0; span < spans.size(); ++span) {
    if (view_.chosen_layer < 0 || view_.layers[span] != view_.chosen_layer) continue;
    if (!both) both.emplace(spans[span].start_ms, spans[span].end_ms);
    both->first = std::min(both->first, spans[span].start_ms);
    both->second = std::max(both->second, spans[span].end_ms);
  }
  return both;
}

void TimelineChart::fitOrFocus() {
  if (!view_.timeline) return;
  const auto part = wanted();
  if (part && !focused_on_) {
    scale_.show(part->first, part->second);
    focused_on_ = true;
  } else {
    scale_.fit();
    focused_on_ = false;
  }
  rebuild();
}

void TimelineChart::toggleKeys() {
  showKeys(keys_->isHidden());
}

void TimelineChart::showKeys(bool shown) {
  // Show the list of keys as a child of the window, because the chart may not be high enough for it.
  if (shown) keys_->setParent(window());
  keys_->setVisible(shown);
  if (shown) placeKeys();
}

/// Places the list of keys at the bottom right of the chart, inside the window.
void TimelineChart::placeKeys() {
  if (keys_->isHidden()) return;
  keys_->adjustSize();
  const QPoint corner =
      mapTo(window(), QPoint(width() - keys_->width() - 12, height() - keys_->height() - 12));
  keys_->move(std::max(0, corner.x()), std::max(0, corner.y()));
  keys_->raise();
}

void TimelineChart::hideEvent(QHideEvent*) {
  showKeys(false);
}

}  // namespace spira::ui

// Position, names and pinning of the tracks of a timeline.
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/charts/timeline/timeline_painter.hpp"

#include <algorithm>

namespace spira::ui {

/// Writes the name in the middle of each track. Lanes lie between whole numbers on the axis.
void TimelineChart::placeTracks() {
  view_->lanes = view_->timeline ? lanes_of(*view_->timeline, pinned_) : TimelineLanes();
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const auto& first = view_->lanes.first_lane;
  for (std::size_t row = 0; row + 1 < first.size(); ++row) {
    const auto track = static_cast<std::size_t>(view_->lanes.tracks[row]);
    const QString name = QString::fromStdString(view_->timeline->tracks[track]);
    const bool pinned = static_cast<int>(row) < view_->lanes.pinned;
    ticker->addTick((first[row] + first[row + 1]) / 2.0, pinned ? QString(QChar(0x25B2)) + " " + name : name);
  }
  plot_->yAxis->setTicker(ticker);
  plot_->yAxis->setRange(0, std::max(1, view_->lanes.count()));
}

int TimelineChart::trackAtLane(int lane) const {
  const auto& first = view_->lanes.first_lane;
  const auto after = std::upper_bound(first.begin(), first.end(), lane);
  if (after == first.begin() || after == first.end()) return -1;
  return view_->lanes.tracks[static_cast<std::size_t>(after - first.begin() - 1)];
}

int TimelineChart::trackNamedAt(const QPointF& at) const {
  const QRect plot = plot_->axisRect()->rect();
  if (!view_->timeline || at.x() >= plot.left() || at.y() < plot.top() || at.y() > plot.bottom()) return -1;
  return trackAtLane(painter_->laneAt(at.y()));
}

/// Returns the track of the current span, else the track under the pointer.
int TimelineChart::trackToPin() const {
  if (view_->current >= 0) return view_->timeline->spans[static_cast<std::size_t>(view_->current)].track;
  return pointer_ ? trackAtLane(painter_->laneAt(pointer_->y())) : -1;
}

void TimelineChart::pinTrack(int track) {
  if (!view_->timeline || track < 0) return;
  const std::string& name = view_->timeline->tracks.at(static_cast<std::size_t>(track));
  if (std::erase(pinned_, name) == 0) pinned_.push_back(name);
  setArea(std::nullopt);  // The rows of the area now show other tracks.
  placeTracks();
  rebuild();
}

}  // namespace spira::ui

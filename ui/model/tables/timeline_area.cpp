#include "ui/model/tables/timeline_area.hpp"

#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

const TimelineSpan& at(const Timeline& timeline, int span) {
  return timeline.spans[static_cast<std::size_t>(span)];
}

std::vector<int> spans_of_lane(const Timeline& timeline, const TimelineLanes& lanes, int lane) {
  std::vector<int> spans;
  for (int span = 0; span < static_cast<int>(timeline.spans.size()); ++span) {
    if (lanes.lane_of[static_cast<std::size_t>(span)] == lane) spans.push_back(span);
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [&](int a, int b) { return at(timeline, a).start_ms < at(timeline, b).start_ms; });
  return spans;
}

/// Returns the indices of the tracks in display order. Pinned tracks come first, in the order of `pinned`,
/// followed by all other tracks in recording order.
std::vector<int> tracks_in_order(const Timeline& timeline, const std::vector<std::string>& pinned) {
  std::vector<int> tracks(timeline.tracks.size());
  std::iota(tracks.begin(), tracks.end(), 0);
  std::stable_sort(tracks.begin(), tracks.end(), [&](int a, int b) {
    const auto place = [&](int track) {
      return std::find(pinned.begin(), pinned.end(), timeline.tracks[static_cast<std::size_t>(track)]);
    };
    return place(a) < place(b);
  });
  return tracks;
}

}  // namespace

WeightStationaryLayers weight_stationary_layers(const Network& network, const Plan& plan) {
  WeightStationaryLayers names;
  for (std::size_t layer = 0; layer < std::min(network.layers.size(), plan.layers.size()); ++layer) {
    if (plan.layers[layer].threshold == 0) names.insert(network.layers[layer].name);
  }
  return names;
}

StageGroup group_of(const Timeline& timeline, const TimelineSpan& span,
                    const WeightStationaryLayers& weight_stationary) {
  if (timeline.mode == TimelineMode::in_situ && span.stage.phase == "features")
    return weight_stationary.contains(span.stage.layer()) ? StageGroup::weight_stationary
                                                          : StageGroup::output_stationary;
  const auto own = static_cast<int>(&span - timeline.spans.data());
  const bool has_parts = std::any_of(timeline.spans.begin(), timeline.spans.end(),
                                     [own](const TimelineSpan& inner) { return inner.parent == own; });
  return has_parts ? StageGroup::residual : span.stage.group();
}

std::vector<StageGroup> colours_of(const Timeline& timeline,
                                   const WeightStationaryLayers& weight_stationary) {
  std::vector<StageGroup> groups;
  std::vector<double> longest(timeline.spans.size(), 0.0);
  for (const TimelineSpan& span : timeline.spans) {
    const bool features = span.stage.phase == "features";
    groups.push_back(features ? group_of(timeline, span, weight_stationary) : span.stage.group());
    if (span.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(span.parent);
    if (timeline.spans[parent].stage.phase != "features" || span.length_ms() <= longest[parent]) continue;
    longest[parent] = span.length_ms();
    groups[parent] = groups.back();
  }
  return groups;
}

TimelineLanes lanes_of(const Timeline& timeline, const std::vector<std::string>& pinned) {
  std::vector<int> depth_of, deepest(timeline.tracks.size(), 0);
  for (const TimelineSpan& span : timeline.spans) {
    depth_of.push_back(span.parent < 0 ? 0 : depth_of[static_cast<std::size_t>(span.parent)] + 1);
    int& most = deepest[static_cast<std::size_t>(span.track)];
    most = std::max(most, depth_of.back());
  }
  TimelineLanes lanes;
  lanes.tracks = tracks_in_order(timeline, pinned);
  lanes.pinned = static_cast<int>(
      std::count_if(timeline.tracks.begin(), timeline.tracks.end(), [&](const std::string& track) {
        return std::find(pinned.begin(), pinned.end(), track) != pinned.end();
      }));
  std::vector<int> first_of(timeline.tracks.size(), 0);
  lanes.first_lane.push_back(0);
  for (const int track : lanes.tracks) {
    first_of[static_cast<std::size_t>(track)] = lanes.first_lane.back();
    lanes.first_lane.push_back(lanes.first_lane.back() + deepest[static_cast<std::size_t>(track)] + 1);
  }
  for (std::size_t span = 0; span < timeline.spans.size(); ++span)
    lanes.lane_of.push_back(first_of[static_cast<std::size_t>(timeline.spans[span].track)] + depth_of[span]);
  return lanes;
}

int span_along(const Timeline& timeline, const TimelineLanes& lanes, int span, int step) {
  if (timeline.spans.empty()) return -1;
  if (span < 0) {
    const auto first = std::min_element(
        timeline.spans.begin(), timeline.spans.end(),
        [](const TimelineSpan& a, const TimelineSpan& b) { return a.start_ms < b.start_ms; });
    return static_cast<int>(first - timeline.spans.begin());
  }
  const auto row = spans_of_lane(timeline, lanes, lanes.lane_of[static_cast<std::size_t>(span)]);
  const auto here = std::find(row.begin(), row.end(), span) - row.begin();
  return row[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + step, 0, std::ssize(row) - 1))];
}

int span_across(const Timeline& timeline, const TimelineLanes& lanes, int span, int step) {
  if (span < 0) return span_along(timeline, lanes, span, 0);
  const TimelineSpan& from = at(timeline, span);
  const double middle = (from.start_ms + from.end_ms) / 2;
  // Returns the distance in time between `other` and the middle of `span`. It is 0 if `other` covers the
  // middle.
  const auto away = [&](int other) {
    const TimelineSpan& to = at(timeline, other);
    return std::max({0.0, to.start_ms - middle, middle - to.end_ms});
  };
  const int begin = lanes.lane_of[static_cast<std::size_t>(span)];
  for (int lane = begin + step; lane >= 0 && lane < lanes.count(); lane += step) {
    const auto row = spans_of_lane(timeline, lanes, lane);
    if (row.empty()) continue;
    return *std::min_element(row.begin(), row.end(), [&](int a, int b) { return away(a) < away(b); });
  }
  return span;
}

std::vector<AreaRow> add_up(const Timeline& timeline, const TimelineLanes& lanes, const TimelineArea& area,
                            const WeightStationaryLayers& weight_stationary) {
  std::vector<double> own(timeline.spans.size(), 0.0);
  for (std::size_t index = 0; index < own.size(); ++index) {
    const TimelineSpan& span = timeline.spans[index];
    const int lane = lanes.lane_of[index];
    if (lane < area.first_lane || lane > area.last_lane) continue;
    const double inside = std::min(span.end_ms, area.high_ms) - std::max(span.start_ms, area.low_ms);
    if (!(inside > 0)) continue;
    own[index] = inside;
    // If the lane of the parent is outside the area, the value of the parent becomes negative. Such a parent
    // gets no row.
    if (span.parent >= 0) own[static_cast<std::size_t>(span.parent)] -= inside;
  }
  std::map<std::pair<std::string, StageGroup>, AreaRow> rows;
  for (std::size_t index = 0; index < own.size(); ++index) {
    if (!(own[index] > 0)) continue;
    const TimelineSpan& span = timeline.spans[index];
    const std::string layer(span.stage.layer());
    const StageGroup group = group_of(timeline, span, weight_stationary);
    AreaRow& row = rows.try_emplace({layer, group}, AreaRow{layer, group}).first->second;
    row.spans.push_back(static_cast<int>(index));
    row.total_ms += own[index];
  }
  std::vector<AreaRow> result;
  for (auto& [key, row] : rows)
    result.push_back(std::move(row));
  std::stable_sort(result.begin(), result.end(),
                   [](const AreaRow& a, const AreaRow& b) { return a.total_ms > b.total_ms; });
  return result;
}

QString stageGroupText(StageGroup group) {
  switch (group) {
    case StageGroup::voxelize:
      return QCoreApplication::translate("StageGroup", "voxelize");
    case StageGroup::downsample:
      return QCoreApplication::translate("StageGroup", "down-sample");
    case StageGroup::search:
      return QCoreApplication::translate("StageGroup", "map: search");
    case StageGroup::transpose:
      return QCoreApplication::translate("StageGroup", "map: transpose");
    case StageGroup::filter:
      return QCoreApplication::translate("StageGroup", "map: filter");
    case StageGroup::order:
      return QCoreApplication::translate("StageGroup", "row order");
    case StageGroup::output_stationary:
      return QCoreApplication::translate("StageGroup", "output-stationary");
    case StageGroup::weight_stationary:
      return QCoreApplication::translate("StageGroup", "weight-stationary");
    case StageGroup::epilogue:
      return QCoreApplication::translate("StageGroup", "epilogue");
    case StageGroup::residual:
      return QCoreApplication::translate("StageGroup", "outside timed steps");
    case StageGroup::other:
      break;
  }
  return QCoreApplication::translate("StageGroup", "other");
}

QString residualTip() {
  return QCoreApplication::translate("StageGroup",
                                     "%1: a stage is timed as a whole, and its steps separately. This is the "
                                     "part of the stage that no "
                                     "step covers.")
      .arg(stageGroupText(StageGroup::residual));
}

QString shortStageGroupText(StageGroup group) {
  switch (group) {
    case StageGroup::output_stationary:
      return QCoreApplication::translate("StageGroup", "OS");
    case StageGroup::weight_stationary:
      return QCoreApplication::translate("StageGroup", "WS");
    case StageGroup::residual:
      return QCoreApplication::translate("StageGroup", "outside steps");
    default:
      return stageGroupText(group);
  }
}

void TimelineAreaModel::setRows(std::vector<AreaRow> rows, std::map<QString, QString> short_names) {
  beginResetModel();
  rows_ = std::move(rows);
  short_names_ = std::move(short_names);
  endResetModel();
}

double TimelineAreaModel::totalMs() const {
  double sum = 0;
  for (const AreaRow& row : rows_)
    sum += row.total_ms;
  return sum;
}

int TimelineAreaModel::spanCount() const {
  int sum = 0;
  for (const AreaRow& row : rows_)
    sum += static_cast<int>(row.spans.size());
  return sum;
}

int TimelineAreaModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TimelineAreaModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QString TimelineAreaModel::text(const AreaRow& row, int column) const {
  switch (column) {
    case layer:
      return row.layer.empty() ? tr("(no layer)") : QString::fromStdString(row.layer);
    case phase:
      return stageGroupText(row.group);
    case spans:
      return QString::number(row.spans.size());
    case total:
      return onScreen(fixed(row.total_ms, 3));
    default:
      return onScreen(percent_text(row.total_ms / totalMs()));
  }
}

QVariant TimelineAreaModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const QString shown = text(row(index.row()), index.column());
  if (role == Qt::DisplayRole && index.column() == layer) {
    const auto brief = short_names_.find(shown);
    return brief == short_names_.end() ? shown : brief->second;
  }
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return shown;
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() >= spans ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

QVariant TimelineAreaModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section >= spans ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QStringList titles{tr("Layer"), tr("Phase"), tr("Spans"), tr("Total, ms"), tr("Share")};
  return titles.value(section);
}

}  // namespace spira::ui

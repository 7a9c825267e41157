// Computations on the spans of a timeline without widgets: lanes, navigation between spans, and sums over a
// time range.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/job/timeline.hpp"

#include <QAbstractTableModel>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spira {
struct Network;
struct Plan;
}  // namespace spira

namespace spira::ui {

/// Names of the layers whose features are weight-stationary only.
using WeightStationaryLayers = std::set<std::string, std::less<>>;
[[nodiscard]] WeightStationaryLayers weight_stationary_layers(const Network& network, const Plan& plan);

/// Returns the stage group to which the time of a span is added. In situ, the feature computation of a layer
/// is one span. This span counts as weight-stationary if the layer is in `weight_stationary`, and otherwise
/// as output-stationary, even if its dataflow is hybrid. In a timeline of sequential stages, the feature
/// computation has child spans, and the time outside the child spans counts as residual.
[[nodiscard]] StageGroup group_of(const Timeline& timeline, const TimelineSpan& span,
                                  const WeightStationaryLayers& weight_stationary = {});
/// Returns the stage group that determines the colour of each span. It equals group_of(), except for features
/// with child spans, which get the group of their longest child.
[[nodiscard]] std::vector<StageGroup> colours_of(const Timeline& timeline,
                                                 const WeightStationaryLayers& weight_stationary = {});

/// The lane of each span. A track has one lane for each nesting depth of its spans.
struct TimelineLanes {
  std::vector<int> lane_of;
  std::vector<int> tracks;  ///< Indices into Timeline::tracks, from top to bottom.
  /// First lane of each entry of `tracks`, followed by the total number of lanes.
  std::vector<int> first_lane;
  int pinned = 0;  ///< Number of tracks that are pinned to the top. They come first in `tracks`.
  [[nodiscard]] int count() const noexcept { return first_lane.empty() ? 0 : first_lane.back(); }
};
/// Assigns the spans to lanes. `pinned` contains the names of the tracks to place above all others, in this
/// order. Unknown names are ignored.
[[nodiscard]] TimelineLanes lanes_of(const Timeline& timeline, const std::vector<std::string>& pinned = {});

/// Returns the span that comes `step` spans after `span` in its lane, ordered by start. Stops at both ends of
/// the lane. If `span` is -1, returns the earliest span of the timeline.
[[nodiscard]] int span_along(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);
/// Returns the span that is nearest in time to `span` in the next non-empty lane above (`step` = -1) or below
/// (`step` = 1). Returns `span` if no such lane exists.
[[nodiscard]] int span_across(const Timeline& timeline, const TimelineLanes& lanes, int span, int step);

struct TimelineArea {
  double low_ms = 0, high_ms = 0;
  int first_lane = 0, last_lane = 0;  ///< The first and the last lane inside the area.
};
/// Total time of one layer in one stage group, within an area of the timeline.
struct AreaRow {
  std::string layer;  ///< Empty if the spans belong to no layer.
  StageGroup group = StageGroup::other;
  std::vector<int> spans{};  ///< Indices into Timeline::spans.
  double total_ms = 0;
};
/// Returns the sum of the times in an area for each layer and stage group, the largest sum first. If a span
/// is partly outside the area, only its part inside the area counts. The time of child spans is subtracted
/// from the time of their parent.
[[nodiscard]] std::vector<AreaRow> add_up(const Timeline& timeline, const TimelineLanes& lanes,
                                          const TimelineArea& area,
                                          const WeightStationaryLayers& weight_stationary = {});

// Qt table model of the sums over an area of a timeline. The columns are layer, phase, spans, total and
// share.

/// Returns the display name of a stage group, such as "map: search" or "output-stationary".
[[nodiscard]] QString stageGroupText(StageGroup group);
/// Returns a short name such as "search" or "OS".
[[nodiscard]] QString shortStageGroupText(StageGroup group);
/// Returns the name and the explanation of StageGroup::residual for tooltips.
[[nodiscard]] QString residualTip();

class TimelineAreaModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { layer, phase, spans, total, share, columns };
  using QAbstractTableModel::QAbstractTableModel;

  /// `short_names` contains the short layer names by full name. Tooltips show the full names.
  void setRows(std::vector<AreaRow> rows, std::map<QString, QString> short_names = {});
  [[nodiscard]] double totalMs() const;
  [[nodiscard]] int spanCount() const;
  [[nodiscard]] const AreaRow& row(int row) const { return rows_.at(static_cast<std::size_t>(row)); }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] QString text(const AreaRow& row, int column) const;

  std::vector<AreaRow> rows_;
  std::map<QString, QString> short_names_;
};

}  // namespace spira::ui

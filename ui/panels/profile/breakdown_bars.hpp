// Creates the bars of the Breakdown panel: one bar for the indexing, one bar for each kernel map with the
// layers that use it, and one bar for each layer.
#pragma once

#include "engine/run/measurement.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <map>
#include <vector>

namespace spira::ui {

/// Returns the time of each kind of stage in a tree, in ms. The time of a stage inside another stage is
/// counted only once.
[[nodiscard]] std::map<StageGroup, double> parts_of(const StageTree& stages);
/// Returns the bars of the measurement, or of single runs if no measurement exists. Each stage was timed
/// separately.
[[nodiscard]] std::vector<StageBar> isolated_bars(const Workspace& workspace);
/// Returns bars made from the spans of the in-situ timeline. Returns an empty list if
/// in_situ_unavailable_reason() returns a reason.
[[nodiscard]] std::vector<StageBar> in_situ_bars(const Workspace& workspace);
/// Returns the bars of the training steps, divided into passes. Returns an empty list if no training step was
/// measured.
[[nodiscard]] std::vector<StageBar> pass_bars(const Workspace& workspace);
/// Adds the baseline time to each bar, if a baseline run is open.
void add_baseline(const Workspace& workspace, bool in_situ, std::vector<StageBar>& bars);
/// Adds the time with another t to the bars of layers whose t differs from the measured t. The other t is the
/// t under the dragged divider or, if no divider is dragged, the t of the plan. Modelled times are drawn
/// dotted, and measured times with a solid line.
void add_other_thresholds(const Workspace& workspace, const Selection& selection,
                          std::vector<StageBar>& bars);
/// Returns why there are no in-situ bars. Returns an empty string if in-situ bars are available.
[[nodiscard]] QString in_situ_unavailable_reason(const Workspace& workspace);

}  // namespace spira::ui

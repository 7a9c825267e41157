// Makes the bars of the Breakdown panel: indexing, each kernel map once with the layers that use it, and each
// layer.
#pragma once

#include "engine/run/measurement.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <vector>

namespace spira::ui {

/// Returns the bars of the measurement, else of single runs. Each stage was timed separately.
[[nodiscard]] std::vector<StageBar> isolated_bars(const Workspace& workspace);
/// Returns bars made from the spans of the in-situ timeline. Returns an empty list if
/// in_situ_unavailable_reason() gives a reason.
[[nodiscard]] std::vector<StageBar> in_situ_bars(const Workspace& workspace);
/// Adds the time of each bar in the baseline run, if there is one.
void add_baseline(const Workspace& workspace, bool in_situ, std::vector<StageBar>& bars);
/// Adds the time for another t to the bars of layers whose t in the plan, or under the dragged divider,
/// differs from the measured t. A time from the model is drawn dotted, a measured time is drawn with a solid
/// line.
void add_other_thresholds(const Workspace& workspace, const Selection& selection,
                          std::vector<StageBar>& bars);
/// Returns why in-situ bars are not available; empty if they are.
[[nodiscard]] QString in_situ_unavailable_reason(const Workspace& workspace);

}  // namespace spira::ui

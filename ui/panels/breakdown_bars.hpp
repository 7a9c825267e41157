// The bars of Breakdown: indexing, each kernel map once with the layers that use it, and each layer.
#pragma once

#include "engine/run/measurement.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <vector>

namespace spira::ui {

/// Of a measurement, or of single runs where there is none; stages one by one.
[[nodiscard]] std::vector<StageBar> isolated_bars(const Workspace& workspace);
/// Of the spans of the timeline, where they share the device; empty where there is no such timeline.
[[nodiscard]] std::vector<StageBar> in_situ_bars(const Workspace& workspace);
/// What each took in the run beside the open one, if there is one.
void add_baseline(const Workspace& workspace, bool in_situ, std::vector<StageBar>& bars);
/// Layers whose t in the plan, or under the divider that is dragged, is not the one that was measured: what
/// they would take, as dotted bars by a model, drawn through where it was measured.
void add_other_thresholds(const Workspace& workspace, const Selection& selection,
                          std::vector<StageBar>& bars);
/// Why there are no bars in situ; empty: there are.
[[nodiscard]] QString why_not_in_situ(const Workspace& workspace);

}  // namespace spira::ui

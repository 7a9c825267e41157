// The samples behind the time of a layer, for the samples pane.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "ui/charts/histogram_chart.hpp"

#include <vector>

namespace spira::ui {

/// A series a stage, by its path. Where several stages lie in no other one, their sum in each repetition
/// comes first.
[[nodiscard]] std::vector<SampleSeries> samples_of(const StageTree& stages);

}  // namespace spira::ui

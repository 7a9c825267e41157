// Collects the samples of a layer for SamplesPane.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "ui/charts/histogram_chart.hpp"

#include <vector>

namespace spira::ui {

/// Returns one series for each stage, named by its path. If there are several top-level stages, their sum for
/// each repetition comes first.
[[nodiscard]] std::vector<SampleSeries> samples_of(const StageTree& stages);

}  // namespace spira::ui

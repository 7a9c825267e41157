// What a setting of a sweep spends its time on: isolated passes, split for the bars of a chart.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/tune/sweep.hpp"

#include <QString>

#include <array>
#include <vector>

namespace spira::ui {

/// From the foot of a bar upwards; each stands for its colour role too.
inline constexpr std::array sweep_part_groups{StageGroup::downsample, StageGroup::search,
                                              StageGroup::output_stationary, StageGroup::weight_stationary,
                                              StageGroup::other};
using SweepParts = std::array<double, sweep_part_groups.size()>;  ///< ms, as sweep_part_groups

/// All zero of a row without stages.
[[nodiscard]] SweepParts sweep_parts(const StageTree& stages);
/// "levels", "maps", "output-stationary", ...; short: "OS".
[[nodiscard]] QString sweepPartText(StageGroup group, bool shortly);
/// "n = 30 each; parts: one isolated pass": how many samples the medians are of, and what the parts are of.
[[nodiscard]] QString sweepSamplesText(const Sweep& sweep);

}  // namespace spira::ui

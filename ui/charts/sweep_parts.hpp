// Splits the isolated passes of a sweep's setting into the parts of a bar.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/tune/sweep.hpp"

#include <QString>

#include <array>
#include <vector>

namespace spira::ui {

/// Parts from the bottom of a bar to its top. Each group also selects the colour of its part.
inline constexpr std::array sweep_part_groups{StageGroup::downsample, StageGroup::search,
                                              StageGroup::output_stationary, StageGroup::weight_stationary,
                                              StageGroup::other};
/// In ms, in the order of sweep_part_groups.
using SweepParts = std::array<double, sweep_part_groups.size()>;

/// Returns zeros if `stages` is empty.
[[nodiscard]] SweepParts sweep_parts(const StageTree& stages);
/// Returns "levels", "maps", "output-stationary", ...; abbreviates to "OS" and "WS" if `shortly` is true.
[[nodiscard]] QString sweepPartText(StageGroup group, bool shortly);
/// Returns the number of samples behind the medians and the parts: "n = 30 each; parts: one isolated pass".
[[nodiscard]] QString sweepSamplesText(const Sweep& sweep);

}  // namespace spira::ui

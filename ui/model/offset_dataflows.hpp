// Which dataflows compute the offsets that are looked at.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <set>

namespace spira::ui {

/// Of the offsets under the pointer, else of the chosen ones, in the chosen layer with the t of the plan:
/// those with an L1 norm below t are computed output-stationary, the others weight-stationary. Empty: none is
/// looked at.
[[nodiscard]] std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace,
                                                        const Selection& selection);

}  // namespace spira::ui

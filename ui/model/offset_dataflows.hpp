// Which dataflows compute the offsets under the pointer or in the selection.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <set>

namespace spira::ui {

/// Considers the offsets under the pointer, or the chosen offsets if there are none, in the chosen layer.
/// With the t of the plan, offsets with an L1 norm below t are output-stationary, the others
/// weight-stationary. Returns an empty set if no offset is hovered or chosen.
[[nodiscard]] std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace,
                                                        const Selection& selection);

}  // namespace spira::ui

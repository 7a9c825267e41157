// Trust grade of the times that the window shows.
#pragma once

#include "engine/run/trust.hpp"
#include "ui/model/workspace.hpp"

#include <optional>

namespace spira::ui {

/// Returns the trust in the open report, else in the measurement of this window. Empty if nothing is
/// measured.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// True if the trust grade is X. Views then show the times in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);

}  // namespace spira::ui

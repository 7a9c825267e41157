// How far the times that the window shows can be trusted.
#pragma once

#include "engine/run/trust.hpp"
#include "ui/model/workspace.hpp"

#include <optional>

namespace spira::ui {

/// Of the open report, else of what was measured here; empty: nothing is measured.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// Its grade is X: the numbers stand, in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);

}  // namespace spira::ui

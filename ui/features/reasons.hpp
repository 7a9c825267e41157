// Texts that explain why a command is not available, for use by several features.
#pragma once

#include "ui/model/workspace.hpp"

#include <QString>

namespace spira::ui {

/// Returns why a command that needs voxels is not available. Returns an empty string if voxels are open.
[[nodiscard]] QString why_no_scene(const Workspace& workspace);
/// Returns why the network cannot be replaced. Returns an empty string if it can be replaced.
[[nodiscard]] QString why_no_other_network(const Workspace& workspace);

}  // namespace spira::ui

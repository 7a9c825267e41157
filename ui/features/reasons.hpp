// Reasons why a command is not available, which several features share.
#pragma once

#include "ui/model/workspace.hpp"

#include <QString>

namespace spira::ui {

/// Returns an empty string if voxels are open.
[[nodiscard]] QString why_no_scene(const Workspace& workspace);
/// Returns an empty string if the network can be replaced.
[[nodiscard]] QString why_no_other_network(const Workspace& workspace);

}  // namespace spira::ui

// Commands that choose a voxel without a mouse: the voxel in the middle, the next or previous one in key
// order, or one by its coordinates.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QString>

#include <functional>
#include <optional>

namespace spira::ui {

struct VoxelChoosing {
  Workspace* workspace;
  Selection* selection;
  SceneView* view;
  SelectionJobs* jobs;
  /// Returns why the commands are not available; empty if a scene is open.
  std::function<QString()> why_not;
};
void bind_voxel_commands(CommandSet& commands, const VoxelChoosing& with);

/// Parses "3 14 7" or "3, 14, 7". Returns no value if the text is not three integers.
[[nodiscard]] std::optional<Voxel> voxel_from(const QString& text);

}  // namespace spira::ui

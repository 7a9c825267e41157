// The commands that select a voxel without a mouse: the voxel in the middle of the view, the next or previous
// voxel in the order of packed keys, or the voxel with given coordinates.
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
  /// Returns why the commands are not available. Returns an empty string if a scene is open.
  std::function<QString()> why_not;
};
void bind_voxel_commands(CommandSet& commands, const VoxelChoosing& with);

/// Parses three integers, for example "3 14 7" or "3, 14, 7". Returns an empty value if the text contains
/// anything else.
[[nodiscard]] std::optional<Voxel> voxel_from(const QString& text);

}  // namespace spira::ui

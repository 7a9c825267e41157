// Voxels are chosen without a mouse: the one in the middle, its neighbours in key order, or by numbers.
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
  std::function<QString()> why_not;  ///< empty: a scene is open
};
void bind_voxel_commands(CommandSet& commands, const VoxelChoosing& with);

/// "3 14 7", "3, 14, 7": empty where these are not three whole numbers.
[[nodiscard]] std::optional<Voxel> voxel_from(const QString& text);

}  // namespace spira::ui

// Reads and voxelises a scene that is shown next to other scenes. Everything is computed in the pool, without
// a network.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QString>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace spira::ui {

struct SideSceneArgs {
  std::shared_ptr<const Registry> registry;
  QString scene;  ///< File or built-in scene.
  /// The open scene, which is not read again. `nullptr` if the scene must be read.
  std::shared_ptr<const VoxelScene> voxels;
  /// Voxel size in metres. If empty, a size that suits the scene is used.
  std::optional<std::array<double, 3>> voxel_m;
  PackSpec pack;            ///< Packing that is checked for all scenes.
  int kernel_size = 3;      ///< Kernel size of the densities.
  int max_kernel_size = 5;  ///< Kernel size for which the packing is checked.
  std::int64_t every = 1;   ///< Reads only every n-th point of files.
  std::optional<std::uint64_t> memory_limit;
};

/// The results for one scene, or the reason why the scene has no results.
struct SideScene {
  std::shared_ptr<const VoxelScene> voxels;  ///< `nullptr` if the scene could not be read.
  QString fault;                             ///< One line without the file name. Empty if there was no error.
  std::map<int, std::shared_ptr<const Densities>> densities;  ///< One entry for each stride.
  /// Ranges of the middle 98 % of the values, by colouring and stride.
  std::map<std::pair<ColourBy, int>, ValueRange> ranges;
  /// Reason why the scene does not fit the requested packing. The scene then uses the first packing that
  /// fits. Empty if the scene fits the requested packing.
  QString misfit;
};

void read_side_scene(const SideSceneArgs& args, Job& job, const Send<std::shared_ptr<const SideScene>>& send);

}  // namespace spira::ui

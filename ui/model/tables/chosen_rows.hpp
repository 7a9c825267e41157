// Voxels that the user selected with a lasso or a rectangle, and operations on them: combine, grow, invert.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "ui/model/scene_look.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira::ui {

struct ChosenRows {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 1;
  std::vector<std::int32_t> rows;  ///< Ascending row indices in the level with this stride. Never empty.
  /// Set if the voxels are selected because they do not fit this packing. Views then highlight them as an
  /// error.
  std::optional<PackSpec> past;
};

/// Defines how newly drawn voxels change the selection.
enum class Combine { replace, add, remove };

// These functions return `nullptr` if no voxel remains. They can be slow for many voxels. After a stop
// request, their result must not be used.

/// Combines the selection `before` with `drawn`, which contains ascending rows of the level of `stride`. If
/// `before` has a different stride, its rows are converted to `stride` first.
[[nodiscard]] std::shared_ptr<const ChosenRows> combined(const std::shared_ptr<const ChosenRows>& before,
                                                         const std::shared_ptr<const VoxelScene>& scene,
                                                         int stride, std::vector<std::int32_t> drawn,
                                                         Combine how);
/// Returns the selected voxels and all voxels that share a face, an edge or a corner with one of them.
[[nodiscard]] std::shared_ptr<const ChosenRows> grown(const ChosenRows& chosen, const std::stop_token& stop);
/// Returns all voxels of the level that are neither in `chosen` nor hidden. `hidden` has one flag per voxel,
/// or is empty if no voxel is hidden.
[[nodiscard]] std::shared_ptr<const ChosenRows> inverted(const ChosenRows& chosen,
                                                         const std::vector<bool>& hidden);

/// Returns the voxels of stride 1 whose centre is at or beyond `from_m` on at least one axis. These voxels do
/// not fit `pack`: their packed words, or the words of their neighbours, would be equal to the words of other
/// voxels.
[[nodiscard]] std::shared_ptr<const ChosenRows> rows_past(const std::shared_ptr<const VoxelScene>& scene,
                                                          PackSpec pack, const Point& from_m,
                                                          const std::stop_token& stop);

/// Converts the selection to the level of `stride` and returns its rows, ascending. At a coarser stride these
/// are the voxels that contain a selected voxel, and at a finer stride the voxels inside a selected voxel.
[[nodiscard]] std::vector<std::int32_t> rows_at(const ChosenRows& chosen, int stride);

/// Returns one flag per voxel of the level. A flag is true if a hidden class or the slab hides the voxel.
/// Returns an empty list if `hiding` cannot hide any voxel of the scene.
[[nodiscard]] std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const Hiding& hiding);
/// Returns one flag per coarse voxel. A coarse voxel is hidden if all voxels inside it are hidden.
/// `coarse_of_row` contains the coarse row of each voxel, or -1 if there is none.
[[nodiscard]] std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                              const std::vector<std::int32_t>& coarse_of_row,
                                              std::int64_t coarse_voxels);

}  // namespace spira::ui

// Voxels that the user chose with a lasso or a rectangle, and operations on them: combine, grow, invert.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "ui/model/selection.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira::ui {

struct ChosenRows {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 1;
  std::vector<std::int32_t> rows;  ///< Row indices of the level with this stride, ascending. Never empty.
  /// Set if the voxels do not fit this packing; views then mark them as a fault.
  std::optional<PackSpec> past;
};

/// How a new choice changes the voxels that are chosen already.
enum class Combine { replace, add, remove };

// These functions return `nullptr` if no voxel remains. They may take long for many voxels. If they are
// stopped, their result is unspecified.

/// Combines the previous choice with `drawn`, ascending rows of the level of `stride`. If `before` has
/// another stride, its rows are converted to `stride` first.
[[nodiscard]] std::shared_ptr<const ChosenRows> combined(const std::shared_ptr<const ChosenRows>& before,
                                                         const std::shared_ptr<const VoxelScene>& scene,
                                                         int stride, std::vector<std::int32_t> drawn,
                                                         Combine how);
/// Returns the chosen voxels and all voxels that share a face, an edge or a corner with one of them.
[[nodiscard]] std::shared_ptr<const ChosenRows> grown(const ChosenRows& chosen, const std::stop_token& stop);
/// Returns all other voxels of the level, except those whose flag in `hidden` is true. An empty `hidden`
/// hides no voxel.
[[nodiscard]] std::shared_ptr<const ChosenRows> inverted(const ChosenRows& chosen,
                                                         const std::vector<bool>& hidden);

/// Returns the voxels of stride 1 whose centre is at or beyond `from_m` on some axis. They do not fit `pack`:
/// their packed words, or the words of their neighbours, would equal the words of other voxels.
[[nodiscard]] std::shared_ptr<const ChosenRows> rows_past(const std::shared_ptr<const VoxelScene>& scene,
                                                          PackSpec pack, const Point& from_m,
                                                          const std::stop_token& stop);

/// Returns the matching rows of another level, ascending: the coarser voxels that contain a chosen voxel, or
/// the finer voxels inside one.
[[nodiscard]] std::vector<std::int32_t> rows_at(const ChosenRows& chosen, int stride);

/// Returns one flag per voxel of the level; true means hidden. Returns an empty list if no class or slab
/// hides voxels.
[[nodiscard]] std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const Hiding& hiding);
/// A coarse voxel is hidden if all voxels inside it are hidden. `coarse_of_row` holds the coarse row of each
/// voxel, or -1 if it has none.
[[nodiscard]] std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                              const std::vector<std::int32_t>& coarse_of_row,
                                              std::int64_t coarse_voxels);

}  // namespace spira::ui

// Voxels that were drawn around: part of a level, and what can be made of it.
#pragma once

#include "engine/run/session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira::ui {

struct ChosenRows {
  std::shared_ptr<const VoxelScene> scene;
  int stride = 1;
  std::vector<std::int32_t> rows;  ///< of that level, ascending, never empty
  std::optional<PackSpec> past;  ///< they lie past the cells that fit this packing, and are shown as a fault
};

/// What becomes of the voxels chosen before.
enum class Combine { replace, add, remove };

// Null: nothing is left. All may take long for many voxels, and give anything when stopped.
/// `drawn`: rows of the level, ascending. What was chosen at another stride is taken at this one.
[[nodiscard]] std::shared_ptr<const ChosenRows> combined(const std::shared_ptr<const ChosenRows>& before,
                                                         const std::shared_ptr<const VoxelScene>& scene,
                                                         int stride, std::vector<std::int32_t> drawn,
                                                         Combine how);
/// And all voxels that touch one of them, by a face, an edge or a corner.
[[nodiscard]] std::shared_ptr<const ChosenRows> grown(const ChosenRows& chosen, const std::stop_token& stop);
/// All others of the level but those that `hidden` has as true; empty: none is.
[[nodiscard]] std::shared_ptr<const ChosenRows> inverted(const ChosenRows& chosen,
                                                         const std::vector<bool>& hidden);

/// Voxels of stride 1 that lie at or beyond `from_m` on some axis, past what fits a packing: their words, or
/// those of their neighbours, would be those of other voxels.
[[nodiscard]] std::shared_ptr<const ChosenRows> rows_past(const std::shared_ptr<const VoxelScene>& scene,
                                                          PackSpec pack, const Point& from_m,
                                                          const std::stop_token& stop);

/// Rows of another level: coarser voxels that hold a chosen one, or finer ones inside one. Ascending.
[[nodiscard]] std::vector<std::int32_t> rows_at(const ChosenRows& chosen, int stride);

}  // namespace spira::ui

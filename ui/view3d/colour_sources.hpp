// What the voxels of a stride can be coloured by: the results that belong to exactly these voxels.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <array>
#include <memory>
#include <vector>

namespace spira::ui {

/// Null where there is none of that stride.
struct ColourSources {
  std::shared_ptr<const LayerResult> layer{};
  std::shared_ptr<const KernelMap> map{};
  int threshold = -1;                         ///< of the map's layer, for its sides; -1: it has none
  std::array<Rgb, 2> sides{};                 ///< colours of the dense and the sparse side
  std::vector<int> columns{};                 ///< offsets of the map that are looked at
  std::shared_ptr<const VoxelScene> other{};  ///< that is compared with
  bool operator==(const ColourSources&) const = default;
};
/// Of the chosen layer, else of the scene; for the sides of t, of the layer whose t is tried. The scene must
/// be open and have the stride. Only what `colour_by` needs is filled in, without colours.
[[nodiscard]] ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                                           ColourBy colour_by);

/// What the voxels shown are coloured by: while a t is tried, the sides of that t where they can be had.
[[nodiscard]] ColourBy colouring_now(const Workspace& workspace, const Selection& selection);

/// Why a colouring cannot be had now at the stride shown; empty: it can.
[[nodiscard]] QString why_not_colour_now(ColourBy colour_by, const Workspace& workspace,
                                         const Selection& selection);

}  // namespace spira::ui

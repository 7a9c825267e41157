// Collects the results by which the voxels of a stride can be coloured. The results must belong to exactly
// these voxels.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <array>
#include <memory>
#include <vector>

namespace spira::ui {

/// Input of a colouring at one stride. A pointer is null if there is no such data for the stride.
struct ColourSources {
  std::shared_ptr<const LayerResult> layer{};
  std::shared_ptr<const KernelMap> map{};
  /// Threshold t of the layer of the map, for ColourBy::threshold_sides; -1 if the layer has none.
  int threshold = -1;
  std::array<Rgb, 2> sides{};                 ///< colours of output-stationary and weight-stationary matches
  std::vector<int> columns{};                 ///< selected offsets (columns) of the map
  std::shared_ptr<const VoxelScene> other{};  ///< scene to compare with
  bool operator==(const ColourSources&) const = default;
};
/// Returns the data of the selected layer, or of the scene if no layer is selected. ColourBy::threshold_sides
/// uses the layer for which the user tries a t, if there is one. Fills in only the members that `colour_by`
/// needs, without `sides`. The workspace must have voxels of this stride.
[[nodiscard]] ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                                           ColourBy colour_by);

/// Returns the current colouring. While the user tries a t, this is `threshold_sides` if it is available.
[[nodiscard]] ColourBy colouring_now(const Workspace& workspace, const Selection& selection);

/// Returns why a colouring is not available at the current stride. Returns an empty string if it is
/// available.
[[nodiscard]] QString colouring_unavailable_reason(ColourBy colour_by, const Workspace& workspace,
                                                   const Selection& selection);

}  // namespace spira::ui

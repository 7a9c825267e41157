// The data by which the voxels of a stride can be coloured: results that belong to exactly these voxels.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <array>
#include <memory>
#include <vector>

namespace spira::ui {

/// Input of a colouring at one stride. A pointer is null if the stride has no such data.
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
/// uses the layer whose t the user tries, if there is one. Fills in only what `colour_by` needs, without
/// `sides`. The workspace must have voxels of this stride.
[[nodiscard]] ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                                           ColourBy colour_by);

/// Returns the colouring in use. While the user tries a t, this is `threshold_sides` if it is available.
[[nodiscard]] ColourBy colouring_now(const Workspace& workspace, const Selection& selection);

/// Returns why a colouring is not available at the current stride. Returns an empty string if it is
/// available.
[[nodiscard]] QString colouring_unavailable_reason(ColourBy colour_by, const Workspace& workspace,
                                                   const Selection& selection);

}  // namespace spira::ui

// All parameters that the user can change. Undo steps are the difference of two Parameters; a session file
// stores one. Chosen layer, offsets and voxel are not parameters but part of the selection.
#pragma once

#include "engine/voxel/grid.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace spira::ui {

struct Parameters {
  Grid grid;
  PackSpec pack;
  std::shared_ptr<const Network> network;
  Plan plan;
  std::optional<Precision> precision = {};  ///< The chosen precision. Empty: automatic, by device.
  int scene_kernel_size = 3;
  ColourBy colour_by = ColourBy::height;
  ColourLook look;
  VoxelStyle voxel_style = VoxelStyle::automatic;
  std::set<std::uint32_t> hidden_labels;
  std::optional<std::pair<double, double>> slab_m;
  PartsShown parts;
  std::string device = "auto";
};
/// Returns grid and packing as requested, even if they are not applied yet.
[[nodiscard]] Parameters parameters_of(const Workspace& workspace, const Selection& selection,
                                       const ViewParts& parts);

/// Names the difference of two sets of parameters for the Undo menu, for example "t of conv0". Empty if they
/// are equal.
[[nodiscard]] QString difference(const Parameters& from, const Parameters& to);

}  // namespace spira::ui

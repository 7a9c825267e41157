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
  /// The precision that the user chose. If it is empty, the device determines the precision.
  std::optional<Precision> precision = {};
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

/// Returns the name of the difference for the Undo menu, for example "t of conv0". Returns an empty string if
/// both are equal.
[[nodiscard]] QString difference(const Parameters& from, const Parameters& to);

}  // namespace spira::ui

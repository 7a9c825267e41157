// Every parameter that a person can change, as values: a step of undo lies between two of them, a session
// file holds one. Layer, offsets and voxel are no parameters but a selection.
#pragma once

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
  std::optional<Precision> precision = {};  ///< that was chosen; empty: as the device suits
  int scene_kernel_size = 3;
  ColourBy colour_by = ColourBy::height;
  ColourLook look;
  VoxelStyle voxel_style = VoxelStyle::automatic;
  std::set<std::uint32_t> hidden_labels;
  std::optional<std::pair<double, double>> slab_m;
  PartsShown parts;
  std::string device = "auto";
};
/// Grid and packing as the Workspace asks for them, in force or not.
[[nodiscard]] Parameters parameters_of(const Workspace& workspace, const Selection& selection,
                                       const ViewParts& parts);

/// What two sets of parameters differ in, named as a menu says it: "t of conv0". Empty: in nothing.
[[nodiscard]] QString difference(const Parameters& from, const Parameters& to);

}  // namespace spira::ui

// All parameters that the user can change. An undo step is the difference of two Parameters, and a session
// file stores one Parameters. The selected layer, offsets and voxel are not parameters but part of the
// selection.
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
  bool pack_automatic = true;
  std::shared_ptr<const Network> network;
  Plan plan;
  /// The precision that the user set. If it is empty, the device determines the precision.
  std::optional<Precision> precision = {};
  int scene_kernel_size = 3;
  ColourBy colour_by = ColourBy::height;
  ColourLook look;
  VoxelStyle voxel_style = VoxelStyle::automatic;
  std::set<std::uint32_t> hidden_labels;
  std::optional<std::pair<double, double>> slab_m;
  PartsShown parts;
  std::string device = "auto";
  std::shared_ptr<const NetworkWeights> weights = {};  ///< `nullptr` if the weights are random.
};
/// Returns the current parameters. The grid and the packing are the requested values, even if they have not
/// been applied yet.
[[nodiscard]] Parameters parameters_of(const Workspace& workspace, const Selection& selection,
                                       const ViewParts& parts);

/// Returns true if the choice of the packing differs. Two automatic packings count as equal, because they
/// follow from the other parameters.
[[nodiscard]] bool other_pack(const Parameters& from, const Parameters& to);
/// Returns a name for the changed parameters, for example "change of t in conv0". The Undo menu shows it.
/// Returns an empty string if `from` equals `to`.
[[nodiscard]] QString difference(const Parameters& from, const Parameters& to);

}  // namespace spira::ui

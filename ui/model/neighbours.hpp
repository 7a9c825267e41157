// Treats the neighbourhoods of all layers of the open network as one choice of the user.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/neighbours.hpp"
#include "ui/model/workspace.hpp"

#include <QString>

#include <cstdint>
#include <vector>

namespace spira::ui {

/// Returns true if the networks differ, but only in the neighbourhoods of their layers.
[[nodiscard]] bool differ_in_neighbours(const Network& one, const Network& other);
/// Returns the kernel of the map of the scene. It has the requested kernel size and the common neighbourhood
/// of the network. Its neighbourhood is voxels if there is no common neighbourhood, or if a kernel of this
/// size cannot have it.
[[nodiscard]] KernelShape scene_kernel(const Workspace& workspace);

/// Returns the stride up to which the levels of a scene need positions for the views of this network. Returns
/// 0 if it has no native layers. `network` may be null.
[[nodiscard]] int native_strides(const Network* network) noexcept;
/// Returns the size of the smallest kernel of voxels that needs as many guard cells as the kernel or the
/// network. It is larger than a native kernel, whose search reads a window of cells.
[[nodiscard]] int searched_kernel_size(const KernelShape& kernel);
[[nodiscard]] int searched_kernel_size(const Levels& levels);

/// Returns the number of columns in which each output has an input. Shape: [outputs]. These are the groups of
/// a native map, whose columns can have several inputs.
[[nodiscard]] std::vector<std::uint16_t> groups_per_output(const KernelMap& map);

/// Returns why the neighbours of the network cannot be changed to `wanted`. Returns an empty string if they
/// can be changed.
[[nodiscard]] QString why_no_neighbours(Network network, const Neighbourhood& wanted);
/// Does the same for the open network. The neighbours of a recorded run cannot be changed.
[[nodiscard]] QString why_no_neighbours(const Workspace& workspace, const Neighbourhood& wanted);

/// Returns "Voxels", "Cube" or "Ball" for a button or a title.
[[nodiscard]] QString neighbour_text(NeighbourShape shape);

}  // namespace spira::ui

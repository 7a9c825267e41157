#include "ui/model/neighbours.hpp"

#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"
#include "engine/network/network.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

}  // namespace

bool differ_in_neighbours(const Network& one, const Network& other) {
  if (one.layers.size() != other.layers.size()) return false;
  Network same = other;
  bool differ = false;
  for (std::size_t at = 0; at < same.layers.size(); ++at) {
    differ = differ || same.layers[at].neighbourhood != one.layers[at].neighbourhood;
    same.layers[at].neighbourhood = one.layers[at].neighbourhood;
  }
  return differ && network_json(same) == network_json(one);
}

KernelShape scene_kernel(const Workspace& workspace) {
  KernelShape kernel = workspace.requested().sceneKernelSize();
  const auto& network = workspace.network();
  const auto common = network ? common_neighbourhood(*network) : std::nullopt;
  if (common && why_not(*common, kernel.size).empty()) kernel.neighbourhood = *common;
  return kernel;
}

int native_strides(const Network* network) noexcept {
  return network != nullptr && has_native_layers(*network) ? most_native_stride : 0;
}

int searched_kernel_size(const KernelShape& kernel) {
  return kernel.native() ? (2 * searched_cells(kernel).below.largest()) + 1 : kernel.size.largest();
}

int searched_kernel_size(const Levels& levels) {
  int size = levels.max_kernel_size;
  for (const MapKey& map : levels.maps)
    size = std::max(size, searched_kernel_size(map.kernel));
  return size;
}

std::vector<std::uint16_t> groups_per_output(const KernelMap& map) {
  if (!map.many()) return matches_per_output(map);
  std::vector<std::uint16_t> groups(static_cast<std::size_t>(map.outputs), 0);
  // A native map visits its columns one after another, and the triplets of a group together.
  std::int32_t last_output = -1;
  int last_column = -1;
  for_each_pair(map, [&](std::int32_t output, int column, std::int32_t) {
    if (output != last_output || column != last_column) ++groups[static_cast<std::size_t>(output)];
    last_output = output;
    last_column = column;
  });
  return groups;
}

QString why_no_neighbours(Network network, const Neighbourhood& wanted) {
  try {
    set_neighbourhood(network, wanted);
    static_cast<void>(levels_of(network));
  } catch (const Error& error) {
    return QString::fromStdString(error.what());
  }
  return {};
}

QString why_no_neighbours(const Workspace& workspace, const Neighbourhood& wanted) {
  if (workspace.results().report()) return tr("the neighbours of a recorded run cannot be changed");
  if (!workspace.network()) return tr("choose a network first");
  return why_no_neighbours(*workspace.network(), wanted);
}

QString neighbour_text(NeighbourShape shape) {
  return shape == NeighbourShape::voxels ? tr("Voxels")
         : shape == NeighbourShape::cube ? tr("Cube")
                                         : tr("Ball");
}

}  // namespace spira::ui

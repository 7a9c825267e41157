#include "engine/network/network.hpp"

#include "app/library/state.hpp"

#include <spira/network.hpp>
#include <utility>

namespace spira::library {
namespace {

v0::LayerInfo layer_info(const Layer& layer) {
  v0::LayerInfo info;
  info.name = layer.name;
  info.operation = std::string(text_of(layer.op));
  info.inputs = layer.inputs;
  for (std::size_t axis = 0; layer.has_map() && axis < 3; ++axis) {
    info.kernel_size.at(axis) = layer.kernel_size[axis];
    info.stride.at(axis) = layer.stride[axis];
  }
  info.transposed = layer.transposed;
  info.in_channels = layer.in_channels;
  info.out_channels = layer.out_channels;
  return info;
}

/// Throws `Error(input)` if some layers of the file do not run, because their results would be missing.
void require_whole(const Network& network) {
  if (network.skipped.empty()) return;
  const SkippedLayer& first = network.skipped.front();
  throw Error(ErrorKind::input,
              "network " + network.name + ": layer " + first.layer.name + " cannot run" +
                  (first.operation.empty() ? ", because " + first.why : " (" + first.operation + ")") +
                  "; the library runs only whole networks");
}

}  // namespace
}  // namespace spira::library

namespace spira::v0 {

Network::Network(const std::string& preset_or_file) {
  state_ = library::guarded([&] {
    library::NetworkState state;
    state.network = std::make_shared<const spira::Network>(spira::network_by_name_or_file(preset_or_file));
    library::require_whole(*state.network);
    for (const spira::Layer& layer : state.network->layers)
      state.layers.push_back(library::layer_info(layer));
    state.outputs = state.network->outputs;
    if (state.outputs.empty()) state.outputs.push_back(state.layers.back().name);
    return std::make_shared<const library::NetworkState>(std::move(state));
  });
}

const std::string& Network::name() const noexcept {
  return state_->network->name;
}
int Network::input_channels() const noexcept {
  return state_->network->in_channels;
}
const std::vector<LayerInfo>& Network::layers() const noexcept {
  return state_->layers;
}
const std::vector<std::string>& Network::outputs() const noexcept {
  return state_->outputs;
}
std::array<double, 3> Network::voxel_m() const noexcept {
  return state_->network->grid ? state_->network->grid->voxel_m : std::array<double, 3>{};
}

}  // namespace spira::v0

#include "engine/bev/unit.hpp"

#include "engine/base/error.hpp"

#include <algorithm>

namespace spira {
namespace {

/// Returns the stride of the output of each layer, relative to the cells of the area.
std::vector<int> strides_of(const Network& network) {
  std::vector<int> strides;
  for (const Layer& layer : network.layers) {
    const int source = network.index_of(layer.inputs.front());
    strides.push_back((source < 0 ? 1 : strides[static_cast<std::size_t>(source)]) * layer.stride[0]);
  }
  return strides;
}

/// Returns the halo of a unit: h_1 + t * (h_2 + ... + h_n), with h = (K - 1) / 2 and the stride t of the
/// first layer.
int halo_of(const Network& network, const BevUnit& unit) {
  int halo = 0;
  for (int at = unit.first; at <= unit.last; ++at) {
    const int reach = (network.layers[static_cast<std::size_t>(at)].kernel_size[0] - 1) / 2;
    halo += at == unit.first ? reach : unit.step() * reach;
  }
  return halo;
}

/// Returns true if a unit after `unit` reads the source of `unit`, or if the source is a result of the
/// network.
bool is_needed_later(const Network& network, const BevUnit& unit) {
  const std::string& source = network.layers[static_cast<std::size_t>(unit.first)].inputs.front();
  if (std::find(network.outputs.begin(), network.outputs.end(), source) != network.outputs.end()) return true;
  return std::any_of(network.layers.begin() + unit.last + 1, network.layers.end(), [&](const Layer& layer) {
    return layer.inputs.front() == source || layer.residual == source;
  });
}

}  // namespace

std::vector<BevUnit> units_of(const Network& network) {
  if (const auto found = faults(network); !found.empty())
    throw Error(ErrorKind::input, network.name + ": " + found.front());
  if (network.space != NetworkSpace::bev)
    throw Error(
        ErrorKind::input,
        network.name + R"(: only a network with "space": "bev" runs on a bird's-eye view, such as sbnet)");
  const std::vector<int> strides = strides_of(network);
  std::vector<BevUnit> units;
  const auto count = static_cast<int>(network.layers.size());
  for (int first = 0; first < count;) {
    const Layer& layer = network.layers[static_cast<std::size_t>(first)];
    BevUnit unit;
    unit.name = layer.unit.empty() ? layer.name : layer.unit;
    unit.first = unit.last = first;
    while (!layer.unit.empty() && unit.last + 1 < count &&
           network.layers[static_cast<std::size_t>(unit.last) + 1].unit == layer.unit)
      ++unit.last;
    unit.source = network.index_of(layer.inputs.front());
    unit.stride_in = unit.source < 0 ? 1 : strides[static_cast<std::size_t>(unit.source)];
    unit.stride_out = strides[static_cast<std::size_t>(unit.last)];
    unit.halo = halo_of(network, unit);
    unit.residual = !network.layers[static_cast<std::size_t>(unit.last)].residual.empty();
    unit.keeps_input = is_needed_later(network, unit);
    units.push_back(unit);
    first = unit.last + 1;
  }
  return units;
}

int coarsest_stride(const std::vector<BevUnit>& units) noexcept {
  int coarsest = 1;
  for (const BevUnit& unit : units)
    coarsest = std::max(coarsest, unit.stride_out);
  return coarsest;
}

std::int64_t multiply_adds_per_cell(const Network& network, const BevUnit& unit) {
  std::int64_t sum = 0;
  for (int at = unit.first; at <= unit.last; ++at) {
    const Layer& layer = network.layers[static_cast<std::size_t>(at)];
    sum += std::int64_t{layer.kernel_size[0]} * layer.kernel_size[0] * layer.in_channels * layer.out_channels;
  }
  return sum;
}

std::int64_t multiply_adds_per_block(const Network& network, const BevUnit& unit, int core) {
  std::int64_t sum = 0, edge = core;
  // An inner layer computes the cells that the next layer reads, so count from the last layer backwards.
  for (int at = unit.last; at >= unit.first; --at) {
    const Layer& layer = network.layers[static_cast<std::size_t>(at)];
    const std::int64_t size = layer.kernel_size[0];
    sum += edge * edge * size * size * layer.in_channels * layer.out_channels;
    edge += size - 1;
  }
  return sum;
}

}  // namespace spira

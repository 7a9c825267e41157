#include "engine/bev/cost_model.hpp"

#include <algorithm>

namespace spira {
namespace {

/// Returns the numbers of cells that the layers of a unit read for one cell of its output: first the input of
/// the unit, then the output of each layer. `core` is the edge of the part that is computed, with its halo.
std::vector<double> cells_read(const CostUnit& unit, double core) {
  std::vector<double> edges{core};
  for (std::size_t at = unit.layers.size(); at-- > 0;) {
    const int halo = unit.layers[at].kernel_size - 1, step = at == 0 ? unit.step : 1;
    edges.push_back(step * (edges.back() - 1) + 1 + halo);
  }
  std::reverse(edges.begin(), edges.end());
  for (double& edge : edges)
    edge = edge * edge / (core * core);
  return edges;
}

/// Counts the layers of a unit, if layer l reads `cells[l]` cells and writes `cells[l + 1]` cells.
UnitCost layers_cost(const CostUnit& unit, const std::vector<double>& cells) {
  UnitCost cost;
  for (std::size_t at = 0; at < unit.layers.size(); ++at) {
    const auto& [size, in, out] = unit.layers[at];
    cost.values += cells[at] * in + cells[at + 1] * out;
    cost.multiply_adds += cells[at + 1] * size * size * in * out;
  }
  cost.launches = static_cast<int>(unit.layers.size());
  return cost;
}

UnitCost scaled(UnitCost cost, double computed) {
  cost.values *= computed;
  cost.multiply_adds *= computed;
  return cost;
}

double out_channels(const CostUnit& unit) {
  return unit.layers.back().out_channels;
}

}  // namespace

CostUnit cost_unit(const Network& network, const BevUnit& unit) {
  CostUnit cost{{}, unit.step(), unit.residual};
  for (int at = unit.first; at <= unit.last; ++at) {
    const Layer& layer = network.layers[static_cast<std::size_t>(at)];
    cost.layers.push_back({layer.kernel_size[0], layer.in_channels, layer.out_channels});
  }
  return cost;
}

CostUnit bottleneck(int channels, int inner) {
  return {{{1, channels, inner}, {3, inner, inner}, {1, inner, channels}}, 1, true};
}

UnitCost dense_cost(const CostUnit& unit) {
  // The first layer reads step x step cells for each output, and no layer reads a cell twice.
  std::vector<double> cells(unit.layers.size() + 1, 1);
  cells.front() = unit.step * unit.step;
  UnitCost cost = layers_cost(unit, cells);
  if (unit.residual) cost.values += out_channels(unit);
  return cost;
}

UnitCost gathered_cost(const CostUnit& unit, int core, double computed) {
  const std::vector<double> cells = cells_read(unit, core);
  UnitCost cost = layers_cost(unit, cells);
  // The gather reads and writes the input, and the scatter reads and writes the output.
  cost.values += 2 * cells.front() * unit.layers.front().in_channels;
  cost.values += (unit.residual ? 3 : 2) * out_channels(unit);
  cost.launches += 2;
  return scaled(cost, computed);
}

UnitCost fused_cost(const CostUnit& unit, int core, double computed) {
  UnitCost cost = layers_cost(unit, cells_read(unit, core));
  if (unit.residual) cost.values += out_channels(unit);
  return scaled(cost, computed);
}

double modelled_s(const UnitCost& cost, std::int64_t cells, int bytes_per_value, const CostRates& rates) {
  const auto all = static_cast<double>(cells);
  const double bytes = cost.values * bytes_per_value * all, flops = 2 * cost.multiply_adds * all;
  return std::max(bytes / rates.bytes_per_s, flops / rates.flops_per_s) / rates.efficiency +
         cost.launches * rates.launch_s;
}

}  // namespace spira

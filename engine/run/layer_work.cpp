#include "engine/run/layer_work.hpp"

#include "engine/base/text.hpp"
#include "engine/map/kernel_offsets.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spira {
namespace {

std::optional<double> floor_ms(double work, const DeviceRate& rate) {
  if (work <= 0 || !rate.per_second || *rate.per_second <= 0) return {};
  constexpr double ms_per_s = 1e3;
  return work / *rate.per_second * ms_per_s;
}

double rate_of(double work, double ms) {
  constexpr double ms_per_s = 1e3;
  return ms > 0 ? work / ms * ms_per_s : 0;
}

/// Adds `factor` times the samples of a stage to `sum`, repetition by repetition. Does nothing if the numbers
/// of samples differ.
void add_samples(const std::vector<double>& samples, double factor, std::vector<double>& sum) {
  if (samples.size() != sum.size()) return;
  for (std::size_t at = 0; at < sum.size(); ++at)
    sum[at] = std::max(0.0, sum[at] + (factor * samples[at]));
}

/// The samples of a layer, divided into two parts: the stages that build or reorder the map, and all other
/// stages.
struct LayerTimes {
  std::vector<double> features, map;
};
LayerTimes layer_times(const LayerMeasurement& measured) {
  const StageTree& stages = measured.stages;
  LayerTimes times;
  const int features = stages.find({"features", measured.name});
  const int map = stages.find({"map", measured.name});
  if (features >= 0) times.features = stages.nodes[static_cast<std::size_t>(features)].samples_ms;
  if (map >= 0) times.map = stages.nodes[static_cast<std::size_t>(map)].samples_ms;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    if (here.parent != features || features < 0 || !stages.key(node).of_map()) continue;
    add_samples(here.samples_ms, -1, times.features);
    add_samples(here.samples_ms, 1, times.map);
  }
  return times;
}

/// Returns the number of weight matrices of a layer.
std::int64_t columns_of(const MeasuredLayer& from) {
  if (from.measured.relation_weights > 0) return from.measured.relation_weights;
  return from.layer.convolution() ? from.layer.kernel_size.product() : 0;
}

/// Returns the size in bytes of the inputs, the outputs and the weights of `columns` offsets.
double feature_bytes(const MeasuredLayer& from, std::int64_t columns) {
  const Layer& layer = from.layer;
  return bytes_of_features(from.measured.inputs, layer.in_channels, from.precision) +
         bytes_of_features(from.measured.outputs, layer.out_channels, from.precision) +
         bytes_of_features(columns * layer.in_channels, layer.out_channels, from.precision);
}

/// Returns the number of necessary products of a row of features and a weight matrix. A native layer needs
/// one for each group, because the inputs of a group can be added before they are multiplied.
std::int64_t products_of(const LayerMeasurement& measured) {
  return measured.neighbours ? measured.neighbours->groups : measured.pairs;
}

/// Returns the number of floating-point operations of `products` products.
double flops_of(std::int64_t products, const Layer& layer) {
  return 2.0 * static_cast<double>(products) * layer.in_channels * static_cast<double>(layer.out_channels);
}

/// The number of offsets and products that one dataflow of a layer processes.
struct DataflowShare {
  std::int64_t columns = 0;
  std::int64_t products = 0;
};

/// Returns the shares of "os" and "ws". Returns an empty optional for a hybrid layer whose densities are not
/// known.
std::optional<std::pair<DataflowShare, DataflowShare>> dataflows_of(const MeasuredLayer& from) {
  const DataflowShare all{columns_of(from), products_of(from.measured)};
  if (from.threshold == 0) return std::pair(DataflowShare{}, all);
  if (from.threshold >= KernelOffsets(from.layer.kernel(), 1).max_threshold())
    return std::pair(all, DataflowShare{});
  if (from.densities == nullptr || std::ssize(from.densities->columns) != all.columns) return {};
  DataflowShare os, ws;
  for (const ColumnDensity& column : from.densities->columns) {
    DataflowShare& side = column.l1 < from.threshold ? os : ws;
    ++side.columns;
    side.products += column.matches;
  }
  return std::pair(os, ws);
}

}  // namespace

std::optional<double> Floors::larger_ms() const {
  if (!bytes_ms || !flops_ms) return bytes_ms ? bytes_ms : flops_ms;
  return std::max(*bytes_ms, *flops_ms);
}

Floors floors_of(const Work& work, const DeviceRates& rates) {
  return {floor_ms(work.bytes, rates.bytes), floor_ms(work.flops, rates.flops)};
}

double bytes_of_features(std::int64_t rows, int channels, Precision precision) {
  return static_cast<double>(rows) * channels * static_cast<double>(bytes_of(precision));
}

double StageWork::flops_per_s() const {
  return rate_of(work.flops, median_ms());
}

double StageWork::bytes_per_s() const {
  return rate_of(work.bytes, median_ms());
}

std::optional<double> StageWork::times_floor(const std::optional<DeviceRates>& rates) const {
  if (!rates || samples_ms.empty()) return {};
  const auto floor = floors_of(work, *rates).larger_ms();
  return floor ? std::optional(median_ms() / *floor) : std::nullopt;
}

std::string scaled_text(double value, std::string_view unit) {
  constexpr std::array<const char*, 5> prefixes{"", "k", "M", "G", "T"};
  std::size_t at = 0;
  constexpr double step = 1000, rounds_up = 999.5;
  for (; value >= rounds_up && at + 1 < prefixes.size(); ++at)
    value /= step;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fixed(value, decimals) + " " + prefixes.at(at) + std::string(unit);
}

StageWork features_work(const MeasuredLayer& from) {
  Work work;
  work.bytes = feature_bytes(from, columns_of(from)) + static_cast<double>(from.measured.map_bytes);
  work.flops = from.measured.neighbours ? flops_of(products_of(from.measured), from.layer)
                                        : static_cast<double>(from.measured.useful_flops);
  return {"features", work, layer_times(from.measured).features};
}

std::vector<StageWork> stage_work(const MeasuredLayer& from) {
  const LayerMeasurement& measured = from.measured;
  std::vector<StageWork> all;
  const auto add = [&](std::string_view stage, const DataflowShare& share) {
    const int node = measured.stages.find({"features", measured.name, std::string(stage)});
    if (node < 0 || share.products == 0) return;
    all.push_back({stage,
                   {feature_bytes(from, share.columns), flops_of(share.products, from.layer)},
                   measured.stages.nodes[static_cast<std::size_t>(node)].samples_ms});
  };
  if (const auto dataflows = dataflows_of(from)) {
    add("os", dataflows->first);
    add("ws", dataflows->second);
  }
  if (measured.map_shared) return all;
  // In a submanifold layer, the inputs and the outputs have the same coordinates. They are read only once.
  const std::int64_t keys =
      from.levels.map.submanifold() ? measured.outputs : measured.inputs + measured.outputs;
  const std::size_t position_bytes = from.levels.map.kernel.native() ? sizeof(std::uint64_t) : 0;
  const double bytes = (static_cast<double>(keys) * static_cast<double>(from.key_bytes + position_bytes)) +
                       static_cast<double>(measured.map_bytes);
  all.push_back({"map", {bytes, 0}, layer_times(measured).map});
  return all;
}

}  // namespace spira

#include "engine/lesson/facts/native_facts.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/backend/plan.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/native_row.hpp"
#include "engine/run/neighbour_facts.hpp"
#include "engine/run/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace spira {
namespace {

constexpr int max_l1 = 9;  // The largest L1 norm, for K = 7.
/// The layer for which "neighbours.explicit_bytes" is computed, like in `spira neighbours`.
constexpr int explicit_channels = 64;

std::string of_l1(int l1, const char* name) {
  return "neighbours.l1." + std::to_string(l1) + "." + name;
}

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Adds the density and the fan-in of the columns of each L1 norm.
void add_norms(const Densities& found, std::vector<Fact>& facts) {
  std::map<int, std::pair<std::int64_t, std::int64_t>> sums;  // Triplets and groups by norm.
  for (const ColumnDensity& column : found.columns) {
    sums[column.l1].first += column.triplets;
    sums[column.l1].second += column.matches;
  }
  for (const L1Density& norm : found.groups) {
    const auto& [triplets, groups] = sums.at(norm.l1);
    facts.push_back(exact_fact(of_l1(norm.l1, "density"), norm.mean));
    facts.push_back(exact_fact(of_l1(norm.l1, "fan_in"), groups == 0 ? 1 : share(triplets, groups)));
  }
}

/// Adds the facts that the native map of the selected row contains.
void add_inputs(const NativeRow& row, std::vector<Fact>& facts) {
  using Change = NativeInput::Change;
  std::map<Change, std::int64_t> changes;
  std::map<int, std::int64_t> by_column;
  std::int64_t folded = 0;
  const NativeInput* moved = nullptr;
  for (const NativeInput& input : row.inputs) {
    const Change change = input.change();
    ++changes[change];
    folded += input.folded ? 1 : 0;
    if (input.column >= 0) ++by_column[input.column];
    if (moved == nullptr && change == Change::other_column) moved = &input;
  }
  std::int64_t most = 0;
  for (const auto& [column, inputs] : by_column)
    most = std::max(most, inputs);
  const std::int64_t kept = changes[Change::same_column] + changes[Change::other_column];
  facts.push_back(count_fact("neighbour_row.inputs", kept + changes[Change::added]));
  facts.push_back(count_fact("neighbour_row.same_column", changes[Change::same_column]));
  facts.push_back(count_fact("neighbour_row.other_column", changes[Change::other_column]));
  facts.push_back(count_fact("neighbour_row.lost", changes[Change::lost]));
  facts.push_back(count_fact("neighbour_row.added", changes[Change::added]));
  facts.push_back(count_fact("neighbour_row.folded", folded));
  facts.push_back(count_fact("neighbour_row.groups", std::ssize(by_column)));
  facts.push_back(count_fact("neighbour_row.most_in_column", most));
  if (moved == nullptr) return;
  const KernelOffsets offsets(row.kernel_size, 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(
        count_fact(of_axis("neighbour_row.moved_from", axis), offsets.offset(moved->voxel_column).at(axis)));
    facts.push_back(
        count_fact(of_axis("neighbour_row.moved_to", axis), offsets.offset(moved->column).at(axis)));
  }
}

}  // namespace

std::int64_t count_inputs(const VoxelScene& scene, int stride, std::int64_t row,
                          const Neighbourhood& neighbourhood, int kernel_size) {
  const CoordSet& level = scene.level(stride);
  const auto words = positions_of(scene, stride).words.host_span<std::uint64_t>();
  const NeighbourTest test(neighbourhood, kernel_size, stride);
  const Voxel voxel = voxel_at(level, row);
  const auto fields = position_fields(words[static_cast<std::size_t>(row)]);
  const int side = (2 * test.window) + 1;
  std::int64_t inputs = 0;
  for (int cell = 0; cell < side * side * side; ++cell) {
    const std::array steps{(cell / (side * side)) - test.window, (cell / side % side) - test.window,
                           (cell % side) - test.window};
    Voxel other = voxel;
    for (std::size_t axis = 0; axis < 3; ++axis)
      other.at(axis) += steps.at(axis) * stride;
    const auto found = row_of_voxel(level, other);
    if (!found) continue;
    const auto there = position_fields(words[static_cast<std::size_t>(*found)]);
    std::array<std::int32_t, 3> d{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      d.at(axis) = (steps.at(axis) * stride * static_cast<std::int32_t>(position_one)) + there.at(axis) -
                   fields.at(axis);
    inputs += test.column(d[0], d[1], d[2]) >= 0 ? 1 : 0;
  }
  return inputs;
}

std::vector<std::string> position_fact_names() {
  return {"positions.rows", "positions.merged", "positions.rms", "positions.p95", "positions.farthest"};
}

std::vector<Fact> position_facts_of(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the positions", 0, 0});
  const VoxelScene& scene = *input.scene;
  if (!has_positions(scene, 1)) return {};
  const PositionFacts found = position_facts(scene);
  double squared = 0;
  for (const double edge : scene.grid.voxel_m)
    squared += edge * edge / 4;
  return {count_fact("positions.rows", size_of(scene.level(1))), count_fact("positions.merged", found.merged),
          exact_fact("positions.rms", found.rms_m, "m"), exact_fact("positions.p95", found.p95_m, "m"),
          exact_fact("positions.farthest", std::sqrt(squared), "m")};
}

std::vector<std::string> neighbour_fact_names() {
  std::vector<std::string> names;
  for (const char* name :
       {"shape", "triplets", "groups", "folded", "most_neighbours", "fan_in", "per_row", "median",
        "voxel_pairs", "stay", "same_column", "added", "list_bytes", "position_bytes", "explicit_bytes"})
    names.push_back("neighbours." + std::string(name));
  for (int l1 = 0; l1 <= max_l1; ++l1) {
    names.push_back(of_l1(l1, "density"));
    names.push_back(of_l1(l1, "fan_in"));
  }
  return names;
}

std::vector<Fact> neighbour_facts_of(const LessonInput& input, Job& job) {
  job.checkpoint({"counting the neighbours", 0, 0});
  if (!input.map) return {count_fact("neighbours.shape", 0)};
  const KernelShape& kernel = input.map->offsets->kernel();
  const NeighbourFacts found =
      neighbour_facts(*input.scene, {kernel, input.stride, input.stride}, *input.map);
  const NeighbourCounts& counts = found.counts;
  const SortedVoxels voxels = sorted_voxels(input.scene->level(input.stride));
  const std::int64_t pairs =
      densities_of(voxels, voxels, KernelOffsets(input.kernel_size, input.stride), job).pairs;
  std::vector<Fact> facts{
      count_fact("neighbours.shape", static_cast<std::int64_t>(kernel.neighbourhood.shape)),
      count_fact("neighbours.triplets", counts.triplets),
      count_fact("neighbours.groups", counts.groups),
      count_fact("neighbours.folded", counts.folded),
      count_fact("neighbours.most_neighbours", counts.most_neighbours),
      exact_fact("neighbours.fan_in", counts.fan_in()),
      exact_fact("neighbours.per_row", share(counts.triplets, found.outputs)),
      count_fact("neighbours.median", found.percentiles.front()),
      count_fact("neighbours.voxel_pairs", pairs),
      exact_fact("neighbours.stay", share(counts.in_voxel_map, pairs)),
      exact_fact("neighbours.same_column", share(counts.same_column, pairs)),
      exact_fact("neighbours.added", share(counts.triplets - counts.in_voxel_map, counts.triplets)),
      count_fact("neighbours.list_bytes", found.list_bytes()),
      count_fact("neighbours.position_bytes", found.position_bytes()),
      count_fact("neighbours.explicit_bytes",
                 found.explicit_bytes(explicit_channels, bytes_of(Precision::fp16)))};
  add_norms(densities(*input.map), facts);
  return facts;
}

std::vector<std::string> neighbour_row_fact_names() {
  std::vector<std::string> names;
  for (const char* name : {"chosen", "distance", "in_voxels", "in_cube", "in_ball", "inputs", "same_column",
                           "other_column", "lost", "added", "folded", "groups", "most_in_column"})
    names.push_back("neighbour_row." + std::string(name));
  add_axes(names, "neighbour_row.moved_from");
  add_axes(names, "neighbour_row.moved_to");
  return names;
}

std::vector<Fact> neighbour_row_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the inputs of the row", 0, 0});
  const VoxelScene& scene = *input.scene;
  std::vector<Fact> facts{count_fact("neighbour_row.chosen", input.voxel ? 1 : 0)};
  if (!input.voxel || !has_positions(scene, input.stride)) return facts;
  const Voxel voxel = *input.voxel;
  const auto found = row_of_voxel(scene.level(input.stride), voxel);
  if (!found) return facts;
  const std::int64_t row = *found;
  const Point position = position_m(scene, input.stride, row);
  const Point centre = scene.centre_m(voxel, input.stride);
  facts.push_back(
      exact_fact("neighbour_row.distance",
                 std::hypot(position[0] - centre[0], position[1] - centre[1], position[2] - centre[2]), "m"));
  const SortedVoxels voxels = sorted_voxels(scene.level(input.stride));
  facts.push_back(
      count_fact("neighbour_row.in_voxels",
                 densities_of(voxels, {voxel}, KernelOffsets(input.kernel_size, input.stride), job).pairs));
  const int cell = input.map ? input.map->offsets->kernel().neighbourhood.cell : 1;
  for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball})
    facts.push_back(count_fact("neighbour_row.in_" + std::string(text_of(shape)),
                               count_inputs(scene, input.stride, row, {shape, cell, 0}, input.kernel_size)));
  if (input.map)
    add_inputs(native_row(scene, *input.map, input.stride, input.stride, static_cast<std::int32_t>(row)),
               facts);
  return facts;
}

namespace {

/// A session with one layer on the points of the scene. Its inputs are ready.
struct TimedLayer {
  std::unique_ptr<Session> session;
  LayerPlan plan;
  std::string name;
  std::unique_ptr<Recorder> recorder;
};

TimedLayer timed_layer(const std::shared_ptr<Backend>& backend, const VoxelScene& scene,
                       const KernelShape& kernel, Job& job) {
  Network network = single_layer_network(kernel.size, 1, timed_channels, timed_channels);
  if (kernel.native()) set_neighbourhood(network, kernel.neighbourhood);
  Plan plan = default_plan(network);
  plan.precision = Precision::fp32;
  set_threshold(plan, network, 0);
  auto weights = std::make_shared<const NetworkWeights>(seeded_weights(network, 1, job.stop_token()));
  TimedLayer layer{nullptr, plan.layers.back(), network.layers.back().name,
                   std::make_unique<Recorder>(backend->stages())};
  layer.session = std::make_unique<Session>(backend, std::make_shared<const Network>(std::move(network)),
                                            std::move(weights));
  Job quiet = job.with_recorder(nullptr);
  static_cast<void>(layer.session->load(scene.cloud, scene.grid, scene.pack, plan.precision, quiet, false));
  layer.session->run_all(plan, quiet, {});
  return layer;
}

LayerSamples samples_of(TimedLayer& layer) {
  const StageTree stages = layer.recorder->take();
  const auto of_phase = [&](const char* phase) {
    const int node = stages.find({phase, layer.name});
    return node < 0 ? std::vector<double>{} : stages.nodes[static_cast<std::size_t>(node)].samples_ms;
  };
  return {of_phase("map"), of_phase("features")};
}

}  // namespace

NeighbourTimes measure_neighbours(const std::shared_ptr<Backend>& backend, const VoxelScene& scene,
                                  const KernelShape& kernel, int rounds, Job& job) {
  KernelShape voxels = kernel;
  voxels.neighbourhood = {};
  std::array<TimedLayer, 2> layers{timed_layer(backend, scene, voxels, job),
                                   timed_layer(backend, scene, kernel, job)};
  for (int round = -1; round < rounds; ++round) {
    job.checkpoint({"timing the layers", round + 1, rounds + 1});
    for (TimedLayer& layer : layers) {
      // The warm-up round is not recorded.
      Job timed = job.with_recorder(round < 0 ? nullptr : layer.recorder.get());
      const int last = static_cast<int>(layer.session->network().layers.size()) - 1;
      layer.session->execute_layer(last, layer.plan, timed);
      if (round >= 0) layer.recorder->next_repetition();
    }
  }
  return {samples_of(layers.front()), samples_of(layers.back())};
}

std::vector<std::string> layer_time_fact_names() {
  std::vector<std::string> names{"layer_times.measured", "layer_times.channels"};
  for (const char* layer : {"voxels", "native"}) {
    for (const char* what : {"map_ms", "map_iqr_ms", "features_ms", "features_iqr_ms", "samples"})
      names.push_back(std::string("layer_times.") + layer + "." + what);
  }
  return names;
}

std::vector<Fact> layer_time_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the times", 0, 0});
  const bool measured = input.run && input.run->neighbours;
  std::vector<Fact> facts{count_fact("layer_times.measured", measured ? 1 : 0)};
  if (!measured) return facts;
  facts.push_back(count_fact("layer_times.channels", timed_channels));
  const auto add = [&](const std::string& layer, const LayerSamples& samples) {
    const auto add_phase = [&](const char* phase, const std::vector<double>& ms) {
      const Statistics found = statistics(ms);
      const std::string name = "layer_times." + layer + "." + phase;
      facts.push_back(exact_fact(name + "_ms", found.median, "ms"));
      facts.back().source = counted_text(found.n, "interleaved sample", "interleaved samples") +
                            (input.run->timed_on.empty() ? "" : ", " + input.run->timed_on);
      facts.push_back(exact_fact(name + "_iqr_ms", found.iqr(), "ms"));
    };
    add_phase("map", samples.map_ms);
    add_phase("features", samples.features_ms);
    facts.push_back(count_fact("layer_times." + layer + ".samples", std::ssize(samples.features_ms)));
  };
  add("voxels", input.run->neighbours->voxels);
  add("native", input.run->neighbours->native);
  return facts;
}

}  // namespace spira

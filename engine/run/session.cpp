#include "engine/run/session.hpp"

#include "engine/backend/compute_layer.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/network/network.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/memory_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace spira {
namespace {

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

InputValues input_values_of(const Features& input, const PointCloud& cloud) {
  InputValues values{input.rows, count_non_finite_rows(input), 0};
  for (const AttributeFacts& attribute : cloud.attributes) {
    if (attribute.kept && attribute.name == "intensity") values.replaced += attribute.non_finite;
  }
  return values;
}

// The outputs of all layers, in the memory of the back end.
using Outputs = std::vector<std::shared_ptr<const Features>>;

}  // namespace

struct Session::State {
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  Levels levels;
  Precision precision = Precision::fp32;
  std::vector<UploadedWeights> uploaded;
  BuiltLevels built;
  InputValues input_facts;
  std::shared_ptr<const VoxelScene> scene;
  std::map<MapUse, std::shared_ptr<const KernelMap>> maps;
  std::map<int, std::shared_ptr<const KernelMap>> view_maps;  ///< The results of map_for_views(), by level.
  Outputs features;
  std::vector<std::shared_ptr<const LayerResult>> results;
  std::optional<CompiledNetwork> compiled;  ///< Valid for `compiled_plan` and the loaded scene.
  Plan compiled_plan;

  [[nodiscard]] const Layer& layer(int index) const {
    return network->layers[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] std::vector<UploadedWeights> upload(Precision wanted) const {
    std::vector<UploadedWeights> all;
    for (const LayerWeights& one : weights->layers)
      all.push_back(backend->upload_weights(one, wanted));
    return all;
  }

  [[nodiscard]] MapUse use_of(int index, const LayerPlan& plan) const {
    return map_use(levels.layers[static_cast<std::size_t>(index)], plan);
  }

  [[nodiscard]] const CoordSet& device_level(int stride) const {
    for (const auto& level : built.device.levels) {
      if (level->stride == stride) return *level;
    }
    throw Error(ErrorKind::internal, "the scene has no level of stride " + std::to_string(stride));
  }

  KernelMap build_map(int index, const LayerPlan& plan, Job& job) const {
    const MapUse use = use_of(index, plan);
    auto offsets =
        std::make_shared<const KernelOffsets>(use.key.kernel, levels.set(use.key.stride_in).rule.stride());
    const auto request = request_for(use, std::move(offsets));
    const auto stage = job.stage(StageKey("map", layer(index).name).text());
    return backend->build_map(device_level(use.key.stride_in), device_level(use.key.stride_out), request,
                              job);
  }

  /// Returns the map of a layer. Builds it only if no other layer has built the same map. Sets `was_there` to
  /// true if the map already existed.
  std::shared_ptr<const KernelMap> shared_map(int index, const LayerPlan& plan, Job& job, bool& was_there) {
    const MapUse use = use_of(index, plan);
    const auto found = maps.find(use);
    was_there = found != maps.end();
    if (was_there) return found->second;
    auto map = std::make_shared<const KernelMap>(build_map(index, plan, job));
    maps[use] = map;
    return map;
  }

  /// Computes the features of one layer. `outputs` has one entry per layer and must contain the inputs of
  /// this layer. `scene_levels` contains the input features of the network.
  Features compute(int index, const KernelMap* map, FeatureMethod method, const Outputs& outputs,
                   const DeviceLevels& scene_levels, Job& job) const {
    const Layer& here = layer(index);
    const auto stage = job.stage(StageKey("features", here.name).text());
    const auto output_of = [&](const std::string& name) {
      const int input = network->index_of(name);
      return input < 0 ? scene_levels.source(name) : outputs[static_cast<std::size_t>(input)].get();
    };
    LayerInputs in;
    for (const auto& input : here.inputs)
      in.parts.push_back(output_of(input));
    if (!here.residual.empty()) in.residual = output_of(here.residual);
    if (here.changes_set()) {
      const LayerLevels& own = levels.layers[static_cast<std::size_t>(index)];
      for (const int level : own.inputs)
        in.levels.push_back(&device_level(level));
      in.out = &device_level(own.stride_out);
      in.points = scene_levels.points.points.get();
      in.shift = scene_levels.shift;
    }
    return compute_layer(*backend, here, in, map, method, uploaded[static_cast<std::size_t>(index)], job);
  }

  /// Returns the first input layer whose output is missing, or -1 if all inputs exist.
  [[nodiscard]] int missing_input(int index) const {
    auto names = layer(index).inputs;
    if (!layer(index).residual.empty()) names.push_back(layer(index).residual);
    for (const auto& name : names) {
      const int input = network->index_of(name);
      if (input >= 0 && !features[static_cast<std::size_t>(input)]) return input;
    }
    return -1;
  }

  void require_feasible(int index, const LayerPlan& plan) const {
    if (const std::string why = why_not_plan(layer(index), plan); !why.empty())
      throw Error(ErrorKind::usage, layer(index).name + ": " + why);
  }

  void require_plan(const Plan& plan) const {
    SPIRA_ASSERT(scene != nullptr, "no scene is loaded");
    SPIRA_ASSERT(plan.layers.size() == network->layers.size(), "the plan belongs to another network");
    if (plan.precision != precision)
      throw Error(ErrorKind::usage, "the plan and the loaded scene have different precisions");
  }

  /// Removes the results of all layers that depend on the layer `name`, directly or indirectly. When that
  /// layer runs again, these results are out of date.
  void drop_readers(const std::string& name) {
    for (std::size_t at = 0; at < network->layers.size(); ++at) {
      const Layer& reader = network->layers[at];
      const bool reads = reader.residual == name ||
                         std::find(reader.inputs.begin(), reader.inputs.end(), name) != reader.inputs.end();
      if (!reads || !features[at]) continue;
      features[at].reset();
      results[at].reset();
      drop_readers(reader.name);
    }
  }

  void clear_results() {
    maps.clear();
    view_maps.clear();
    features.assign(network->layers.size(), nullptr);
    results.assign(network->layers.size(), nullptr);
  }

  [[nodiscard]] LevelRequest level_request(PackSpec pack, Precision wanted) const {
    return {pack, wanted, levels.needs, levels.sets, network.get()};
  }

  /// Returns the map of one cell on the level of a layer that is not a convolution or pool. Such a layer
  /// reads no map, but views show its level with the map of its result.
  std::shared_ptr<const KernelMap> map_for_views(int index, const LayerPlan& plan, Job& job);
  std::shared_ptr<LayerResult> run(int index, const Plan& plan, Job& job);
  /// Runs one layer. First runs the layers that produce missing inputs. Reports the number of the layer as
  /// progress, out of `last` + 1.
  std::shared_ptr<LayerResult> run_with_inputs(int index, int last, const Plan& plan, Job& job);
  void run_once(const Plan& plan, Job& job) const;
};

std::shared_ptr<const KernelMap> Session::State::map_for_views(int index, const LayerPlan& plan, Job& job) {
  std::shared_ptr<const KernelMap>& map =
      view_maps[levels.layers[static_cast<std::size_t>(index)].stride_out];
  if (!map) {
    Job unrecorded(job.stop_token());
    map = std::make_shared<const KernelMap>(build_map(index, plan, unrecorded));
  }
  return map;
}

std::shared_ptr<LayerResult> Session::State::run(int index, const Plan& plan, Job& job) {
  const auto at = static_cast<std::size_t>(index);
  Recorder recorder(backend->stages());
  // Kernels report no progress here, because the progress counts layers.
  Job timed(job.stop_token(), &recorder);
  auto result = std::make_shared<LayerResult>();
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const KernelMap> map;
  if (layer(index).has_map()) map = shared_map(index, plan.layers.at(at), timed, result->map_shared);
  auto output = std::make_shared<const Features>(
      compute(index, map.get(), plan.layers[at].method, features, built.device, timed));
  backend->wait();
  result->wall_ms = ms_since(begin);
  result->stages = recorder.take();
  if (!map) {
    map = map_for_views(index, plan.layers[at], job);
    result->map_shared = true;
  }
  result->layer = index;
  result->scene = scene;
  result->levels = levels.layers[at];
  result->plan = plan.layers[at];
  const bool host = backend->results_are_host_memory();
  result->map = host ? map : std::make_shared<const KernelMap>(backend->download(*map));
  result->features = host ? output : std::make_shared<const Features>(backend->download(*output));
  result->densities = densities(*result->map);
  drop_readers(network->layers[at].name);
  features[at] = std::move(output);
  results[at] = result;
  return result;
}

std::shared_ptr<LayerResult> Session::State::run_with_inputs(int index, int last, const Plan& plan,
                                                             Job& job) {
  require_plan(plan);
  require_feasible(index, plan.layers.at(static_cast<std::size_t>(index)));
  // Search for a missing input again after each run, because the run may have produced several inputs.
  for (int input = missing_input(index); input >= 0; input = missing_input(index))
    static_cast<void>(run_with_inputs(input, last, plan, job));
  job.checkpoint({"layers", index, last + 1});
  return run(index, plan, job);
}

/// Runs the whole network, from points on the back end to the output of the last layer: first the indexing of
/// all layers (section 5.5 of the Spira paper), then the features. Frees each output after the last layer
/// that reads it, as a deployed network does. This matters because the peak memory of this run is measured.
void Session::State::run_once(const Plan& plan, Job& job) const {
  State indexed;
  indexed.backend = backend;
  indexed.network = network;
  indexed.levels = levels;
  indexed.built.device = index_again(*backend, built.again, job);
  const int layers = static_cast<int>(network->layers.size());
  std::vector<std::shared_ptr<const KernelMap>> layer_maps;
  for (int index = 0; index < layers; ++index) {
    bool was_there = false;
    layer_maps.push_back(
        layer(index).has_map()
            ? indexed.shared_map(index, plan.layers[static_cast<std::size_t>(index)], job, was_there)
            : nullptr);
  }
  const auto last = last_readers(*network);
  Outputs outputs(network->layers.size());
  for (int index = 0; index < layers; ++index) {
    const auto at = static_cast<std::size_t>(index);
    outputs[at] = std::make_shared<const Features>(
        compute(index, layer_maps[at].get(), plan.layers[at].method, outputs, indexed.built.device, job));
    for (std::size_t input = 0; input < at; ++input) {
      if (last[input] == index) outputs[input].reset();
    }
  }
  backend->wait();
}

Session::Session(std::shared_ptr<Backend> backend, std::shared_ptr<const Network> network,
                 std::shared_ptr<const NetworkWeights> weights)
    : state_(std::make_unique<State>()) {
  state_->levels = levels_of(*network);
  SPIRA_ASSERT(weights->layers.size() == network->layers.size(), "the weights belong to another network");
  state_->backend = std::move(backend);
  state_->network = std::move(network);
  state_->weights = std::move(weights);
  state_->clear_results();
}

Session::~Session() = default;

namespace {

/// Throws `Error(input)` for a batch if a layer computes statistics of a scene, because the voxels of all
/// frames of a batch are rows of the same features.
void require_batch_possible(const PointCloud& cloud, const Network& network) {
  if (cloud.batch() <= 1) return;
  for (const Layer& layer : network.layers) {
    if (layer.op == LayerOp::instance_norm)
      throw Error(ErrorKind::input, cloud.name + ": a batch of " + std::to_string(cloud.batch()) +
                                        " frames cannot run the layer " + layer.name +
                                        ", because instance_norm needs the mean of one frame. Run the "
                                        "frames one by one");
  }
}

}  // namespace

std::shared_ptr<const VoxelScene> Session::load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                                PackSpec pack, Precision precision, Job& job) {
  require_batch_possible(*cloud, network());
  Recorder recorder(state_->backend->stages());
  Job timed = job.with_recorder(&recorder);
  BuiltLevels built =
      build_levels(*state_->backend, std::move(cloud), grid, state_->level_request(pack, precision), timed);
  built.scene->stages = recorder.take();
  const Features& input = *built.device.features;
  const bool host = state_->backend->results_are_host_memory();
  const InputValues values = host ? input_values_of(input, *built.scene->cloud)
                                  : input_values_of(state_->backend->download(input), *built.scene->cloud);
  if (state_->uploaded.empty() || state_->precision != precision) {
    // The upload is the last step that can fail. After it, discard the compiled network, which has the old
    // weights.
    auto uploaded = state_->upload(precision);
    state_->compiled.reset();
    state_->uploaded = std::move(uploaded);
    state_->precision = precision;
  }
  state_->clear_results();
  state_->compiled.reset();
  state_->input_facts = values;
  state_->scene = built.scene;
  state_->built = std::move(built);
  return state_->scene;
}

std::shared_ptr<const LayerResult> Session::run_layer(int layer, const Plan& plan, Job& job) {
  SPIRA_ASSERT(layer >= 0 && layer < static_cast<int>(state_->network->layers.size()), "no such layer");
  return state_->run_with_inputs(layer, layer, plan, job);
}

void Session::run_all(const Plan& plan, Job& job,
                      const std::function<void(std::shared_ptr<const LayerResult>)>& done) {
  const int layers = static_cast<int>(state_->network->layers.size());
  for (int layer = 0; layer < layers; ++layer) {
    auto result = state_->run_with_inputs(layer, layers - 1, plan, job);
    if (done) done(std::move(result));
  }
}

std::shared_ptr<const LayerResult> Session::result(int layer) const {
  return state_->results.at(static_cast<std::size_t>(layer));
}

void Session::execute_layer(int layer, const LayerPlan& plan, Job& job, bool map_only) {
  SPIRA_ASSERT(map_only || state_->missing_input(layer) < 0, "the inputs of the layer were not run");
  state_->require_feasible(layer, plan);
  std::optional<KernelMap> map;
  if (state_->layer(layer).has_map()) map = state_->build_map(layer, plan, job);
  if (!map_only)
    static_cast<void>(state_->compute(layer, map ? &*map : nullptr, plan.method, state_->features,
                                      state_->built.device, job));
  state_->backend->wait();
}

std::shared_ptr<const KernelMap> Session::build_layer_map(int layer, const LayerPlan& plan, Job& job) {
  state_->require_feasible(layer, plan);
  return std::make_shared<const KernelMap>(state_->build_map(layer, plan, job));
}

Features Session::execute_features(int layer, const KernelMap& map, Job& job) {
  SPIRA_ASSERT(state_->missing_input(layer) < 0, "the inputs of the layer were not run");
  Features features =
      state_->compute(layer, &map, FeatureMethod::by_layout, state_->features, state_->built.device, job);
  state_->backend->wait();
  return features;
}

void Session::execute_network(const Plan& plan, Job& job) {
  state_->require_plan(plan);
  for (int layer = 0; layer < static_cast<int>(plan.layers.size()); ++layer)
    state_->require_feasible(layer, plan.layers[static_cast<std::size_t>(layer)]);
  state_->run_once(plan, job);
}

const CompiledNetwork& Session::compiled(const Plan& plan, Job& job) {
  state_->require_plan(plan);
  if (!state_->compiled || state_->compiled_plan.layers != plan.layers) {
    state_->compiled.reset();  // Free the memory of the old network before the new network is compiled.
    NetworkRunRequest request = run_request(*state_->scene, state_->network, plan, job);
    request.weights = &state_->uploaded;
    CompiledNetwork compiled = state_->backend->compile(request, job);
    try {
      if (compiled.run) compiled.run->set_points(*state_->built.again.points->cloud);
    } catch (const Error& error) {
      // The network can still run layer by layer, because this needs less memory.
      if (!is_device_fault(error.kind())) throw;
      compiled = {nullptr, error.what()};
    }
    state_->compiled = std::move(compiled);
    state_->compiled_plan = plan;
  }
  return *state_->compiled;
}

InputValues Session::input_values() const {
  return state_->input_facts;
}

MemoryForecast Session::forecast(const Plan& plan) const {
  state_->require_plan(plan);
  const DeviceLevels& levels = state_->built.device;
  std::size_t bytes = levels.features->data.bytes();
  if (levels.points.features) bytes += levels.points.features->data.bytes();
  for (const auto& level : levels.levels)
    bytes += level->keys.bytes() + level->count.bytes();
  return forecast_memory(*state_->backend, *state_->scene, *state_->network, plan, bytes);
}

const Network& Session::network() const noexcept {
  return *state_->network;
}
const NetworkWeights& Session::weights() const noexcept {
  return *state_->weights;
}
const Levels& Session::levels() const noexcept {
  return state_->levels;
}
Backend& Session::backend() noexcept {
  return *state_->backend;
}
std::shared_ptr<const VoxelScene> Session::scene() const noexcept {
  return state_->scene;
}

}  // namespace spira

#include "engine/run/session.hpp"

#include "engine/backend/compute_layer.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/network/network.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/joined_inputs.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/memory_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>

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

/// Copies weights to the memory of a back end, in fp32 and in the order of LayerWeights.
MasterWeights master_weights(Backend& backend, const LayerWeights& weights) {
  const auto pool = make_host_pool();
  const auto uploaded = [&](const std::vector<float>& values) {
    Buffer host(pool, values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), host.host_span<float>().begin());
    return backend.to_device(host);
  };
  return {weights.columns, weights.in_channels, weights.out_channels, uploaded(weights.weight),
          uploaded(weights.bias)};
}

/// Returns the first gradient of an output, multiplied by the loss scale, in the memory of the back end.
Features first_gradient(Backend& backend, const TrainingRequest& request, const Layer& layer,
                        std::int64_t rows, Precision precision) {
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(layer.out_channels);
  SPIRA_ASSERT(request.first_gradient.empty() || request.first_gradient.size() == count,
               "the first gradient and the output have different shapes");
  Random random(hash64(std::as_bytes(std::span(layer.name)), request.seed));
  constexpr double deviation = 1e-3;
  Features host{rows, layer.out_channels, precision, Buffer(make_host_pool(), count * bytes_of(precision))};
  for (std::size_t at = 0; at < count; ++at) {
    const float value = request.first_gradient.empty() ? static_cast<float>(deviation * random.normal())
                                                       : request.first_gradient[at];
    const float scaled = value * static_cast<float>(request.loss_scale);
    if (precision == Precision::fp32) {
      host.data.host_span<float>()[at] = scaled;
    } else {
      host.data.host_span<Fp16>()[at] = float_to_fp16(scaled);
    }
  }
  return backend.upload(host);
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
  /// What all training steps read. Valid for the loaded scene.
  struct Training {
    TrainingRequest request;
    std::vector<MasterWeights> weights;
    Outputs first;  ///< The first gradients.
  };
  std::optional<Training> training;

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
    auto request = request_for(use, std::move(offsets));
    if (use.key.kernel.native()) {
      request.in_positions = built.device.positions.at(use.key.stride_in).get();
      request.out_positions = built.device.positions.at(use.key.stride_out).get();
    }
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
  /// this layer. `scene_levels` contains the input features of the network. If `joined` is not `nullptr`, it
  /// concatenates the inputs of convolutions.
  Features compute(int index, const KernelMap* map, FeatureMethod method, const Outputs& outputs,
                   const DeviceLevels& scene_levels, Job& job, JoinedInputs* joined = nullptr) const {
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
    if (joined != nullptr && here.convolution()) in.parts = {&joined->of(*backend, here, in.parts, job)};
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

  void require_feasible(int index, const LayerSetting& setting, LayerPass pass) const {
    const LayerLevels& level = levels.layers[static_cast<std::size_t>(index)];
    if (const std::string why = why_not_pass(layer(index), level, pass, setting); !why.empty())
      throw Error(ErrorKind::usage, layer(index).name + ": " + std::string(text_of(pass)) + ": " + why);
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
    return {pack, wanted, levels.needs, levels.sets, network.get(), levels.native_stride};
  }

  /// Returns the map of one cell on the level of a layer that is not a convolution or pool. Such a layer
  /// reads no map, but views show its level with the map of its result.
  std::shared_ptr<const KernelMap> map_for_views(int index, const LayerPlan& plan, Job& job);
  std::shared_ptr<LayerResult> run(int index, const Plan& plan, Job& job);
  /// Runs one layer. First runs the layers that produce missing inputs. Reports the number of the layer as
  /// progress, out of `last` + 1.
  std::shared_ptr<LayerResult> run_with_inputs(int index, int last, const Plan& plan, Job& job);
  /// Builds the kernel maps of all layers (section 5.5 of the Spira paper), then computes the features, on
  /// the levels of `indexed`. Frees each output after the last layer that reads it, as a deployed network
  /// does. This matters because the peak memory of this run is measured. Keeps the outputs of the layers in
  /// `kept`.
  [[nodiscard]] Outputs run_layers(State& indexed, const Plan& plan, std::span<const int> kept,
                                   Job& job) const;
  /// Returns a state without results that has these levels.
  [[nodiscard]] State with_levels(DeviceLevels device) const;
  /// Returns a state without results that has the levels of the same scene, indexed again.
  [[nodiscard]] State indexed_again(Job& job) const {
    return with_levels(index_again(*backend, built.again, job));
  }
  void require_feasible(const Plan& plan) const {
    for (int index = 0; index < static_cast<int>(plan.layers.size()); ++index)
      require_feasible(index, plan.layers[static_cast<std::size_t>(index)]);
  }
  [[nodiscard]] BackwardResult train_once(const Plan& plan, Job& job) const;
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
  if (result->map->many()) result->neighbours = neighbour_counts(*scene, levels.layers[at].map, *result->map);
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

Session::State Session::State::with_levels(DeviceLevels device) const {
  State indexed;
  indexed.backend = backend;
  indexed.network = network;
  indexed.levels = levels;
  indexed.built.device = std::move(device);
  return indexed;
}

/// Runs a training step, from points on the back end to the gradients: the indexing of all layers, the
/// conversion of the weights, all kernel maps, the features, and the gradients.
BackwardResult Session::State::train_once(const Plan& plan, Job& job) const {
  State step = indexed_again(job);
  Gradients& gradients = *backend->extensions().gradients;
  BackwardRequest back{network.get(), &levels, step.built.device.features.get()};
  const auto layers = network->layers.size();
  for (std::size_t at = 0; at < layers; ++at) {
    const Layer& here = network->layers[at];
    const auto stage = job.stage(StageKey("repack", here.name).text());
    back.backward.push_back(backward_of(plan, *network, levels, at));
    const MasterWeights& master = training->weights[at];
    step.uploaded.push_back(gradients.repack(master, WeightForm::forward, precision, job));
    back.dgrad_weights.push_back(
        needs_dgrad(*network, here)
            ? gradients.repack(master, dgrad_form(here, levels.layers[at]).form, precision, job)
            : UploadedWeights{});
  }
  std::vector<std::shared_ptr<const KernelMap>> forward_maps;
  for (std::size_t at = 0; at < layers; ++at) {
    bool was_there = false;
    const int index = static_cast<int>(at);
    forward_maps.push_back(step.shared_map(index, plan.layers[at], job, was_there));
    back.dgrad_maps.push_back(needs_dgrad(*network, network->layers[at])
                                  ? step.shared_map(index, back.backward[at].dgrad, job, was_there)
                                  : nullptr);
    back.wgrad_maps.push_back(step.shared_map(index, back.backward[at].wgrad, job, was_there));
  }
  back.outputs.resize(layers);
  JoinedInputs joined;
  for (std::size_t at = 0; at < layers; ++at) {
    back.outputs[at] = std::make_shared<const Features>(
        step.compute(static_cast<int>(at), forward_maps[at].get(), plan.layers[at].method, back.outputs,
                     step.built.device, job, &joined));
    joined.release_before(at + 1 < layers ? &network->layers[at + 1] : nullptr);
  }
  back.first = training->first;
  back.loss_scale = training->request.loss_scale;
  back.keep_gradients = training->request.keep_gradients;
  BackwardResult result = run_backward(*backend, std::move(back), job);
  backend->wait();
  return result;
}

Outputs Session::State::run_layers(State& indexed, const Plan& plan, std::span<const int> kept,
                                   Job& job) const {
  const int layers = static_cast<int>(network->layers.size());
  std::vector<std::shared_ptr<const KernelMap>> layer_maps;
  for (int index = 0; index < layers; ++index) {
    bool was_there = false;
    layer_maps.push_back(
        layer(index).has_map()
            ? indexed.shared_map(index, plan.layers[static_cast<std::size_t>(index)], job, was_there)
            : nullptr);
  }
  auto last = last_readers(*network);
  for (const int index : kept)
    last[static_cast<std::size_t>(index)] = -1;
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
  return outputs;
}

Session::Session(std::shared_ptr<Backend> backend, std::shared_ptr<const Network> network,
                 std::shared_ptr<const NetworkWeights> weights)
    : state_(std::make_unique<State>()) {
  if (network->space == NetworkSpace::bev)
    throw Error(ErrorKind::usage,
                "network " + network->name +
                    " runs on a bird's-eye view, not on voxels; use spira run or spira verify");
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
                                        ", because instance_norm normalises each frame separately. Run the "
                                        "frames one by one");
  }
}

}  // namespace

std::shared_ptr<const VoxelScene> Session::load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                                PackSpec pack, Precision precision, Job& job, bool notes) {
  require_batch_possible(*cloud, network());
  Recorder recorder(state_->backend->stages());
  Job timed = job.with_recorder(&recorder);
  LevelRequest request = state_->level_request(pack, precision);
  request.notes = notes;
  BuiltLevels built = build_levels(*state_->backend, std::move(cloud), grid, request, timed);
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
  state_->training.reset();
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

std::shared_ptr<const KernelMap> Session::build_layer_map(int layer, const LayerPlan& plan, Job& job,
                                                          LayerPass pass) {
  state_->require_feasible(layer, plan.dataflow(), pass);
  return std::make_shared<const KernelMap>(state_->build_map(layer, plan, job));
}

Features Session::execute_features(int layer, const KernelMap& map, Job& job, FeatureMethod method) {
  SPIRA_ASSERT(state_->missing_input(layer) < 0, "the inputs of the layer were not run");
  Features features = state_->compute(layer, &map, method, state_->features, state_->built.device, job);
  state_->backend->wait();
  return features;
}

void Session::execute_network(const Plan& plan, Job& job) {
  state_->require_plan(plan);
  state_->require_feasible(plan);
  State indexed = state_->indexed_again(job);
  static_cast<void>(state_->run_layers(indexed, plan, {}, job));
}

std::vector<std::shared_ptr<const Features>> Session::run_outputs(const Plan& plan,
                                                                  std::span<const int> layers, Job& job) {
  state_->require_plan(plan);
  state_->require_feasible(plan);
  State indexed = state_->with_levels(state_->built.device);
  const Outputs outputs = state_->run_layers(indexed, plan, layers, job);
  std::vector<std::shared_ptr<const Features>> wanted;
  for (const int layer : layers)
    wanted.push_back(outputs.at(static_cast<std::size_t>(layer)));
  return wanted;
}

void Session::prepare_training(const TrainingRequest& request) {
  SPIRA_ASSERT(state_->scene != nullptr, "no scene is loaded");
  Backend& backend = *state_->backend;
  require_training(backend, network());
  const auto outputs = output_layers(network());
  if (!request.first_gradient.empty() && outputs.size() > 1)
    throw Error(ErrorKind::usage, "network " + network().name + " has " + std::to_string(outputs.size()) +
                                      " outputs; a gradient is possible for one output only");
  State::Training training{request, {}, Outputs(network().layers.size())};
  for (const LayerWeights& weights : state_->weights->layers)
    training.weights.push_back(master_weights(backend, weights));
  for (const int index : outputs) {
    const auto at = static_cast<std::size_t>(index);
    const std::int64_t rows = size_of(state_->scene->level(state_->levels.layers[at].stride_out));
    training.first[at] = std::make_shared<const Features>(
        first_gradient(backend, request, network().layers[at], rows, state_->precision));
  }
  state_->training = std::move(training);
}

BackwardResult Session::execute_training_step(const Plan& plan, Job& job) {
  state_->require_plan(plan);
  SPIRA_ASSERT(state_->training.has_value(), "the training was not prepared");
  state_->require_feasible(plan);
  for (int layer = 0; layer < static_cast<int>(plan.backward.size()); ++layer) {
    const BackwardPlan& backward = plan.backward[static_cast<std::size_t>(layer)];
    state_->require_feasible(layer, backward.dgrad.dataflow(), LayerPass::dgrad);
    state_->require_feasible(layer, backward.wgrad.dataflow(), LayerPass::wgrad);
  }
  return state_->train_once(plan, job);
}

PassInputs Session::pass_inputs(int layer, Job& job) {
  SPIRA_ASSERT(state_->missing_input(layer) < 0, "the inputs of the layer were not run");
  Backend& backend = *state_->backend;
  const auto at = static_cast<std::size_t>(layer);
  const Layer& here = network().layers[at];
  const LayerLevels& level = state_->levels.layers[at];
  std::vector<std::shared_ptr<const Features>> parts;
  std::vector<const Features*> joined;
  for (const std::string& name : here.inputs) {
    const int input = network().index_of(name);
    parts.push_back(input < 0 ? state_->built.device.features
                              : state_->features[static_cast<std::size_t>(input)]);
    joined.push_back(parts.back().get());
  }
  PassInputs inputs;
  inputs.in = joined.size() == 1 ? parts.front()
                                 : std::make_shared<const Features>(backend.compute_rows(
                                       {LayerOp::concat, joined, here.in_channels}, job));
  const std::int64_t rows = size_of(state_->scene->level(level.stride_out));
  inputs.gradient = first_gradient(backend, {usual_loss_scale}, here, rows, state_->precision);
  inputs.dgrad_weights = backend.upload_weights(
      in_form(state_->weights->layers[at], dgrad_form(here, level).form), state_->precision);
  return inputs;
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
  for (const auto& [stride, positions] : levels.positions)
    bytes += positions->bytes();
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

#include "engine/tune/scene_tuner.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/tune/map_groups.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace spira {
namespace {

/// Returns a function that takes one sample of `work`. Its first call runs `warmup` repetitions before the
/// sample.
std::function<double()> timed(std::function<void()> work, int warmup) {
  return [work = std::move(work), warmup, warm = false]() mutable {
    for (int round = 0; !warm && round < warmup; ++round)
      work();
    warm = true;
    return time_once_ms(work);
  };
}

bool wants_samples(const std::vector<double>& ms, bool dropped, const TuneRequest& request) {
  return !dropped && static_cast<int>(ms.size()) < request.protocol.min_samples;
}

/// Returns the last samples of the stages that create a row order, summed. Returns an empty value if there is
/// no such stage.
std::optional<double> order_in(const StageTree& stages) {
  std::optional<double> sum;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const std::vector<double>& ms = stages.nodes[static_cast<std::size_t>(node)].samples_ms;
    if (stages.key(node).name() == "order" && !ms.empty()) sum = sum.value_or(0) + ms.back();
  }
  return sum;
}

template <class Record, class Same>
std::size_t find_or_add(std::vector<Record>& all, Record wanted, Same same) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  const auto at = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) all.push_back(std::move(wanted));
  return at;
}

/// Returns a plan for a layer that reads the map of `setting` and computes its features with the method of
/// `setting`.
LayerPlan plan_with(const LayerSetting& setting, MapAlgorithm algorithm = MapAlgorithm::z_delta) {
  LayerPlan plan;
  plan.algorithm = algorithm;
  plan.set(setting);
  return plan;
}

int max_threshold(const LayerLevels& levels) {
  return KernelOffsets(levels.map.kernel, 1).max_threshold();
}

}  // namespace

/// An alternative to sample, and the record that stores its samples.
struct SceneTuner::Trial {
  enum class Kind : std::uint8_t { indexing, map, features };
  Kind kind = Kind::map;
  std::size_t record = 0;
  Alternative alternative;
};

SceneTuner::SceneTuner(const TuneRequest& request, const TuneScene& scene, Job& job)
    : request_(request), scene_(scene), plain_(default_plan(*request.network)) {
  plain_.precision = request.precision;
  scene_.pack = scene.pack.with_batch(1);
  session_ = session_with(scene_.pack, job);
  sessions_[scene_.pack.text()] = session_;
  memory_.plain = memory_of(plain_);
  require_memory(memory_.plain, request_.backend->facts());
  find_too_large();
  session_->run_all(plain_, job, [this](const std::shared_ptr<const LayerResult>& result) {
    add_pass(pass_, pass_times_of(result->stages, *request_.network));
    has_row_orders_ = has_row_orders_ || order_in(result->stages).has_value();
  });
}

std::shared_ptr<Session> SceneTuner::session_with(PackSpec pack, Job& job) const {
  auto session = std::make_shared<Session>(request_.backend, request_.network, request_.weights);
  static_cast<void>(session->load(scene_.cloud, scene_.grid, pack, request_.precision, job));
  return session;
}

TunedScene SceneTuner::facts() const {
  const VoxelScene& scene = *session_->scene();
  TunedScene facts;
  facts.name = scene_.cloud->name;
  facts.batch = scene_.cloud->batch();
  if (facts.batch > 1) {
    const std::vector<BatchVoxel> voxels = all_batch_voxels(scene.level(1));
    facts.fingerprint = hash64(std::as_bytes(std::span(voxels)));
  } else {
    const std::vector<Voxel> voxels = all_voxels(scene.level(1));
    facts.fingerprint = hash64(std::as_bytes(std::span(voxels)));
  }
  facts.densities = scene_densities(scene.level(1));
  facts.points = scene_.cloud->size();
  facts.unit = scene_.cloud->unit();
  facts.voxel_m = scene_.grid.voxel_m;
  if (!scene.positions.empty()) facts.positions = scene_.grid.positions;
  facts.pack = scene_.pack;
  facts.weight = scene_.weight;
  for (const auto& level : scene.levels)
    facts.levels.push_back({level->stride, size_of(*level)});
  return facts;
}

const LayerLevels& SceneTuner::levels_of(int layer) const {
  return session_->levels().layers[static_cast<std::size_t>(layer)];
}

std::vector<LayerSetting> SceneTuner::settings_of(int layer, LayerPass pass) const {
  std::vector<LayerSetting> settings = requested_settings(
      request_, request_.network->layers[static_cast<std::size_t>(layer)], levels_of(layer), pass);
  std::erase_if(settings, [&](const LayerSetting& one) {
    return memory_.too_large.contains({layer, pass, one});
  });
  return settings;
}

MemoryForecast SceneTuner::memory_of(const Plan& plan) const {
  return request_.training ? training_forecast(*session_, plan) : session_->forecast(plan);
}

namespace {

/// Returns an upper limit of the bytes of a map with any setting. Each slot can be stored twice, and sorted
/// outputs also need their order and masks.
std::size_t most_map_bytes(const MapKey& map, std::int64_t outputs) {
  constexpr std::size_t bytes_per_slot = 16;
  return static_cast<std::size_t>(padded_rows_of(outputs)) *
         static_cast<std::size_t>(map.kernel.columns() + 1) * bytes_per_slot;
}

}  // namespace

Plan SceneTuner::plain_except(int layer, LayerPass pass, const LayerSetting& setting) const {
  const auto at = static_cast<std::size_t>(layer);
  Plan plan = plain_;
  if (pass == LayerPass::forward) {
    plan.layers[at].set(setting);
    return plan;
  }
  for (std::size_t other = 0; other < plan.layers.size(); ++other)
    plan.backward.push_back(backward_of(plain_, *request_.network, session_->levels(), other));
  (pass == LayerPass::dgrad ? plan.backward[at].dgrad : plan.backward[at].wgrad).set(setting);
  return plan;
}

void SceneTuner::find_too_large() {
  const DeviceFacts& device = request_.backend->facts();
  const auto fits = [&](const MemoryForecast& memory) {
    try {
      require_memory(memory, device);
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  for (int layer = 0; layer < static_cast<int>(request_.network->layers.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const Layer& here = request_.network->layers[at];
    if (!here.convolution()) continue;
    // A forecast takes time. It is needed only if the device is almost full.
    MemoryForecast most = memory_.plain;
    most.features += most_map_bytes(levels_of(layer).map,
                                    size_of(session_->scene()->level(levels_of(layer).map.stride_out)));
    if (fits(most)) continue;
    for (const LayerPass pass : requested_passes(request_, here, levels_of(layer))) {
      for (const LayerSetting& setting : requested_settings(request_, here, levels_of(layer), pass)) {
        if (setting == plain_setting(here, levels_of(layer), pass)) continue;
        if (!fits(memory_of(plain_except(layer, pass, setting))))
          memory_.too_large.insert({layer, pass, setting});
      }
    }
  }
}

void SceneTuner::add_memory(TuneEstimate& estimate) const {
  if (request_.training) estimate.step_bytes = memory_.plain.run();
  for (const auto& [layer, pass, setting] : memory_.too_large)
    estimate.too_large.push_back(request_.network->layers[static_cast<std::size_t>(layer)].name + ", " +
                                 (pass == LayerPass::forward ? "" : std::string(text_of(pass)) + ", ") +
                                 setting_text(setting, max_threshold(levels_of(layer))));
}

Features SceneTuner::execute_pass(int layer, LayerPass pass, const LayerSetting& setting,
                                  const KernelMap& map, Job& job) {
  if (pass == LayerPass::forward) return session_->execute_features(layer, map, job, setting.method);
  std::shared_ptr<const PassInputs>& inputs = pass_inputs_[layer];
  if (inputs == nullptr) inputs = std::make_shared<const PassInputs>(session_->pass_inputs(layer, job));
  Features features =
      compute_pass(session_->backend(), session_->network().layers[static_cast<std::size_t>(layer)],
                   levels_of(layer), pass, setting, map, *inputs, job);
  session_->backend().wait();
  return features;
}

std::shared_ptr<const Features> SceneTuner::reference_of(int layer, LayerPass pass, Job& job) {
  if (pass == LayerPass::forward) return session_->result(layer)->features;
  std::shared_ptr<const Features>& reference = references_[{layer, pass}];
  if (reference == nullptr) {
    const Layer& here = session_->network().layers[static_cast<std::size_t>(layer)];
    const LayerSetting plain = plain_setting(here, levels_of(layer), pass);
    const auto map = session_->build_layer_map(layer, plan_with(plain), job, pass);
    Features features = execute_pass(layer, pass, plain, *map, job);
    Backend& backend = session_->backend();
    reference = std::make_shared<const Features>(
        backend.results_are_host_memory() ? std::move(features) : backend.download(features));
  }
  return reference;
}

void SceneTuner::add_indexing(TuningProfile& profile, int index, Trials& trials, Job& job) {
  const Levels& levels = session_->levels();
  for (const PackSpec& pack : request_.packings) {
    IndexingRecord record{index, pack, {}, {}};
    const std::size_t at = find_or_add(profile.indexing, std::move(record), [&](const IndexingRecord& one) {
      return one.scene == index && one.pack == pack;
    });
    if (!sessions_.contains(pack.text()) && profile.indexing[at].why_not.empty()) {
      try {
        sessions_[pack.text()] = session_with(pack, job);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::does_not_fit) throw;
        profile.indexing[at].why_not = error.what();
      }
    }
    if (!profile.indexing[at].why_not.empty() || !wants_samples(profile.indexing[at].ms, false, request_))
      continue;
    const auto work = [this, pack, &levels, &job] {
      const LevelRequest wanted{pack,        Precision::fp32, levels.needs,
                                levels.sets, nullptr,         levels.native_stride};
      static_cast<void>(build_levels(*request_.backend, scene_.cloud, scene_.grid, wanted, job));
    };
    Trial trial{Trial::Kind::indexing, at, {}};
    trial.alternative = {"indexing, " + pack.text(), timed(work, request_.protocol.warmup)};
    trial.alternative.turn = -1;
    // Each packing has its own contest. Without rivals, no packing is dropped, and the times of all packings
    // are needed.
    trial.alternative.contest = -static_cast<int>(at) - 1;
    trials.push_back(std::move(trial));
  }
}

std::vector<std::pair<int, LayerPass>> SceneTuner::readers_of(const MapKey& map,
                                                              const LayerSetting& setting) const {
  std::vector<std::pair<int, LayerPass>> readers;
  std::set<std::pair<LayerShape, LayerPass>> known;
  for (std::size_t at = 0; at < session_->network().layers.size(); ++at) {
    const Layer& layer = session_->network().layers[at];
    const int index = static_cast<int>(at);
    const LayerLevels& levels = levels_of(index);
    if (levels.map != map || !layer.convolution() || session_->result(index) == nullptr) continue;
    for (const LayerPass pass : {LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad}) {
      const bool wanted = pass == LayerPass::forward || request_.training;
      if (wanted && why_not_pass(layer, levels, pass, setting).empty() &&
          known.insert({shape_of(layer, levels), pass}).second)
        readers.emplace_back(index, pass);
    }
  }
  return readers;
}

/// Builds a map and returns the time to create all row orders that its layers need with this setting. A pass
/// of a layer creates a row order when it reads a new map for the first time (stage "order"), and later
/// passes share it. So this is a cost of the map, and samples of features do not contain it.
double SceneTuner::order_ms(const MapKey& map, const LayerSetting& setting, Job& job) {
  if (!has_row_orders_) return 0;
  const auto [known, fresh] = ordering_layers_.try_emplace({map, setting});
  if (fresh) known->second = readers_of(map, setting);
  if (known->second.empty()) return 0;
  const auto [first, of_first] = known->second.front();
  const auto built = session_->build_layer_map(first, plan_with(setting), job, of_first);
  double sum = 0;
  std::vector<std::pair<int, LayerPass>> ordering;
  for (const auto& [layer, pass] : known->second) {
    Recorder recorder(session_->backend().stages());
    Job timed(job.stop_token(), &recorder);
    static_cast<void>(execute_pass(layer, pass, setting, *built, timed));
    const std::optional<double> ms = order_in(recorder.take());
    sum += ms.value_or(0);
    if (ms) ordering.emplace_back(layer, pass);
  }
  if (fresh) known->second = std::move(ordering);
  return sum;
}

void SceneTuner::add_maps(TuningProfile& profile, int index, int turn, int layer, Trials& trials, Job& job) {
  const MapKey key = session_->levels().layers[static_cast<std::size_t>(layer)].map;
  const int highest = KernelOffsets(key.kernel, 1).max_threshold();
  std::set<LayerSetting> maps;
  for (std::size_t at = 0; at < session_->levels().layers.size(); ++at) {
    if (session_->levels().layers[at].map != key || !session_->network().layers[at].convolution()) continue;
    for (const LayerPass pass : {LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad}) {
      if (pass != LayerPass::forward && !request_.training) continue;
      for (const LayerSetting& one : settings_of(static_cast<int>(at), pass))
        maps.insert(one.of_map());
    }
  }
  int contest = static_cast<int>(trials.size());
  for (const auto& [name, session] : sessions_) {
    const PackSpec pack = session->scene()->pack.with_batch(1);
    for (const LayerSetting& map : maps) {
      ++contest;
      for (const MapAlgorithm algorithm : requested_algorithms(request_, key.kernel)) {
        const std::size_t at = find_or_add(
            profile.maps, MapRecord{index, key, pack, map, algorithm, {}, false}, [&](const MapRecord& one) {
              return one.scene == index && one.map == key && one.pack == pack && one.setting == map &&
                     one.algorithm == algorithm;
            });
        if (!wants_samples(profile.maps[at].ms, profile.maps[at].dropped, request_)) continue;
        const auto build = [session = session, layer, setting = plan_with(map, algorithm), &job] {
          // The layer can be transposed. wgrad can read every map of a layer.
          static_cast<void>(session->build_layer_map(layer, setting, job, LayerPass::wgrad));
          session->backend().wait();
        };
        const auto map_ms = timed(build, request_.protocol.warmup);
        Trial trial{Trial::Kind::map, at, {}};
        trial.alternative = {
            session_->network().layers[static_cast<std::size_t>(layer)].name + ", map, " +
                setting_text(map, highest) + ", " + std::string(text_of(algorithm)),
            [this, map_ms, key, map, &job]() mutable { return map_ms() + order_ms(key, map, job); }};
        trial.alternative.turn = turn;
        trial.alternative.contest = contest;
        trials.push_back(std::move(trial));
      }
    }
  }
}

void SceneTuner::add_features(TuningProfile& profile, int index, int turn, int layer, LayerPass pass,
                              Trials& trials, Job& job) {
  const auto& all = session_->network().layers;
  const auto& levels = session_->levels().layers;
  const auto shape_at = [&](std::size_t at) { return shape_of(all[at], levels[at]); };
  const LayerShape shape = shape_at(static_cast<std::size_t>(layer));
  int layers = 0;
  for (std::size_t at = 0; at < all.size(); ++at)
    layers += shape_at(at) == shape ? 1 : 0;
  const MapKey key = levels[static_cast<std::size_t>(layer)].map;
  const int highest = KernelOffsets(key.kernel, 1).max_threshold();
  const int contest = -1'000'000 - static_cast<int>(trials.size());
  for (const LayerSetting& setting : settings_of(layer, pass)) {
    const std::size_t at = find_or_add(
        profile.features, FeatureRecord{index, shape, setting, {}, false, {}, pass},
        [&](const FeatureRecord& one) {
          return one.scene == index && one.shape == shape && one.setting == setting && one.pass == pass;
        });
    if (!wants_samples(profile.features[at].ms, profile.features[at].dropped, request_)) continue;
    const auto map = std::make_shared<std::shared_ptr<const KernelMap>>();
    const auto work = [this, map, layer, pass, setting, at, &profile, &job] {
      const bool first = *map == nullptr;
      if (first) *map = session_->build_layer_map(layer, plan_with(setting), job, pass);
      const Features features = execute_pass(layer, pass, setting, **map, job);
      if (!first) return;
      Backend& backend = session_->backend();
      const Features& reference = *reference_of(layer, pass, job);
      profile.features[at].output = backend.results_are_host_memory()
                                        ? output_difference(features, reference)
                                        : output_difference(backend.download(features), reference);
    };
    Trial trial{Trial::Kind::features, at, {}};
    // The first call also checks the output, so at least one warm-up run is needed.
    std::function<double()> sample = timed(work, std::max(1, request_.protocol.warmup));
    // Gather-GEMM-scatter tries groups of columns for each new map. This is a cost of the layer and not of
    // the map, because other readers of the map do not need it. Therefore each sample reads a new map.
    if (has_row_orders_ && setting.method != FeatureMethod::by_layout)
      sample = [this, layer, pass, setting, &job, check = std::move(sample), checked = false]() mutable {
        if (!std::exchange(checked, true)) static_cast<void>(check());
        const auto fresh = session_->build_layer_map(layer, plan_with(setting), job, pass);
        session_->backend().wait();
        return time_once_ms([&] { static_cast<void>(execute_pass(layer, pass, setting, *fresh, job)); });
      };
    trial.alternative = {all[static_cast<std::size_t>(layer)].name + ", " +
                             (pass == LayerPass::forward ? "" : std::string(text_of(pass)) + ", ") +
                             setting_text(setting, highest),
                         std::move(sample)};
    trial.alternative.turn = turn;
    trial.alternative.contest = contest;
    trial.alternative.times = layers;
    for (std::size_t other = 0; other < trials.size(); ++other) {
      const MapRecord* needed =
          trials[other].kind == Trial::Kind::map ? &profile.maps[trials[other].record] : nullptr;
      if (needed != nullptr && needed->map == key && needed->setting == setting.of_map() &&
          needed->pack == scene_.pack)
        trial.alternative.needs = static_cast<int>(other);
    }
    trials.push_back(std::move(trial));
  }
}

void SceneTuner::add_step(TuningProfile& profile, int index, const TuneStep& step, int turn, Trials& trials,
                          Job& job) {
  const Network& network = session_->network();
  const int layer = network.index_of(step.layers.front());
  // Several steps share the maps. Therefore the maps have a separate turn, before the features.
  if (step.with_maps) add_maps(profile, index, turn, layer, trials, job);
  const Layer& measured = network.layers[static_cast<std::size_t>(layer)];
  for (const LayerPass pass : requested_passes(request_, measured, levels_of(layer)))
    add_features(profile, index, turn + 1, layer, pass, trials, job);
}

void SceneTuner::store(TuningProfile& profile, const Trials& trials, const RoundSamples& ms) {
  for (std::size_t at = 0; at < trials.size(); ++at) {
    const std::size_t record = trials[at].record;
    std::vector<double>& kept = trials[at].kind == Trial::Kind::indexing ? profile.indexing[record].ms
                                : trials[at].kind == Trial::Kind::map    ? profile.maps[record].ms
                                                                         : profile.features[record].ms;
    kept.insert(kept.end(), ms[at].begin(), ms[at].end());
  }
}

RoundsEnd SceneTuner::sample(TuningProfile& profile, int index, const std::vector<TuneStep>& steps,
                             RoundLimits limits,
                             const std::function<void(std::size_t, TuningProfile)>& on_step, Job& job) {
  Job quiet(job.stop_token());
  Trials trials;
  add_indexing(profile, index, trials, quiet);
  for (std::size_t at = 0; at < steps.size(); ++at)
    add_step(profile, index, steps[at], static_cast<int>(2 * at), trials, quiet);
  std::vector<Alternative> all;
  for (const Trial& trial : trials)
    all.push_back(trial.alternative);
  limits.turn_done = [&](int turn, const RoundSamples& so_far) {
    // Only a turn of features completes a step. Turns of indexing (negative) and of maps (even) do not.
    if (turn < 0 || turn % 2 == 0) return;
    TuningProfile snapshot = profile;
    store(snapshot, trials, so_far);
    on_step((static_cast<std::size_t>(turn) / 2) + 1, std::move(snapshot));
  };
  const RoundsResult result = sample_rounds(all, limits);
  store(profile, trials, result.ms);
  for (std::size_t at = 0; at < trials.size(); ++at) {
    if (trials[at].kind == Trial::Kind::map) profile.maps[trials[at].record].dropped = result.dropped[at];
    if (trials[at].kind == Trial::Kind::features)
      profile.features[trials[at].record].dropped = result.dropped[at];
  }
  return result.end;
}

bool SceneTuner::is_plain(const Plan& plan) const {
  const Levels& levels = session_->levels();
  for (std::size_t at = 0; at < plan.backward.size(); ++at) {
    if (plan.backward[at] != backward_of(plain_, session_->network(), levels, at)) return false;
  }
  return plan.layers == plain_.layers;
}

/// Returns the runs of whole networks to compare: `plan`, t = max and t = 0. The last one is t = max as one
/// graph, if `plan` cannot run as one graph and t = max can.
std::vector<Alternative> SceneTuner::whole_networks(Session& tuned, const Plan& plan, bool compiled,
                                                    Job& job) {
  Plan sparse = plain_;
  set_threshold(sparse, session_->network(), 0);
  const bool training = request_.training;
  const int scale = request_.precision == Precision::fp16 ? usual_loss_scale : 1;
  for (Session* session : {&tuned, session_.get()}) {
    if (training) session->prepare_training({scale});
  }
  const auto run = [&](Session& session, const Plan& with) {
    const auto once = [&session, with, training, &job] {
      if (training) {
        static_cast<void>(session.execute_training_step(with, job));
      } else {
        session.execute_network(with, job);
      }
    };
    return timed(once, request_.protocol.warmup);
  };
  const std::string what = training ? "training step" : "network";
  std::vector<Alternative> networks{{"tuned " + what, run(tuned, plan)},
                                    {what + ", t = max", run(*session_, plain_)},
                                    {what + ", t = 0", run(*session_, sparse)}};
  const CompiledNetwork* graph = compiled ? nullptr : &session_->compiled(plain_, job);
  if (graph != nullptr && graph->run != nullptr)
    networks.push_back(
        {"network as one CUDA graph", timed([graph] { graph->run->run(); }, request_.protocol.warmup)});
  return networks;
}

PlanCheck SceneTuner::check(const Plan& plan, PackSpec pack, const RoundLimits& limits, Job& job) {
  PlanCheck found;
  if (is_plain(plan) && pack == scene_.pack) return found;
  Job quiet(job.stop_token());
  const int last = static_cast<int>(session_->network().layers.size()) - 1;
  const auto reference = session_->result(last)->features;
  if (!sessions_.contains(pack.text())) sessions_[pack.text()] = session_with(pack, quiet);
  Session& tuned = *sessions_[pack.text()];
  tuned.run_all(plan, quiet, {});
  found.output = output_difference(*tuned.result(last)->features, *reference);
  // A training step does not run as one graph.
  if (request_.backend->facts().kind == BackendKind::cuda && !request_.training)
    found.not_compiled = tuned.compiled(plan, quiet).why_not;
  RoundLimits all_of_them = limits;
  all_of_them.may_drop = false;  // The report contains the times of all plans, so no plan may be dropped.
  const RoundsResult rounds =
      sample_rounds(whole_networks(tuned, plan, found.not_compiled.empty(), quiet), all_of_them);
  found.tuned.ms = rounds.ms[0];
  found.all_output_stationary.ms = rounds.ms[1];
  found.all_weight_stationary.ms = rounds.ms[2];
  if (rounds.ms.size() > 3) found.one_graph.ms = rounds.ms[3];
  return found;
}

}  // namespace spira

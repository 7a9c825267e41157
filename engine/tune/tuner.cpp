#include "engine/tune/tuner.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/job/pace.hpp"
#include "engine/measure/sample_reports.hpp"
#include "engine/run/backward.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/scene_tuner.hpp"
#include "engine/tune/tune_estimate.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace spira {
namespace {

using Time = std::chrono::steady_clock;

void require_same(const TuneRequest& request, const TuningProfile& known) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorKind::usage, "the profile cannot be extended: " + why);
  };
  if (known.scenes.empty()) return;
  if (known.network_fingerprint != fingerprint_of(*request.network))
    refuse("it was tuned for network " + known.network + ", but this is network " + request.network->name);
  if (known.precision != request.precision)
    refuse("the precision differs (" + std::string(text_of(known.precision)) + " in the profile, " +
           std::string(text_of(request.precision)) + " here)");
  if (known.training && !request.training)
    refuse("it was tuned for training steps; tune for training again, or start a new profile");
  const std::string why = why_not_device(known, request.backend->facts(), request.tool_version);
  if (!why.empty()) refuse(why);
}

TuningProfile with_head(const TuneRequest& request, TuningProfile known) {
  known.created = utc_text_now();
  known.tool_version = request.tool_version;
  known.device = request.backend->facts();
  known.network = request.network->name;
  known.network_fingerprint = fingerprint_of(*request.network);
  known.levels = numbered_levels(levels_of(*request.network));
  known.precision = request.precision;
  known.training = request.training;
  known.protocol = request.protocol;
  known.budget_ms = request.budget_ms;
  known.stopped.clear();
  return known;
}

int scene_index(TuningProfile& profile, const TunedScene& scene) {
  const auto found = std::find_if(profile.scenes.begin(), profile.scenes.end(), [&](const TunedScene& one) {
    return one.fingerprint == scene.fingerprint && one.positions == scene.positions &&
           one.batch == scene.batch && one.voxel_m == scene.voxel_m && one.pack == scene.pack;
  });
  const auto at = static_cast<int>(found - profile.scenes.begin());
  if (found == profile.scenes.end()) {
    profile.scenes.push_back(scene);
  } else {
    found->weight = scene.weight;
    found->densities = scene.densities;
  }
  return at;
}

/// Removes records without samples. They were not measured because the time budget ended.
void drop_empty(TuningProfile& profile) {
  std::erase_if(profile.features, [](const FeatureRecord& one) { return one.ms.empty(); });
  std::erase_if(profile.maps, [](const MapRecord& one) { return one.ms.empty(); });
  std::erase_if(profile.indexing,
                [](const IndexingRecord& one) { return one.ms.empty() && one.why_not.empty(); });
}

class Tuning {
 public:
  Tuning(const TuneRequest& request, TuningProfile known, Job& job)
      : request_(request),
        job_(job),
        profile_(with_head(request, std::move(known))),
        known_plan_(plan_of(profile_, *request.network)),
        known_pack_(profile_.packing.pack),
        begin_(Time::now()) {}

  TuningProfile run() {
    try {
      for (std::size_t at = 0; at < request_.scenes.size() && profile_.stopped != "interrupted"; ++at)
        sample_scene(at);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || profile_.features.empty()) throw;
      profile_.stopped = "interrupted";
    }
    drop_empty(profile_);
    decide(profile_, *request_.network);
    try {
      check_scenes();
      prefer_one_graph(profile_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      profile_.stopped = "interrupted";
    }
    return std::move(profile_);
  }

 private:
  [[nodiscard]] double spent_ms() const {
    return std::chrono::duration<double, std::milli>(Time::now() - begin_).count();
  }

  [[nodiscard]] RoundLimits limits_until(double until_ms, const std::string& scene) {
    RoundLimits limits;
    limits.min_samples = request_.protocol.min_samples;
    limits.max_samples = request_.protocol.max_samples;
    limits.target_iqr_rel = request_.protocol.target_iqr_rel;
    limits.stop = job_.stop_token();
    limits.time_is_up = [this, until_ms] { return spent_ms() >= until_ms; };
    limits.progress = [this, scene](const std::string& name, int round) {
      // The first report after each finished step is not delayed.
      const bool same_step = std::exchange(layers_reported_, layers_sampled_) == layers_sampled_;
      if (!reports_.due(job_) && same_step) return;
      const std::string what = scene + ", " + layers_text() + "round " + std::to_string(round + 1) + ", " +
                               name + std::string(seconds_suffix);
      job_.checkpoint({what, static_cast<std::int64_t>(spent_ms() / 1000),
                       static_cast<std::int64_t>(request_.budget_ms / 1000)});
    };
    return limits;
  }

  /// Returns the number of finished layers, such as "12 of 49 layers, ", or an empty string before the first
  /// step is finished.
  [[nodiscard]] std::string layers_text() const {
    if (layers_sampled_ == 0) return {};
    return std::to_string(layers_sampled_) + " of " + std::to_string(request_.network->layers.size()) +
           " layers, ";
  }

  /// Measures one scene. The scene gets an equal share of the time that remains for it and the following
  /// scenes.
  void sample_scene(std::size_t at) {
    if (at > 0 && spent_ms() >= settings_end_ms(request_.budget_ms, reserve_ms_)) {
      profile_.stopped = "budget";
      return;
    }
    tuner_ = std::make_unique<SceneTuner>(request_, request_.scenes[at], job_);
    const int index = scene_index(profile_, tuner_->facts());
    measured_.push_back({at, index});
    PassTimes pass = tuner_->pass();
    if (at == 0) {
      pass.ready_ms = spent_ms();
      TuneEstimate estimate = estimate_tuning(request_, pass, profile_, index);
      tuner_->add_memory(estimate);
      reserve_ms_ = estimate.reserve_ms;
      if (request_.on_estimate) request_.on_estimate(estimate);
    }
    const auto share_until_ms = [&](double end_ms) {
      return spent_ms() +
             (std::max(0.0, end_ms - spent_ms()) / static_cast<double>(request_.scenes.size() - at));
    };
    RoundLimits limits = limits_until(share_until_ms(settings_end_ms(request_.budget_ms, reserve_ms_)),
                                      request_.scenes[at].cloud->name);
    limits.enough = [this, until_ms = share_until_ms(request_.budget_ms * tune_share_for_settings)] {
      return spent_ms() >= until_ms;
    };
    const std::vector<TuneStep> steps = tune_steps(request_, pass, profile_, index);
    const auto end = tuner_->sample(
        profile_, index, steps, std::move(limits),
        [&](std::size_t done, TuningProfile so_far) {
          layers_sampled_ = 0;
          for (std::size_t step = 0; step < done; ++step)
            layers_sampled_ += steps[step].layers.size();
          if (request_.on_step) report_step(std::move(so_far));
        },
        job_);
    layers_sampled_ = 0;
    switch (end) {
      case RoundsEnd::steady:
        break;
      case RoundsEnd::budget:
        profile_.stopped = "budget";
        break;
      case RoundsEnd::interrupted:
        profile_.stopped = "interrupted";
    }
  }

  void report_step(TuningProfile so_far) const {
    drop_empty(so_far);
    decide(so_far, *request_.network);
    TuneSoFar result{std::move(so_far), 0, static_cast<int>(request_.network->layers.size())};
    for (const TunedShape& tuned : result.profile.choices) {
      if (tuned.choice.why != ChoiceReason::few_samples)
        result.layers_decided += static_cast<int>(tuned.layers.size());
    }
    request_.on_step(std::move(result));
  }

  /// Checks the plan on all scenes. Begins with the last scene, because it is still loaded.
  void check_scenes() {
    const Plan plan = plan_of(profile_, *request_.network);
    const bool other_plan = plan.layers != known_plan_.layers || plan.backward != known_plan_.backward ||
                            profile_.packing.pack != known_pack_;
    std::erase_if(profile_.checks, [&](const PlanCheck& one) {
      return other_plan || std::any_of(measured_.begin(), measured_.end(),
                                       [&](const Measured& m) { return m.index == one.scene; });
    });
    if (profile_.choices.empty() || profile_.stopped == "interrupted") return;
    for (auto one = measured_.rbegin(); one != measured_.rend(); ++one) {
      const TuneScene& scene = request_.scenes[one->request];
      if (tuner_ == nullptr) tuner_ = std::make_unique<SceneTuner>(request_, scene, job_);
      const auto left = static_cast<double>(measured_.rend() - one);
      const double until_ms = spent_ms() + std::max(0.0, (request_.budget_ms - spent_ms()) / left);
      PlanCheck check = tuner_->check(plan, profile_.packing.pack.value_or(scene.pack),
                                      limits_until(until_ms, scene.cloud->name), job_);
      check.scene = one->index;
      profile_.checks.push_back(std::move(check));
      tuner_.reset();
    }
    std::sort(profile_.checks.begin(), profile_.checks.end(),
              [](const PlanCheck& a, const PlanCheck& b) { return a.scene < b.scene; });
  }

  struct Measured {
    std::size_t request;  ///< Index into request_.scenes.
    int index;            ///< Index into profile_.scenes.
  };
  const TuneRequest& request_;
  Job& job_;
  TuningProfile profile_;
  /// The plan of the existing profile that is being extended. The checks of this profile are valid only for
  /// this plan.
  Plan known_plan_;
  std::optional<PackSpec> known_pack_;
  Time::time_point begin_;
  /// Number of layers whose first samples are complete in the current scene.
  std::size_t layers_sampled_ = 0;
  std::size_t layers_reported_ = 0;
  SampleReports reports_;
  double reserve_ms_ = 0;  ///< Time to check the output of the plan, estimated from the first scene.
  std::vector<Measured> measured_;
  /// The tuner of the most recent scene. Earlier tuners are freed to save memory.
  std::unique_ptr<SceneTuner> tuner_;
};

}  // namespace

std::vector<LayerSetting> requested_settings(const TuneRequest& request, const Layer& layer,
                                             const LayerLevels& levels, LayerPass pass) {
  const auto contains = [](const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const int highest = KernelOffsets(layer.kernel(), 1).max_threshold();
  const LayerSetting plain = plain_setting(layer, levels, pass);
  std::vector<LayerSetting> all;
  for (const int t : feasible_thresholds(layer, levels, pass)) {
    const bool wanted = request.thresholds.empty() || contains(request.thresholds, t);
    if (wanted || plain == t) all.emplace_back(t);
  }
  if (layer.transposed && pass == LayerPass::forward) return all;
  for (const std::string& name : request.dataflows) {
    const auto setting = setting_of(name, highest);
    if (!setting || setting->is_threshold() || contains(all, *setting)) continue;
    if (why_not_pass(layer, levels, pass, *setting).empty()) all.push_back(*setting);
  }
  return all;
}

std::vector<LayerPass> requested_passes(const TuneRequest& request, const Layer& layer,
                                        const LayerLevels& levels) {
  std::vector<LayerPass> passes;
  if (!layer.transposed) passes.push_back(LayerPass::forward);
  for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
    const bool several = request.training && (feasible_thresholds(layer, levels, pass).size() > 1 ||
                                              requested_settings(request, layer, levels, pass).size() > 1);
    if (several) passes.push_back(pass);
  }
  return passes;
}

std::vector<MapAlgorithm> requested_algorithms(const TuneRequest& request, const KernelShape& kernel) {
  std::vector<MapAlgorithm> possible = request.algorithms;
  std::erase_if(possible,
                [&](MapAlgorithm algorithm) { return !why_not_algorithm(algorithm, kernel).empty(); });
  return possible;
}

namespace {

void require_algorithms(const TuneRequest& request) {
  for (const Layer& layer : request.network->layers) {
    if (layer.has_map() && requested_algorithms(request, layer.kernel()).empty())
      throw Error(ErrorKind::usage, "layer " + layer.name + ": " +
                                        why_not_algorithm(request.algorithms.front(), layer.kernel()));
  }
}

}  // namespace

TuningProfile tune(const TuneRequest& request, TuningProfile known, Job& job) {
  SPIRA_ASSERT(!request.scenes.empty() && !request.algorithms.empty(),
               "tuning requires at least one scene and one mapping algorithm");
  if (groups_of(*request.network).empty())
    throw Error(ErrorKind::usage, "network " + request.network->name +
                                      " has no convolution, so no layer has a threshold t to tune");
  if (request.training) require_training(*request.backend, *request.network);
  require_same(request, known);
  require_algorithms(request);
  return Tuning(request, std::move(known), job).run();
}

Plan plan_of(const TuningProfile& profile, const Network& network) {
  Plan plan = default_plan(network);
  plan.precision = profile.precision;
  plan.source = "tuning profile";
  const Levels levels = levels_of(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const LayerShape shape = shape_of(network.layers[at], levels.layers[at]);
    const TunedShape* tuned = choice_for(profile, network.layers[at].name, shape, levels.sets);
    if (tuned == nullptr || tuned->choice.why == ChoiceReason::few_samples) continue;
    plan.layers[at].set(tuned->choice.setting);
    plan.layers[at].algorithm = tuned->choice.algorithm;
  }
  for (std::size_t at = 0; profile.training && at < network.layers.size(); ++at) {
    const LayerShape shape = shape_of(network.layers[at], levels.layers[at]);
    plan.backward.push_back(tuned_backward(choice_for(profile, network.layers[at].name, shape, levels.sets),
                                           network.layers[at], levels.layers[at], plan.layers[at]));
  }
  return plan;
}

}  // namespace spira

// Measures one scene for the tuner, and checks the resulting plan.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/session.hpp"
#include "engine/tune/interleaved_rounds.hpp"
#include "engine/tune/tune_estimate.hpp"

#include <map>
#include <memory>
#include <vector>

namespace spira {

class SceneTuner {
 public:
  /// Loads the scene and runs the network once with t = max. This run provides the inputs of all layers and
  /// the reference outputs.
  SceneTuner(const TuneRequest& request, const TuneScene& scene, Job& job);

  [[nodiscard]] TunedScene facts() const;
  /// Returns the times of the run in the constructor.
  [[nodiscard]] const PassTimes& pass() const { return pass_; }
  /// Samples the records of scene `index`, in the order of `steps`, until each record has enough samples.
  /// After each step, calls `on_step` with the number of finished steps and all samples so far. `job` can
  /// stop the sampling, but receives no progress.
  RoundsEnd sample(TuningProfile& profile, int index, const std::vector<TuneStep>& steps, RoundLimits limits,
                   const std::function<void(std::size_t, TuningProfile)>& on_step, Job& job);
  /// Compares the output of `plan` with the output for t = max. Then measures `plan`, t = max and t = 0 in
  /// interleaved runs. Only `plan` uses the packing `pack`.
  [[nodiscard]] PlanCheck check(const Plan& plan, PackSpec pack, const RoundLimits& limits, Job& job);

 private:
  struct Trial;
  using Trials = std::vector<Trial>;

  [[nodiscard]] std::shared_ptr<Session> session_with(PackSpec pack, Job& job) const;
  [[nodiscard]] std::vector<LayerSetting> settings_of(int layer) const;
  void add_indexing(TuningProfile& profile, int index, Trials& trials, Job& job);
  void add_step(TuningProfile& profile, int index, const TuneStep& step, int turn, Trials& trials, Job& job);
  static void store(TuningProfile& profile, const Trials& trials, const RoundSamples& ms);
  void add_maps(TuningProfile& profile, int index, int turn, int layer, Trials& trials, Job& job);
  double order_ms(const MapKey& map, const LayerSetting& setting, Job& job);
  void add_features(TuningProfile& profile, int index, int turn, int layer, Trials& trials, Job& job);

  const TuneRequest& request_;
  TuneScene scene_;  ///< Its packing has no batch index.
  Plan plain_;       ///< The plan with t = max for all layers.
  PassTimes pass_;   ///< Times of the first run.
  /// True if the first run recorded the stage "order". Otherwise, the back end has no row orders.
  bool has_row_orders_ = false;
  /// For each map and its setting, one layer for each row order that must be created.
  std::map<std::pair<MapKey, LayerSetting>, std::vector<int>> ordering_layers_;
  /// One session per packing. Contains only packings that fit the scene.
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  std::shared_ptr<Session> session_;  ///< The session with the packing of the scene.
};

}  // namespace spira

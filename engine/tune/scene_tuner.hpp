// Measures one scene for the tuner, and checks the resulting plan.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"
#include "engine/tune/interleaved_rounds.hpp"
#include "engine/tune/tune_estimate.hpp"

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace spira {

class SceneTuner {
 public:
  /// Loads the scene and runs the network once with t = max. This run provides the inputs of all layers and
  /// the reference outputs. Throws the errors of require_memory() before it runs the network.
  SceneTuner(const TuneRequest& request, const TuneScene& scene, Job& job);

  [[nodiscard]] TunedScene facts() const;
  /// Adds the memory forecast to an estimate.
  void add_memory(TuneEstimate& estimate) const;
  /// Returns the times of the run in the constructor.
  [[nodiscard]] const PassTimes& pass() const { return pass_; }
  /// Samples the records of scene `index`, in the order of `steps`, until each record has enough samples.
  /// After each step, calls `on_step` with the number of finished steps and all samples so far. `job` can
  /// stop the sampling, but receives no progress.
  RoundsEnd sample(TuningProfile& profile, int index, const std::vector<TuneStep>& steps, RoundLimits limits,
                   const std::function<void(std::size_t, TuningProfile)>& on_step, Job& job);
  /// Compares the output of `plan` with the output for t = max. Then measures `plan`, t = max and t = 0 in
  /// interleaved runs of the network, or of training steps if the request is for training. Only `plan` uses
  /// the packing `pack`.
  [[nodiscard]] PlanCheck check(const Plan& plan, PackSpec pack, const RoundLimits& limits, Job& job);

 private:
  struct Trial;
  using Trials = std::vector<Trial>;

  [[nodiscard]] std::shared_ptr<Session> session_with(PackSpec pack, Job& job) const;
  [[nodiscard]] const LayerLevels& levels_of(int layer) const;
  [[nodiscard]] std::vector<LayerSetting> settings_of(int layer, LayerPass pass) const;
  [[nodiscard]] bool is_plain(const Plan& plan) const;
  /// Returns the memory forecast for runs or for training steps, whichever the request is for.
  [[nodiscard]] MemoryForecast memory_of(const Plan& plan) const;
  /// Returns plain_ with another setting of one pass of a layer.
  [[nodiscard]] Plan plain_except(int layer, LayerPass pass, const LayerSetting& setting) const;
  /// Finds the settings for which the device has too little memory.
  void find_too_large();
  void add_indexing(TuningProfile& profile, int index, Trials& trials, Job& job);
  void add_step(TuningProfile& profile, int index, const TuneStep& step, int turn, Trials& trials, Job& job);
  static void store(TuningProfile& profile, const Trials& trials, const RoundSamples& ms);
  void add_maps(TuningProfile& profile, int index, int turn, int layer, Trials& trials, Job& job);
  double order_ms(const MapKey& map, const LayerSetting& setting, Job& job);
  /// Returns the passes of the layers that can create a row order of this map: one layer for each shape.
  [[nodiscard]] std::vector<std::pair<int, LayerPass>> readers_of(const MapKey& map,
                                                                  const LayerSetting& setting) const;
  void add_features(TuningProfile& profile, int index, int turn, int layer, LayerPass pass, Trials& trials,
                    Job& job);
  /// Computes a pass of a layer from a map. Returns when the features are complete.
  Features execute_pass(int layer, LayerPass pass, const LayerSetting& setting, const KernelMap& map,
                        Job& job);
  /// Returns the output of a pass with plain_setting(), in the memory of the host.
  [[nodiscard]] std::shared_ptr<const Features> reference_of(int layer, LayerPass pass, Job& job);
  [[nodiscard]] std::vector<Alternative> whole_networks(Session& tuned, const Plan& plan, bool compiled,
                                                        Job& job);

  const TuneRequest& request_;
  TuneScene scene_;  ///< Its packing has no batch index.
  Plan plain_;       ///< The plan with t = max for all layers.
  PassTimes pass_;   ///< Times of the first run.
  struct {
    MemoryForecast plain;  ///< The forecast for plain_.
    /// The settings of a pass of a layer for which the device has too little memory.
    std::set<std::tuple<int, LayerPass, LayerSetting>> too_large;
  } memory_;
  /// True if the first run recorded the stage "order". Otherwise, the back end has no row orders.
  bool has_row_orders_ = false;
  /// For each map and its setting, one pass of a layer for each row order that must be created.
  std::map<std::pair<MapKey, LayerSetting>, std::vector<std::pair<int, LayerPass>>> ordering_layers_;
  std::map<int, std::shared_ptr<const PassInputs>>
      pass_inputs_;  ///< The inputs of backward passes, by layer.
  std::map<std::pair<int, LayerPass>, std::shared_ptr<const Features>> references_;
  /// One session per packing. Contains only packings that fit the scene.
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  std::shared_ptr<Session> session_;  ///< The session with the packing of the scene.
};

}  // namespace spira

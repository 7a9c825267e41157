// One scene of the tuner: what there is to measure on it, and the check of the plan that came of it.
#pragma once

#include "engine/tune/rounds.hpp"
#include "engine/tune/tuner.hpp"

#include <map>
#include <memory>
#include <vector>

namespace spira {

class SceneTuner {
 public:
  /// Loads the scene and runs the network once with t = max: inputs of all layers, and what outputs are
  /// checked against.
  SceneTuner(const TuneRequest& request, const TuneScene& scene, Job& job);

  [[nodiscard]] TunedScene facts() const;
  /// Adds to records of scene `index` until they have their samples. `job` is asked to stop, and told
  /// nothing.
  RoundsEnd sample(TuningProfile& profile, int index, const RoundLimits& limits, Job& job);
  /// The output of `plan` with `pack` against t = max, then both and t = 0 in turns.
  [[nodiscard]] PlanCheck check(const Plan& plan, PackSpec pack, const RoundLimits& limits, Job& job);

 private:
  struct Trial;
  using Trials = std::vector<Trial>;

  [[nodiscard]] std::shared_ptr<Session> session_with(PackSpec pack, Job& job) const;
  [[nodiscard]] std::vector<int> thresholds_of(int layer) const;
  void add_indexing(TuningProfile& profile, int index, Trials& trials, Job& job);
  void add_group(TuningProfile& profile, int index, int group, Trials& trials, Job& job);
  void add_maps(TuningProfile& profile, int index, int group, int layer, Trials& trials, Job& job);
  void add_features(TuningProfile& profile, int index, int group, int layer, Trials& trials, Job& job);

  const TuneRequest& request_;
  const TuneScene& scene_;
  Plan plain_;                                                ///< t = max
  std::map<std::string, std::shared_ptr<Session>> sessions_;  ///< by packing; those that fit
  std::shared_ptr<Session> session_;                          ///< of the scene's own packing
};

}  // namespace spira

// Orders the steps of tuning. Estimates in advance how long the steps take and which layers a time budget
// covers.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/tune/tuner.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct Sweep;

/// Share of the time budget for the settings. The remaining time is used to check the plan and to measure its
/// gain. The first samples of each setting may take longer (see settings_end_ms()), because no setting can be
/// selected for a layer without samples.
inline constexpr double tune_share_for_settings = 0.7;

/// The times of one pass of a network with t = max, in milliseconds. Both lists have one entry per layer.
struct PassTimes {
  std::vector<double> features_ms;
  std::vector<double> map_ms;  ///< 0 for a layer that uses the map of an earlier layer.
  double ready_ms = 0;         ///< Time from the start of tuning to the end of this pass.
  /// For each layer, known feature times for settings other than t = max. May be empty.
  std::vector<std::map<LayerSetting, double>> features_with_ms{};
};
/// Returns the medians of the stages map[NAME] and features[NAME] of each layer. ready_ms is their sum.
/// Missing stages count as 0. Accepts the stages of a run, of a report or of a LayerResult.
[[nodiscard]] PassTimes pass_times_of(const StageTree& stages, const Network& network);
/// Returns the medians for t = max of a scene in a profile. Returns an empty value if the profile does not
/// contain them for all layers.
[[nodiscard]] std::optional<PassTimes> pass_times_of(const TuningProfile& profile, int scene,
                                                     const Network& network);
/// Adds the feature times of a sweep of t to `pass`. The sweep can be for one layer or for the whole network.
void add_known_times(PassTimes& pass, const Sweep& sweep, const Network& network);
/// Adds the feature times of a scene in a profile to `pass`.
void add_known_times(PassTimes& pass, const TuningProfile& profile, int scene, const Network& network);
/// Returns the time at which the first samples of all settings must be complete. The remaining time is
/// reserved for checking the output. It is `reserve_ms`, but at most the share that tune_share_for_settings
/// leaves.
[[nodiscard]] double settings_end_ms(double budget_ms, double reserve_ms) noexcept;
/// Adds the times of another pass, which ran different layers of the network, to `pass`.
void add_pass(PassTimes& pass, const PassTimes& more);

/// A step of tuning. It samples all settings of one shape.
struct TuneStep {
  std::size_t group = 0;  ///< Index into groups_of().
  LayerShape shape;
  /// The layers with this shape. The first step of a group also contains the layers of the group that have
  /// only one setting: transposed layers, unless the request is for training.
  std::vector<std::string> layers;
  bool with_maps = false;  ///< True for the first step of a group, which also samples the maps.
  /// Upper limit of the gain: the feature time of all layers of the shape with t = max, for each pass.
  double possible_gain_ms = 0;
  /// Estimated time to take SamplingProtocol::min_samples samples of each setting.
  double cost_ms = 0;
};
/// Returns the steps of one scene in the order of tune(). The step with the largest possible gain per second
/// of measuring comes first. Ties are ordered by the larger gain, then by network order. Settings that
/// already have enough samples in `known` for the scene `scene` add no time to a step. `scene` is -1 if
/// `known` does not contain the scene.
[[nodiscard]] std::vector<TuneStep> tune_steps(const TuneRequest& request, const PassTimes& pass,
                                               const TuningProfile& known, int scene);

struct TuneEstimate {
  struct Scene {
    double ready_ms = 0;
    std::vector<TuneStep> steps;
  };
  std::vector<Scene> scenes;  ///< In the order of TuneRequest::scenes.
  int layers = 0;             ///< Number of layers of the network.
  double reserve_ms = 0;      ///< Time to check the output of the plan on all scenes.
  /// The smallest budget with which all settings get SamplingProtocol::min_samples samples on all scenes.
  double all_ms = 0;
  /// Forecast of the peak memory of one training step with t = max on the first scene, in bytes. 0 unless the
  /// request is for training.
  std::size_t step_bytes = 0;
  /// The settings of the first scene that are not measured, because a run with them needs more memory than
  /// the device has, such as "conv1, wgrad, mask-sorted:3".
  std::vector<std::string> too_large{};
  /// Returns the layers whose settings all get SamplingProtocol::min_samples samples on all scenes, in the
  /// order of the steps of the first scene.
  [[nodiscard]] std::vector<std::string> covered(double budget_ms) const;
  /// Returns the estimate as text, such as "30 s will cover about 21 of 49 layers; all layers need about
  /// 95 s; a training step needs about 1.2 GB".
  [[nodiscard]] std::string text(double budget_ms) const;
};
/// Estimates the time of tune(request, known). `pass` contains times of the first scene. The times of other
/// scenes are assumed to be proportional to the number of points. A setting without a time in
/// PassTimes::features_with_ms is assumed to take as long as t = max. All mapping algorithms are assumed to
/// take as long as the algorithm that `pass` was measured with. `scene` is the index of the first scene in
/// `known`, or -1.
[[nodiscard]] TuneEstimate estimate_tuning(const TuneRequest& request, const PassTimes& pass,
                                           const TuningProfile& known = {}, int scene = -1);

}  // namespace spira

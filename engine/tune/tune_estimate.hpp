// Orders the work of tuning, and estimates before its start how long it takes and which layers a time budget
// covers.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/tune/tuner.hpp"

#include <string>
#include <vector>

namespace spira {

/// Share of the time budget for the settings. The remaining time is used to check the plan and to measure its
/// gain. The first samples of each setting may take longer (see settings_end_ms()), because a layer without
/// them is not decided.
inline constexpr double tune_share_for_settings = 0.7;

/// Times of one pass of a network with t = max, in milliseconds. Both lists have one entry for each layer.
struct PassTimes {
  std::vector<double> features_ms;
  std::vector<double> map_ms;  ///< 0 for a layer whose map an earlier layer has built
  double ready_ms = 0;         ///< time from the start of tuning to the end of this pass
};
/// Returns the medians of the stages map[NAME] and features[NAME] of each layer, and their sum as ready_ms.
/// Stages that are missing count as 0. Accepts the stages of a run, of a report or of a LayerResult.
[[nodiscard]] PassTimes pass_times_of(const StageTree& stages, const Network& network);
/// Returns the time by which the first samples of all settings must end. The remaining time is sufficient to
/// check the output: `reserve_ms`, but at most the share that tune_share_for_settings leaves.
[[nodiscard]] double settings_end_ms(double budget_ms, double reserve_ms) noexcept;
/// Adds the times of a pass of other layers.
void add_pass(PassTimes& pass, const PassTimes& more);

/// Samples all thresholds of one shape.
struct TuneStep {
  std::size_t group = 0;  ///< index into groups_of()
  LayerShape shape;
  /// Layers of the shape. The first step of a group also contains the transposed layers of the group.
  std::vector<std::string> layers;
  bool with_maps = false;       ///< true for the first step of a group, which also samples the maps
  double possible_gain_ms = 0;  ///< features of all layers of the shape with t = max: an upper limit
  double cost_ms = 0;           ///< estimated time for SamplingProtocol::min_samples of each setting
};
/// Returns the steps of one scene in the order in which tune() takes them: the step with the largest
/// possible gain for each second of measuring first, then the larger gain, then network order. Settings for
/// which scene `scene` of `known` has enough samples cost nothing. Without such a scene, `scene` is -1.
[[nodiscard]] std::vector<TuneStep> tune_steps(const TuneRequest& request, const PassTimes& pass,
                                               const TuningProfile& known, int scene);

struct TuneEstimate {
  struct Scene {
    double ready_ms = 0;
    std::vector<TuneStep> steps;
  };
  std::vector<Scene> scenes;  ///< in the order of TuneRequest::scenes
  int layers = 0;             ///< number of layers of the network
  double reserve_ms = 0;      ///< time to check the output of the plan on all scenes
  /// Smallest budget with which all settings of all scenes get SamplingProtocol::min_samples samples.
  double all_ms = 0;
  /// Returns the layers that get SamplingProtocol::min_samples samples of each setting on all scenes, in the
  /// order of the steps of the first scene.
  [[nodiscard]] std::vector<std::string> covered(double budget_ms) const;
  /// Returns a text such as "30 s will cover about 21 of 49 layers; all layers need about 95 s".
  [[nodiscard]] std::string text(double budget_ms) const;
};
/// Estimates the time of tune(request, known). `pass` contains times of the first scene. The times of other
/// scenes are assumed to be proportional to the number of points. All thresholds of a layer are assumed to
/// take as long as t = max, and all mapping algorithms as long as the one of `pass`. `scene` is the index of
/// the first scene in `known`, or -1.
[[nodiscard]] TuneEstimate estimate_tuning(const TuneRequest& request, const PassTimes& pass,
                                           const TuningProfile& known = {}, int scene = -1);

}  // namespace spira

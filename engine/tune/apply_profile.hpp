// Applies a tuning profile to a scene. Decides which layers can use the profile, and gives the reason for
// each layer that cannot.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct VoxelScene;

/// The scene, network and device to which apply_profile() applies a profile.
struct ProfileUse {
  const Network* network = nullptr;
  const VoxelScene* scene = nullptr;
  DeviceFacts device;
  Precision precision = Precision::fp32;
  std::string tool_version;
  /// If true, uses the profile even if it was measured on a different device or with a different program
  /// version.
  bool ignore_device = false;
  /// The densities of the scene. If empty, they are not compared with the densities of the profile.
  std::optional<SceneDensities> densities{};
};
/// The difference between the densities of a scene and the densities of the most similar scene of a profile.
struct ProfileDistance {
  double distance = 0, limit = 0;
  std::string nearest;
};
/// A backward pass of a layer that cannot run with the setting of the profile.
struct PassNotUsed {
  std::size_t layer = 0;
  LayerPass pass = LayerPass::dgrad;
  std::string why;
};
struct AppliedProfile {
  Plan plan;
  /// For each layer, the reason why it does not use the profile. Empty for layers that use it.
  std::vector<std::string> why_not;
  /// Layers that do not use the profile because it has too few samples.
  std::vector<std::size_t> undecided{};
  /// Layers that do not use the profile because its tuning ended before it measured them.
  std::vector<std::size_t> unmeasured{};
  /// Passes that run with default_backward(), although their layer uses the profile.
  std::vector<PassNotUsed> passes_not_used{};
  /// Empty if the densities of the scene or of the profile are not known.
  std::optional<ProfileDistance> density{};
  [[nodiscard]] int matched() const;
  /// The reason why the profile does not match the device or the version. Empty if it matches.
  /// `ProfileUse::ignore_device` allows the use of the profile in spite of this reason.
  std::string ignored{};
  /// Returns a warning if the densities of the scene and of the profile differ too much. Returns an empty
  /// string if the difference is small enough, or if no layer uses the profile.
  [[nodiscard]] std::string density_note() const;
  /// Returns the lines of a summary: "12 of 17 layers from profile x.tune.json", one line for the undecided
  /// layers, one line for the unmeasured layers, one line for each other reason with its layers or passes,
  /// and density_note().
  [[nodiscard]] std::vector<std::string> lines(const Network& network) const;
};

/// Returns the reason why the profile cannot be used with this device and this version of the program, or an
/// empty string if it can.
[[nodiscard]] std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                                         std::string_view tool_version);

/// Returns the choice of a profile for a layer. Prefers the choice of a layer with the same name and shape.
/// Otherwise, returns the choice of any layer with the same shape. Returns `nullptr` if the profile has no
/// layer of this shape. `levels` are the levels of the network of the layer. Shapes of two networks are equal
/// only if the rules of their levels are equal.
[[nodiscard]] const TunedShape* choice_for(const TuningProfile& profile, const std::string& layer,
                                           const LayerShape& shape, std::span<const SceneLevel> levels);

/// Returns the settings of the backward passes of a layer: the choices in `tuned`, and default_backward() for
/// a pass without a choice. A choice with too few samples, or with which the pass cannot run, is not used.
/// `tuned` can be `nullptr`.
[[nodiscard]] BackwardPlan tuned_backward(const TunedShape* tuned, const Layer& layer,
                                          const LayerLevels& levels, const LayerPlan& forward);

/// Applies `profile` to `use.scene`. A layer uses the profile if its number of outputs differs from the tuned
/// number of outputs by at most the factor ProfileValidity::outputs_factor. Other layers, and layers whose
/// choice is undecided (`ChoiceReason::few_samples`), keep their settings in `defaults`. If the densities of
/// the scene and of the profile differ, the profile is still used, and the result contains a note. A profile
/// for training also sets Plan::backward. `name` is
/// the name of the profile in messages and in Plan::source.
[[nodiscard]] AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use,
                                           const Plan& defaults, const std::string& name);

/// Returns true if the user changed the dataflow of a layer after the profile with this name had set it.
[[nodiscard]] bool has_user_choices(const Plan& plan, const std::string& name);
/// Returns the profile with the dataflows that the user set in `plan`. If layers of the same shape have
/// different ones, the shape is split into several entries. The checks and the regret of the choices for all
/// scenes are removed, because they were measured with a different plan. A profile of a different network is
/// returned unchanged.
[[nodiscard]] TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                              const std::string& name);

}  // namespace spira

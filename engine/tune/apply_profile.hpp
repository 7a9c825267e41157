// Applies a tuning profile to a scene. Determines which layers can use the profile, and why the others
// cannot.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/tuning_profile.hpp"

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
  /// True to apply the profile even if it was measured on another device or by another version.
  bool ignore_device = false;
  /// Densities of the scene. If they are empty, they are not compared with those of the profile.
  std::optional<SceneDensities> densities{};
};
/// Distance between the densities of a scene and those of the nearest scene of a profile.
struct ProfileDistance {
  double distance = 0, limit = 0;
  std::string nearest;
};
struct AppliedProfile {
  Plan plan;
  /// For each layer, the reason why it does not use the profile. The reason is empty if it uses the profile.
  std::vector<std::string> why_not;
  std::vector<std::size_t> undecided{};  ///< layers that do not use the profile because of too few samples
  /// Empty if the densities of the scene or of the profile are not known.
  std::optional<ProfileDistance> density{};
  [[nodiscard]] int matched() const;
  /// Reason why the profile does not match the device or the version. `ProfileUse::ignore_device` overrides
  /// this reason. Empty if device and version match.
  std::string ignored{};
  /// Returns a warning if the densities of the scene and the profile differ. Returns an empty string if the
  /// distance is within the limit or if no layer uses the profile.
  [[nodiscard]] std::string density_note() const;
  /// Returns the line "12 of 17 layers from profile x.tune.json", then one line for the undecided layers and
  /// one line for each other reason, with the layers that it applies to, and then density_note().
  [[nodiscard]] std::vector<std::string> lines(const Network& network) const;
};

/// Returns the reason why the profile cannot be used with this device and version. Returns an empty text if
/// it can be used.
[[nodiscard]] std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                                         std::string_view tool_version);

/// Returns the choice of a profile for a layer: the choice for the layer with this name if its shape
/// matches, else the choice for the shape. Returns `nullptr` if the profile has no choice for the shape.
[[nodiscard]] const TunedShape* choice_for(const TuningProfile& profile, const std::string& layer,
                                           const LayerShape& shape);

/// Applies `profile` to `use.scene`. A layer keeps its settings in `defaults` if it does not match or if its
/// choice is undecided (`ChoiceReason::few_samples`). A layer matches if its number of outputs is within
/// ProfileValidity::outputs_factor of the number for which its shape was tuned. If the densities of the
/// scene differ from those of the profile, the profile is applied and the result contains a note. Messages
/// and Plan::source use `name` as the name of the profile.
[[nodiscard]] AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use,
                                           const Plan& defaults, const std::string& name);

/// Returns true if the user changed the t of a layer of `plan` whose t came from the profile with this name.
[[nodiscard]] bool has_user_choices(const Plan& plan, const std::string& name);
/// Returns the profile with the thresholds that the user set. Returns the profile unchanged if it belongs to
/// another network. If layers of one shape have different t, the shape is split. Measurements of the whole
/// plan (checks, and the regret of the choices for all scenes) are removed, because they belong to another
/// plan.
[[nodiscard]] TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                              const std::string& name);

}  // namespace spira

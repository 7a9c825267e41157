// Applies a tuning profile to a scene. Finds the layers that can use the profile, and the reasons why other
// layers cannot use it.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct VoxelScene;

/// The scene, network and device for which apply_profile() makes a plan.
struct ProfileUse {
  const Network* network = nullptr;
  const VoxelScene* scene = nullptr;
  DeviceFacts device;
  Precision precision = Precision::fp32;
  std::string tool_version;
  /// Applies the profile even if it was measured on another device or by another version.
  bool ignore_device = false;
  /// Densities of the scene. If empty, the densities are not known and are not compared.
  std::optional<SceneDensities> densities{};
};
/// Distance between the densities of a scene and the nearest scene of a profile.
struct ProfileDistance {
  double distance = 0, limit = 0;
  std::string nearest;  ///< name of the nearest scene
};
struct AppliedProfile {
  Plan plan;
  /// Reason for each layer why it does not use the profile. Empty for layers that use it.
  std::vector<std::string> why_not;
  /// Empty if the densities of the scene or of the profile are not known.
  std::optional<ProfileDistance> density{};
  [[nodiscard]] int matched() const;
  /// Reason to reject the profile that `ProfileUse::ignore_device` overrode. Empty if the device and the
  /// version match.
  std::string ignored{};
  /// Returns a warning if the densities of the scene and the profile differ. Returns an empty string if the
  /// distance is within the limit or no layer uses the profile.
  [[nodiscard]] std::string density_note() const;
  /// Returns "12 of 17 layers from profile x.tune.json", then one line for each reason with its layers, then
  /// density_note().
  [[nodiscard]] std::vector<std::string> lines(const Network& network) const;
};

/// Returns the reason why no layer of a profile may be used on a device and by a version. Returns an empty
/// text if all layers may be used.
[[nodiscard]] std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                                         std::string_view tool_version);

/// Returns the choice of a profile for a layer: the choice for the layer of this name if its shape matches,
/// else the choice for the shape. Returns null if the profile has no choice for the shape.
[[nodiscard]] const TunedShape* choice_for(const TuningProfile& profile, const std::string& layer,
                                           const LayerShape& shape);

/// Applies `profile` to `use.scene`. Layers keep their plan in `defaults` if they do not match or if their
/// choice is undecided (`ChoiceReason::few_samples`). A layer matches if its number of outputs is within
/// ProfileValidity::outputs_factor of the outputs that its shape was tuned for. If the densities of the
/// scene differ from those of the profile, the profile is applied and the result contains a note. `name` is
/// the name of the profile in messages and in Plan::source.
[[nodiscard]] AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use,
                                           const Plan& defaults, const std::string& name);

/// Returns true if a layer of `plan` got its t from the profile of this name and has another t now.
[[nodiscard]] bool has_user_choices(const Plan& plan, const std::string& name);
/// Returns the profile with the user's thresholds. Returns the profile unchanged if it belongs to another
/// network. Layers of one shape are split if their t differs. Measurements of the plan as a whole (checks,
/// regret of the profile's choices) are removed, because they belong to another plan.
[[nodiscard]] TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                              const std::string& name);

}  // namespace spira

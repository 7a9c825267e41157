// A profile on a scene that it may or may not be of: which layers it speaks for, and why not for the others.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/session.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// What a plan is wanted for.
struct ProfileUse {
  const Network* network = nullptr;
  const VoxelScene* scene = nullptr;
  DeviceFacts device;
  Precision precision = Precision::fp32;
  std::string tool_version;
  bool ignore_device = false;  ///< take it though it was measured on another device or by another version
  std::optional<SceneDensities> densities{};  ///< of the scene; empty: not known, and not looked at
};
/// How far the densities of a scene are from the nearest one of a profile.
struct ProfileDistance {
  double distance = 0, limit = 0;
  std::string nearest;  ///< name of that scene
};
struct AppliedProfile {
  Plan plan;
  std::vector<std::string> why_not;          ///< one a layer; empty: from the profile
  std::optional<ProfileDistance> density{};  ///< empty: not known of the scene or of the profile
  [[nodiscard]] int matched() const;
  std::string ignored{};  ///< why it would not be taken, had that not been asked for; empty: it would
  /// What a scene of another density deserves to be told; empty: it is within the limit, or nothing is taken.
  [[nodiscard]] std::string density_note() const;
  /// "12 of 17 layers from profile x.tune.json", then a line a reason with its layers, then the note.
  [[nodiscard]] std::vector<std::string> lines(const Network& network) const;
};

/// Why no layer of a profile is to be taken on a device and by a version; empty: all may.
[[nodiscard]] std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                                         std::string_view tool_version);

/// What a profile chose for a layer: for the layer of this name where it has one of this shape, else for the
/// shape. Null: nothing.
[[nodiscard]] const TunedShape* choice_for(const TuningProfile& profile, const std::string& layer,
                                           const LayerShape& shape);

/// Layers that do not match, and layers whose choice is undecided (`ChoiceReason::few_samples`), stay as in
/// `defaults`. A scene matches within ProfileValidity::outputs_factor of
/// the outputs that a shape was tuned for; one of another density is taken with a note. `name`: of the
/// profile, for messages and Plan::source.
[[nodiscard]] AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use,
                                           const Plan& defaults, const std::string& name);

}  // namespace spira

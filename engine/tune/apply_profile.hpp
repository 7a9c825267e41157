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
};
struct AppliedProfile {
  Plan plan;
  std::vector<std::string> why_not;  ///< one a layer; empty: from the profile
  [[nodiscard]] int matched() const;
  /// "12 of 17 layers from profile x.tune.json", then a line a reason with its layers.
  [[nodiscard]] std::vector<std::string> lines(const Network& network) const;
};

/// Why no layer of a profile is to be taken on a device and by a version; empty: all may.
[[nodiscard]] std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                                         std::string_view tool_version);

/// Layers that do not match stay as in `defaults`. A scene matches within a factor of two of the outputs that
/// a shape was tuned for. `name`: of the profile, for messages and Plan::source.
[[nodiscard]] AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use,
                                           const Plan& defaults, const std::string& name);

}  // namespace spira

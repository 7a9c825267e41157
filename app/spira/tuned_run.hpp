// Applies a tuning profile to a run, and reports why some layers do not use it.
#pragma once

#include "app/spira/options.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <optional>

namespace spira::app {

/// Returns the tuning profile in the file of --plan. Returns `std::nullopt` if --plan is not given, or if the
/// file is not a tuning profile.
[[nodiscard]] std::optional<TuningProfile> profile_of(const RunOptions& run);
/// Returns the precision of --precision if it is given, otherwise the precision of the profile.
[[nodiscard]] Precision tuned_precision(const RunOptions& run, const TuningProfile& profile);
/// Returns the packing of --pack if it is given. Otherwise returns the packing of the profile. If the scene
/// does not fit the packing of the profile, returns the first packing that fits.
[[nodiscard]] PackSpec tuned_pack(const Context& context, const SceneOptions& scene,
                                  const std::optional<TuningProfile>& profile, const PointCloud& cloud,
                                  const Grid& grid, const Levels& levels, Job& job);
/// Returns the plan from the profile. Prints how many layers use the profile, and why the other layers do not
/// use it. With --strict, throws Error(failed_check) if a layer does not use the profile.
[[nodiscard]] Plan tuned_plan(const Context& context, const RunOptions& run, const TuningProfile& profile,
                              Session& session);

}  // namespace spira::app

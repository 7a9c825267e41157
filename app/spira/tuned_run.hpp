// Applies a tuning profile to a run, and reports why some layers do not use it.
#pragma once

#include "app/spira/options.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <optional>

namespace spira::app {

/// Returns the tuning profile of --plan. Returns an empty value if --plan is not given or names another kind
/// of file.
[[nodiscard]] std::optional<TuningProfile> profile_of(const RunOptions& run);
/// Returns the precision of --precision, or else the precision of the profile.
[[nodiscard]] Precision tuned_precision(const RunOptions& run, const TuningProfile& profile);
/// Returns the packing of --pack; or else the profile's packing, if the scene fits it; or else the first that
/// fits.
[[nodiscard]] PackSpec tuned_pack(const Context& context, const SceneOptions& scene,
                                  const std::optional<TuningProfile>& profile, const PointCloud& cloud,
                                  const Grid& grid, const Levels& levels, Job& job);
/// Returns the plan for the profile. Prints how many layers use the profile, and why the others do not. With
/// --strict, throws Error(failed_check) if some layers do not use it.
[[nodiscard]] Plan tuned_plan(const Context& context, const RunOptions& run, const TuningProfile& profile,
                              Session& session);

}  // namespace spira::app

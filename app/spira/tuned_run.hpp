// A tuning profile as the plan of a run: what it says for the scene, and why not for some layers.
#pragma once

#include "app/spira/options.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <optional>

namespace spira::app {

/// Empty where --plan names none, or another kind of file.
[[nodiscard]] std::optional<TuningProfile> profile_of(const RunOptions& run);
/// That of --precision, else the profile's.
[[nodiscard]] Precision tuned_precision(const RunOptions& run, const TuningProfile& profile);
/// That of --pack, else the profile's where the scene fits it, else the first that fits.
[[nodiscard]] PackSpec tuned_pack(const Context& context, const SceneOptions& scene,
                                  const std::optional<TuningProfile>& profile, const PointCloud& cloud,
                                  const Grid& grid, const Levels& levels, Job& job);
/// Says how many layers it is of, and why not the others. Throws Error(failed_check) for --strict.
[[nodiscard]] Plan tuned_plan(const Context& context, const RunOptions& run, const TuningProfile& profile,
                              Session& session);

}  // namespace spira::app

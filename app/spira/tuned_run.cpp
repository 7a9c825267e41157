#include "app/spira/tuned_run.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/tune/apply_profile.hpp"

#include <filesystem>

namespace spira::app {

std::optional<TuningProfile> profile_of(const RunOptions& run) {
  if (!run.plan.empty() && !is_named_plan(run.plan) && looks_like_profile(run.plan))
    return read_profile(run.plan);
  if (run.strict || run.ignore_devices)
    throw Error(ErrorKind::usage,
                "--strict and --ignore-devices require a tuning profile; pass the profile with --plan");
  return std::nullopt;
}

Precision tuned_precision(const RunOptions& run, const TuningProfile& profile) {
  return run.precision_given() ? run.storage() : profile.precision;
}

PackSpec tuned_pack(const Context& context, const SceneOptions& scene,
                    const std::optional<TuningProfile>& profile, const PointCloud& cloud, const Grid& grid,
                    const Levels& levels, Job& job) {
  const bool undecided = profile && profile->packing.why == ChoiceReason::few_samples;
  const bool tuned = scene.pack.empty() && profile && profile->packing.pack && !undecided;
  if (scene.pack.empty() && undecided)
    context.say("packing: undecided in the profile (too few samples); the default packing is used");
  if (tuned) {
    const PackSpec wanted = *profile->packing.pack;
    const auto extent = voxel_range(cloud, grid, job).extent(levels.needs.levels);
    const bool fits = fit(extent, wanted.with_batch(cloud.batch()), levels.needs).fits();
    context.say("packing: " + wanted.text() + " of the profile" + (fits ? "" : " does not fit this scene"));
    if (fits) return wanted;
  }
  return scene.pack_for(context, cloud, grid, levels.needs, job);
}

Plan tuned_plan(const Context& context, const RunOptions& run, const TuningProfile& profile,
                Session& session) {
  Plan plain = run.plan_without_file(session.network());
  plain.precision = tuned_precision(run, profile);
  const auto scene = session.scene();
  ProfileUse use;
  use.network = &session.network();
  use.scene = scene.get();
  use.device = session.backend().facts();
  use.precision = plain.precision;
  use.tool_version = SPIRA_VERSION;
  use.ignore_device = run.ignore_devices;
  use.densities = scene_densities(scene->level(1));
  AppliedProfile applied =
      apply_profile(profile, use, plain, std::filesystem::path(run.plan).filename().string());
  for (const auto& line : applied.lines(session.network()))
    context.say(line);
  const std::string why = why_not_device(profile, use.device, use.tool_version);
  if (!why.empty()) {
    context.say(run.ignore_devices ? "  the profile is applied because of --ignore-devices, although " + why
                                   : "  use --ignore-devices to apply the profile anyway");
  }
  if (run.strict && applied.matched() < static_cast<int>(applied.why_not.size()))
    throw Error(ErrorKind::failed_check,
                applied.plan.source + ": --strict is set, but the profile does not match every layer");
  if (run.strict && !applied.passes_not_used.empty())
    throw Error(
        ErrorKind::failed_check,
        applied.plan.source +
            ": --strict is set, but a layer cannot run dgrad or wgrad with the setting from the profile");
  run.set_dataflow_of(applied.plan, context, session.network());
  return applied.plan;
}

}  // namespace spira::app

#include "app/library/state.hpp"
#include "engine/base/error.hpp"
#include "engine/report/compare/compare.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/session.hpp"
#include "engine/tune/tuner.hpp"

#include <cmath>
#include <spira/profile.hpp>

namespace spira::library {
namespace {

std::string report_of(const v0::Model& model, const v0::Scene& scene, const v0::ProfileOptions& options) {
  constexpr int most = 10'000;
  if (options.repetitions < 1 || options.repetitions > most || options.warmup < 0 || options.warmup > most)
    throw Error(ErrorKind::usage, "repetitions must be 1 to 10,000, and warmup 0 to 10,000");
  const ModelState& state = Access::state(model);
  Job job(options.stop);
  const PreparedScene prepared = prepare(state, scene, options.voxel_m, job);
  const auto backend = state.make_backend();
  const auto current = make_current(*backend);
  Session session(backend, Access::state(state.network).network, state.weights);
  static_cast<void>(session.load(prepared.cloud, prepared.grid, prepared.pack, state.plan.precision, job));
  SamplingProtocol how;
  how.warmup = options.warmup;
  how.min_samples = how.max_samples = options.repetitions;
  const auto measurement = session.measure(state.plan, how, job);
  Report report = make_report(session, *measurement, {});
  report.tool_version = SPIRA_VERSION;
  return report_json(report);
}

std::string profile_of(const v0::Model& model, const std::vector<v0::Scene>& scenes,
                       const v0::TuneOptions& options) {
  if (scenes.empty()) throw Error(ErrorKind::usage, "scenes: tuning needs at least one scene");
  if (!std::isfinite(options.budget_s) || options.budget_s <= 0)
    throw Error(ErrorKind::usage, "budget_s: must be finite and greater than 0");
  const ModelState& state = Access::state(model);
  Job job(options.stop);
  const auto backend = state.make_backend();
  const auto current = make_current(*backend);
  TuneRequest request;
  request.backend = backend;
  request.network = Access::state(state.network).network;
  request.weights = state.weights;
  for (const v0::Scene& scene : scenes) {
    const PreparedScene prepared = prepare(state, scene, options.voxel_m, job);
    request.scenes.push_back({prepared.cloud, prepared.grid, prepared.pack});
  }
  request.precision = state.plan.precision;
  request.tool_version = SPIRA_VERSION;
  request.budget_ms = options.budget_s * 1e3;
  const TuningProfile profile = tune(request, {}, job);
  if (profile.choices.empty() && options.stop.stop_requested())
    throw Error(ErrorKind::cancelled, "stopped before a group of layers was completely measured");
  if (profile.choices.empty())
    throw Error(
        ErrorKind::undecided,
        "budget_s: no setting could be chosen, because no group of layers was completely measured; use a "
        "longer time");
  return profile_json(profile);
}

}  // namespace
}  // namespace spira::library

namespace spira::v0 {

std::string profile(const Model& model, const Scene& scene, const ProfileOptions& options) {
  return library::guarded([&] { return library::report_of(model, scene, options); });
}

std::string tune(const Model& model, const std::vector<Scene>& scenes, const TuneOptions& options) {
  return library::guarded([&] { return library::profile_of(model, scenes, options); });
}

std::string compare(const std::string& baseline, const std::string& current) {
  return library::guarded([&] {
    return compare_json(spira::compare(parse_report(baseline, "baseline"), parse_report(current, "current")));
  });
}

}  // namespace spira::v0

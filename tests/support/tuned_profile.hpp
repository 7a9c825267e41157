// A tuning profile of little_unet(), measured on two small rooms with few samples.
#pragma once

#include "app/common/backends.hpp"
#include "engine/tune/tuner.hpp"
#include "tests/support/small_session.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace spira::test {

inline constexpr const char* tuned_by = "0.0-test";

[[nodiscard]] inline TuneRequest small_tune_request(std::vector<std::uint64_t> seeds = {1},
                                                    std::shared_ptr<Backend> on = nullptr) {
  TuneRequest request;
  request.backend = on != nullptr ? std::move(on) : app::make_registry().make("cpu");
  request.network = std::make_shared<const Network>(little_unet());
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1));
  for (const std::uint64_t seed : seeds)
    request.scenes.push_back({small_room(2000, seed), small_grid, PackSpec::bits32(), 1.0});
  request.protocol.min_samples = request.protocol.max_samples = 2;
  request.protocol.warmup = 0;
  // The time budget is so long that the tuning ends only after all samples were taken.
  request.budget_ms = 3.6e6;
  request.tool_version = tuned_by;
  return request;
}

/// Returns a profile with two scenes, two algorithms and three packings. One packing does not fit.
[[nodiscard]] inline const TuningProfile& tuned_profile() {
  static const TuningProfile made = [] {
    TuneRequest request = small_tune_request({1, 2});
    request.algorithms = {MapAlgorithm::z_delta, MapAlgorithm::hash};
    request.packings = {PackSpec::bits32(), PackSpec::bits64(), {3, 3, 3}};
    Job job;
    TuningProfile profile = tune(request, {}, job);
    profile.created = "2026-11-21T20:01:03Z";
    profile.command = {"spira", "tune"};
    // Remove ties and drift, so that the tests do not depend on the machine.
    for (FeatureRecord& record : profile.features)
      record.dropped = false;
    PlanCheck check;
    check.output = {1e-6, 1e-7, true};
    check.not_compiled = "down: t = 0";
    check.tuned.ms = check.all_output_stationary.ms = check.all_weight_stationary.ms = {2.5, 2.5};
    profile.checks = {check};
    return profile;
  }();
  return made;
}

/// Returns a profile in which every setting has five samples: 1 ms with t = 0, and 2 ms with other t. tune()
/// does not measure these settings again, so the choices do not depend on the machine.
[[nodiscard]] inline TuningProfile settled_profile(const TuneRequest& request) {
  Job job;
  TuningProfile profile = tune(request, {}, job);
  for (FeatureRecord& record : profile.features)
    record.ms.assign(5, record.setting.threshold == 0 ? 1.0 : 2.0);
  for (MapRecord& record : profile.maps)
    record.ms.assign(5, 1.0);
  decide(profile, *request.network);
  return profile;
}

}  // namespace spira::test

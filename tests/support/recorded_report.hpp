// Provides a report with the device data of another machine, for tests of views and files.
#pragma once

#include "engine/report/report.hpp"
#include "tests/support/made_timeline.hpp"
#include "tests/support/small_session.hpp"

#include <memory>
#include <utility>

namespace spira::test {

/// Returns a report of a run of little_unet() with both sweeps. It also has data that only a GPU provides:
/// device states, a driver version, CUDA events, and the time and the timeline of the network as one graph.
/// All times are round numbers, so that tests can expect exact texts.
[[nodiscard]] inline const Report& recorded_report() {
  static const Report made = [] {
    SmallSession some;
    some.load();
    SamplingProtocol how;
    how.min_samples = how.max_samples = 3;
    Job job;
    Report report = make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
    report.created = "2026-11-21T20:01:03Z";
    report.tool_version = "0.0";
    Sweep thresholds = sweep_thresholds(some.session, -1, some.plan, all_thresholds(*some.network), how, job);
    Sweep packs = sweep_packings(some.backend, some.network, some.weights, some.session.scene()->cloud,
                                 small_grid, some.plan, {PackSpec::bits32(), {4, 4, 4}}, how, job);
    for (DeviceFacts* device : {&report.measurement.device, &thresholds.device, &packs.device})
      *device = {BackendKind::cuda,  "A far GPU", "sm_90",    132,         1,
                 Clock::cuda_events, "1.2.3",     "CUDA 0.0", "sm_00 code"};
    report.measurement.state_before = report.measurement.state_after = {};
    report.measurement.state_before.sm_clock_mhz = 1980;
    report.measurement.state_after.throttled_by = {"power cap"};
    report.measurement.wall.ms = {2.5, 2.5, 2.5};
    report.measurement.marked_ms = {2.75, 2.75, 2.75};
    report.measurement.compiled_how = "one CUDA graph";
    report.measurement.compiled_wall.ms = {1.0, 1.5};
    report.measurement.compiled_bytes = 1 << 20;
    report.measurement.timeline = in_situ_timeline();
    report.threshold_sweep = std::make_shared<const Sweep>(std::move(thresholds));
    report.pack_sweep = std::make_shared<const Sweep>(std::move(packs));
    return report;
  }();
  return made;
}

}  // namespace spira::test

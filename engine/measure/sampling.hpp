// Measures the time of repeated work, with warm-up runs and a stopping rule. All timing in the project uses
// this loop.
#pragma once

#include "engine/job/job.hpp"
#include "engine/job/recorder.hpp"
#include "engine/measure/statistics.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spira {

struct SamplingProtocol {
  int warmup = 1;
  int min_samples = 5, max_samples = 50;
  /// Time limit per contender in milliseconds, including all work after each round. It applies after
  /// min_samples.
  double max_time_ms = 3000;
  /// Sampling stops when IQR / median falls below this value. 0 disables this rule.
  double target_iqr_rel = 0.01;
};

struct Samples {
  std::vector<double> ms;
  bool reached_target = false;  ///< True if sampling stopped because it reached target_iqr_rel, and not
                                ///< because of the number of samples or the time limit.
  // Device state after each sample: one entry per sample. Empty if the state was not read or the device does
  // not report it.
  std::vector<bool> held_back{};
  std::vector<int> sm_clock_mhz{};
  [[nodiscard]] Statistics stats() const { return statistics(ms); }
};

/// Returns the wall time (host clock) of one call.
[[nodiscard]] double time_once_ms(const std::function<void()>& work);

/// Measures the wall time (host clock) of repeated calls.
[[nodiscard]] Samples sample(const std::function<void()>& work, const SamplingProtocol& protocol, Job& job);

struct Contender {
  std::string name;
  std::function<void()> run;
};
/// Measures in the order A, B, C, A, B, C, ... and reverses the order in every other round, so that drift
/// affects all contenders equally. Returns one result per contender. `after_round` receives the samples so
/// far.
[[nodiscard]] std::vector<Samples> sample_interleaved(
    const std::vector<Contender>& contenders, const SamplingProtocol& protocol, Job& job,
    const std::function<void(const std::vector<Samples>&)>& after_round = {});

struct TimerFacts {
  double overhead_us = 0;    ///< Median length of an empty stage.
  double resolution_us = 0;  ///< Smallest observed step of the clock.
};
/// Marks 200 empty stages on the clock of a back end and waits for them.
[[nodiscard]] TimerFacts measure_timer(StageSource& source);

/// Stages shorter than this limit are near the resolution of the timer: the overhead of the two marks is a
/// large part of the measured time.
constexpr double near_timer_ms = 0.01;
[[nodiscard]] constexpr bool near_timer_resolution(double median_ms) noexcept {
  return median_ms > 0 && median_ms < near_timer_ms;
}

}  // namespace spira

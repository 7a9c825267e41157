// Measures the time of repeated work, with warm-up runs and a stopping rule. The whole project measures with
// these functions.
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
  /// The time limit per contender in milliseconds. It also covers the time of the `after_round` callback. It
  /// can end the sampling only after min_samples samples.
  double max_time_ms = 3000;
  /// Sampling stops when IQR / median is below this value. 0 disables this rule.
  double target_iqr_rel = 0.01;
};

struct Samples {
  std::vector<double> ms;
  /// True if sampling stopped because target_iqr_rel was reached, and not because of the maximum number of
  /// samples or the time limit.
  bool reached_target = false;
  // The lists below contain the state of the device after each sample. A list is empty if the device does not
  // report the value or was not queried.
  std::vector<bool> held_back{};
  std::vector<int> sm_clock_mhz{};
  [[nodiscard]] Statistics stats() const { return statistics(ms); }
};

[[nodiscard]] double time_once_ms(const std::function<void()>& work);

/// Measures the wall time of repeated calls of `work` with the host clock.
[[nodiscard]] Samples sample(const std::function<void()>& work, const SamplingProtocol& protocol, Job& job);

struct Contender {
  std::string name;
  std::function<void()> run;
};
/// Runs all contenders once per round, in the order A, B, C. Every other round has the reverse order C, B, A,
/// so that drift affects all contenders equally. Returns one result per contender. Calls `after_round` with
/// all samples so far.
[[nodiscard]] std::vector<Samples> sample_interleaved(
    const std::vector<Contender>& contenders, const SamplingProtocol& protocol, Job& job,
    const std::function<void(const std::vector<Samples>&)>& after_round = {});

struct TimerFacts {
  double overhead_us = 0;    ///< The median length of an empty stage.
  double resolution_us = 0;  ///< The smallest step of the clock that was observed.
};
/// Measures 200 empty stages with the clock of a back end. Waits until they are complete.
[[nodiscard]] TimerFacts measure_timer(StageSource& source);

/// Stages shorter than this limit in milliseconds are near the resolution of the timer: a large part of their
/// measured time is the overhead of the two time stamps.
constexpr double near_timer_ms = 0.01;
[[nodiscard]] constexpr bool near_timer_resolution(double median_ms) noexcept {
  return median_ms > 0 && median_ms < near_timer_ms;
}

}  // namespace spira

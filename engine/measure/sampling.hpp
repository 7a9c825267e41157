// Warm-up, repetitions and when to stop. The only stopwatch loop of the project.
#pragma once

#include "engine/job/job.hpp"
#include "engine/measure/statistics.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spira {

struct SamplingProtocol {
  int warmup = 1;
  int min_samples = 5, max_samples = 50;
  double max_time_ms = 3000;     ///< per contender, with all that is done after each round; after min_samples
  double target_iqr_rel = 0.01;  ///< stop when IQR / median falls below it; 0: never
};

struct Samples {
  std::vector<double> ms;
  bool reached_target = false;  ///< stopped by the target, not by count or time
  // What the device said behind each sample, one a sample; empty: it was not asked, or does not tell.
  std::vector<bool> held_back{};
  std::vector<int> sm_clock_mhz{};
  [[nodiscard]] Statistics stats() const { return statistics(ms); }
};

/// Wall time (host clock) of one call.
[[nodiscard]] double time_once_ms(const std::function<void()>& work);

/// Wall time (host clock) of one call after another.
[[nodiscard]] Samples sample(const std::function<void()>& work, const SamplingProtocol& protocol, Job& job);

struct Contender {
  std::string name;
  std::function<void()> run;
};
/// A, B, C, A, B, C, ... with the order reversed every other round, so that drift hits all alike. One result
/// a contender. `after_round` sees the samples so far.
[[nodiscard]] std::vector<Samples> sample_interleaved(
    const std::vector<Contender>& contenders, const SamplingProtocol& protocol, Job& job,
    const std::function<void(const std::vector<Samples>&)>& after_round = {});

}  // namespace spira

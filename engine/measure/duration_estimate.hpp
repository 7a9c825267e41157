// Predicts how long measurements take, from the time of one pass of the network or of one layer. All
// functions are pure.
#pragma once

#include "engine/measure/sampling.hpp"

#include <cstdint>

namespace spira {

/// Returns the largest number of rounds that sample_interleaved() takes after the warm-up, if each round of
/// all contenders takes `round_ms`. A `round_ms` of 0 means that the time is not known.
[[nodiscard]] int most_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept;
/// Returns the smallest number of rounds: min_samples if the stopping rule may end the sampling, else
/// most_rounds().
[[nodiscard]] int fewest_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept;

// A sweep runs each setting a few times to record its stages, before it samples the wall times.
constexpr int stage_passes = 3;          ///< after one warm-up pass
constexpr double stage_passes_ms = 500;  ///< no further pass starts after this time

/// Session::measure() runs the network with and without timers in each round.
constexpr int measured_passes_per_round = 2;

struct DurationEstimate {
  double pass_ms = 0;                 ///< time of one pass
  std::int64_t fewest = 0, most = 0;  ///< number of passes, including warm-up
  double other_ms = 0;                ///< time of work that is not a pass
  [[nodiscard]] double fewest_ms() const noexcept {
    return (static_cast<double>(fewest) * pass_ms) + other_ms;
  }
  [[nodiscard]] double most_ms() const noexcept { return (static_cast<double>(most) * pass_ms) + other_ms; }
};
/// Estimates Session::measure() of a network that has run. `compiled_ms` is the time of one run of the
/// compiled network, which is sampled with the same protocol and then runs as often again for its timeline. 0
/// means that the network is not compiled.
[[nodiscard]] DurationEstimate estimate_measure(const SamplingProtocol& protocol, double pass_ms,
                                                double compiled_ms = 0) noexcept;
/// Estimates sweep_thresholds() or sweep_packings() with `settings` feasible settings that all take
/// `pass_ms`. `load_ms` is the additional time to load each setting.
[[nodiscard]] DurationEstimate estimate_sweep(const SamplingProtocol& protocol, int settings, double pass_ms,
                                              double load_ms = 0) noexcept;

}  // namespace spira

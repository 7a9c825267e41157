// Estimates how long measurements take, from the time of one pass of the network or of one layer. The
// functions have no side effects.
#pragma once

#include "engine/measure/sampling.hpp"

#include <cstdint>

namespace spira {

/// Returns the largest number of rounds that sample_interleaved() can take after the warm-up. `round_ms` is
/// the time of one round of all contenders, or 0 if it is not known.
[[nodiscard]] int most_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept;
/// Returns the smallest number of rounds that sample_interleaved() can take: min_samples if the stopping rule
/// can end the sampling, otherwise most_rounds().
[[nodiscard]] int fewest_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept;

// Before a sweep samples the wall times, it runs each setting a few times to record its stages.
constexpr int stage_passes = 5;          ///< Number of passes after one warm-up pass.
constexpr double stage_passes_ms = 500;  ///< No further pass starts after this time.

/// Session::measure() runs the network twice per round: once with timers and once without.
constexpr int measured_passes_per_round = 2;

struct DurationEstimate {
  double pass_ms = 0;
  std::int64_t fewest = 0, most = 0;  ///< Number of passes, including the warm-up.
  double other_ms = 0;                ///< The time of all work outside the passes.
  [[nodiscard]] double fewest_ms() const noexcept {
    return (static_cast<double>(fewest) * pass_ms) + other_ms;
  }
  [[nodiscard]] double most_ms() const noexcept { return (static_cast<double>(most) * pass_ms) + other_ms; }
};
/// Estimates the time of Session::measure() for a network that has run. `compiled_ms` is the time of one run
/// of the compiled network, or 0 if it is not compiled. measure() samples the compiled network with the same
/// protocol, and then runs it the same number of times for its timeline.
[[nodiscard]] DurationEstimate estimate_measure(const SamplingProtocol& protocol, double pass_ms,
                                                double compiled_ms = 0) noexcept;
/// Estimates the time of sweep_thresholds() or sweep_packings() for `settings` feasible settings, which all
/// take `pass_ms`. `load_ms` is the additional time to load each setting.
[[nodiscard]] DurationEstimate estimate_sweep(const SamplingProtocol& protocol, int settings, double pass_ms,
                                              double load_ms = 0) noexcept;

}  // namespace spira

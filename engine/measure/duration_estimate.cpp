#include "engine/measure/duration_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

/// Returns the smallest number of passes that take at least `budget_ms` together, but at most `limit`.
int passes_in(double budget_ms, double pass_ms, int limit) noexcept {
  if (!(pass_ms > 0)) return limit;
  return static_cast<int>(std::clamp(std::ceil(budget_ms / pass_ms), 0.0, static_cast<double>(limit)));
}

}  // namespace

int most_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept {
  const int limit = std::max(1, protocol.max_samples);
  const int in_time = passes_in(protocol.max_time_ms * contenders, round_ms, limit);
  return std::min(limit, std::max({1, protocol.min_samples, in_time}));
}

int fewest_rounds(const SamplingProtocol& protocol, int contenders, double round_ms) noexcept {
  const int most = most_rounds(protocol, contenders, round_ms);
  return protocol.target_iqr_rel > 0 ? std::min(most, std::max(1, protocol.min_samples)) : most;
}

DurationEstimate estimate_measure(const SamplingProtocol& protocol, double pass_ms,
                                  double compiled_ms) noexcept {
  const double round_ms = measured_passes_per_round * pass_ms;
  DurationEstimate estimate;
  estimate.pass_ms = pass_ms;
  estimate.fewest = protocol.warmup + (measured_passes_per_round * fewest_rounds(protocol, 1, round_ms));
  estimate.most = protocol.warmup + (measured_passes_per_round * most_rounds(protocol, 1, round_ms));
  if (compiled_ms > 0) {
    constexpr int with_timeline = 2;
    const int runs = protocol.warmup + (with_timeline * most_rounds(protocol, 1, compiled_ms));
    estimate.other_ms = runs * compiled_ms;
  }
  return estimate;
}

DurationEstimate estimate_sweep(const SamplingProtocol& protocol, int settings, double pass_ms,
                                double load_ms) noexcept {
  const double round_ms = settings * pass_ms;
  const int for_stages = 1 + std::max(1, passes_in(stage_passes_ms, pass_ms, stage_passes));
  const auto passes = [&](int rounds) {
    return static_cast<std::int64_t>(settings) * (for_stages + protocol.warmup + rounds);
  };
  return {pass_ms, passes(fewest_rounds(protocol, settings, round_ms)),
          passes(most_rounds(protocol, settings, round_ms)), settings * load_ms};
}

}  // namespace spira

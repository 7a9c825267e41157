#include "engine/measure/statistics.hpp"

#include "engine/base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace spira {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + ((sorted[high] - sorted[low]) * (at - static_cast<double>(low)));
}

double median_of_resample(std::span<const double> samples, std::vector<double>& scratch, Random& random) {
  scratch.clear();
  for (std::size_t at = 0; at < samples.size(); ++at)
    scratch.push_back(samples[random.below(samples.size())]);
  std::sort(scratch.begin(), scratch.end());
  return quantile(scratch, 0.5);
}

}  // namespace

Statistics statistics(std::span<const double> samples) {
  Statistics result;
  if (samples.empty()) return result;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  result.n = static_cast<std::int64_t>(sorted.size());
  result.median = quantile(sorted, 0.5);
  result.q1 = quantile(sorted, 0.25);
  result.q3 = quantile(sorted, 0.75);
  result.p90 = quantile(sorted, 0.9);
  result.min = sorted.front();
  result.max = sorted.back();
  for (const double sample : sorted)
    result.mean += sample / static_cast<double>(sorted.size());
  return result;
}

std::string_view text_of(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> texts{"faster", "slower", "same", "undecided"};
  return texts.at(static_cast<std::size_t>(verdict));
}

Verdict verdict(std::span<const double> baseline, std::span<const double> current) {
  constexpr int resamples = 1000;
  constexpr double same_within = 0.01, least_gap = 0.005;
  if (std::min(baseline.size(), current.size()) < fewest_samples_for_verdict) return Verdict::undecided;
  Random random(1);
  std::vector<double> ratios, scratch;
  for (int round = 0; round < resamples; ++round) {
    const double before = median_of_resample(baseline, scratch, random);
    const double now = median_of_resample(current, scratch, random);
    if (!(before > 0.0)) return Verdict::undecided;
    ratios.push_back(now / before);
  }
  std::sort(ratios.begin(), ratios.end());
  const double low = quantile(ratios, 0.025), high = quantile(ratios, 0.975);
  if (low > 1.0 - same_within && high < 1.0 + same_within) return Verdict::same;
  const double ratio = statistics(current).median / statistics(baseline).median;
  if (high < 1.0 && ratio < 1.0 - least_gap) return Verdict::faster;
  if (low > 1.0 && ratio > 1.0 + least_gap) return Verdict::slower;
  return Verdict::undecided;
}

}  // namespace spira

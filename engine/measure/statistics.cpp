#include "engine/measure/statistics.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace spira {
namespace {

double median_of_resample(std::span<const double> samples, std::vector<double>& scratch, Random& random) {
  scratch.clear();
  for (std::size_t at = 0; at < samples.size(); ++at)
    scratch.push_back(samples[random.below(samples.size())]);
  // Finds only the middle values instead of sorting all values. Reports contain thousands of samples, and
  // each series is resampled a thousand times.
  const auto low = scratch.begin() + (std::ssize(scratch) - 1) / 2;
  std::nth_element(scratch.begin(), low, scratch.end());
  if (scratch.size() % 2 == 1) return *low;
  const double high = *std::min_element(low + 1, scratch.end());
  return *low + ((high - *low) * 0.5);
}

constexpr double same_within = 0.01;

bool gap_counts(const MedianRatio& ratio) noexcept {
  constexpr double min_share = 0.005, min_ms = 0.0005;
  return std::abs(ratio.current_ms - ratio.baseline_ms) >= std::max(min_share * ratio.baseline_ms, min_ms);
}

}  // namespace

double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + ((sorted[high] - sorted[low]) * (at - static_cast<double>(low)));
}

Statistics statistics(std::span<const double> samples) {
  Statistics result;
  if (samples.empty()) return result;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  result.n = static_cast<std::int64_t>(sorted.size());
  result.median = quantile(sorted, 0.5);
  result.q1 = quantile(sorted, 0.25);
  result.q3 = quantile(sorted, 0.75);
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

std::optional<MedianRatio> median_ratio(std::span<const double> baseline_ms,
                                        std::span<const double> current_ms) {
  constexpr int resamples = 1000;
  if (std::min(baseline_ms.size(), current_ms.size()) < fewest_samples_for_verdict) return std::nullopt;
  Random random(1);
  std::vector<double> ratios, scratch;
  for (int round = 0; round < resamples; ++round) {
    const double before = median_of_resample(baseline_ms, scratch, random);
    const double now = median_of_resample(current_ms, scratch, random);
    if (!(before > 0.0)) return std::nullopt;
    ratios.push_back(now / before);
  }
  std::sort(ratios.begin(), ratios.end());
  MedianRatio result{statistics(baseline_ms).median, statistics(current_ms).median, quantile(ratios, 0.025),
                     quantile(ratios, 0.975)};
  if (!(result.baseline_ms > 0.0)) return std::nullopt;
  return result;
}

Verdict verdict(const MedianRatio& ratio) noexcept {
  const bool apart = gap_counts(ratio);
  if (apart && ratio.high < 1.0) return Verdict::faster;
  if (apart && ratio.low > 1.0) return Verdict::slower;
  if (ratio.low > 1.0 - same_within && ratio.high < 1.0 + same_within) return Verdict::same;
  return Verdict::undecided;
}

Verdict verdict(std::span<const double> baseline_ms, std::span<const double> current_ms) {
  const auto ratio = median_ratio(baseline_ms, current_ms);
  return ratio ? verdict(*ratio) : Verdict::undecided;
}

std::optional<std::int64_t> samples_to_decide(const MedianRatio& ratio, std::int64_t samples) {
  constexpr double most = 1e6;
  const double gap = std::abs(ratio.ratio() - 1.0);
  const double narrow_enough = std::max(gap_counts(ratio) ? gap : 0.0, same_within - gap);
  if (!(narrow_enough > 0.0)) return std::nullopt;
  const double times = (ratio.high - ratio.low) / 2.0 / narrow_enough;
  const double needed = std::ceil(static_cast<double>(samples) * times * times);
  if (!(needed < most)) return std::nullopt;
  // The interval can be asymmetric, so it can be narrow enough although there is no verdict yet. Require at
  // least one more sample.
  return std::max(static_cast<std::int64_t>(needed), samples + 1);
}

namespace {

constexpr double outside_a_side = 0.025;

/// Returns the rank, from 1, of the sample at each end of the interval. Returns 0 if there are too few
/// samples. The number of samples below the true median has the same distribution as the number of heads in n
/// tosses of a coin.
std::size_t left_out(std::size_t n) {
  const auto count = static_cast<double>(n);
  double at_most = 0;  // Probability of at most `heads` heads.
  std::size_t heads = 0;
  for (; heads < n; ++heads) {
    const auto k = static_cast<double>(heads);
    at_most += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) -
                        (count * std::log(2.0)));
    if (at_most > outside_a_side) break;
  }
  return heads;  // The probability of fewer heads is at most outside_a_side.
}

}  // namespace

std::optional<MedianInterval> median_interval(std::span<const double> samples) {
  const std::size_t rank = left_out(samples.size());
  if (rank == 0) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

std::array<Percentile, 3> percentiles(std::span<const double> samples_ms) {
  std::array<Percentile, 3> all{{{"p90", 10, {}}, {"p95", 20, {}}, {"p99", 100, {}}}};
  constexpr std::array<double, 3> shares{0.9, 0.95, 0.99};
  std::vector<double> sorted(samples_ms.begin(), samples_ms.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (std::ssize(sorted) >= all.at(at).least) all.at(at).ms = quantile(sorted, shares.at(at));
  }
  return all;
}

std::string missing_percentiles_text(std::span<const double> samples_ms) {
  std::string text;
  for (const Percentile& one : percentiles(samples_ms)) {
    if (one.ms) continue;
    text += (text.empty() ? std::string(one.name) + " needs " : ", " + std::string(one.name) + " ") +
            std::to_string(one.least) + (text.empty() ? " samples" : "");
  }
  return text;
}

DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms) {
  DeviceRate rate{{}, std::move(how), std::move(samples_ms)};
  const double median_ms = statistics(rate.samples_ms).median;
  if (median_ms > 0) rate.per_second = work / median_ms * 1e3;
  return rate;
}

DeviceRate rate_or_why(const std::function<DeviceRate()>& measure) {
  try {
    return measure();
  } catch (const Error& error) {
    if (!is_device_fault(error.kind())) throw;
    return {{}, std::string("not measured: ") + error.what(), {}};
  }
}

}  // namespace spira

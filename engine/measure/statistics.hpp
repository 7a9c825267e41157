// Statistics of samples, and the verdict on two sets of them. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace spira {

struct Statistics {
  std::int64_t n = 0;
  double median = 0, q1 = 0, q3 = 0, min = 0, max = 0, mean = 0;
  [[nodiscard]] double iqr() const noexcept { return q3 - q1; }
};
[[nodiscard]] Statistics statistics(
    std::span<const double> samples);  ///< zeros for none; linear interpolation

/// Of values in ascending order, at least one; `share` from 0 to 1; linear interpolation.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

enum class Verdict : std::uint8_t { faster, slower, same, undecided };
[[nodiscard]] std::string_view text_of(Verdict verdict) noexcept;
constexpr std::size_t fewest_samples_for_verdict = 5;  ///< of each; with fewer it is undecided

/// Medians of two series and the 95 % interval of their ratio, current / baseline.
struct MedianRatio {
  double baseline_ms = 0, current_ms = 0;
  double low = 0, high = 0;
  [[nodiscard]] double ratio() const noexcept { return current_ms / baseline_ms; }
};
/// By a bootstrap (seeded, reproducible). Empty where a side has fewer than fewest_samples_for_verdict
/// samples or a baseline without length.
[[nodiscard]] std::optional<MedianRatio> median_ratio(std::span<const double> baseline_ms,
                                                      std::span<const double> current_ms);
/// faster, slower: the interval excludes 1 and the medians are at least 0.5 % and 0.5 us apart; same: it lies
/// within 1 % of 1.
[[nodiscard]] Verdict verdict(const MedianRatio& ratio) noexcept;
/// The same of two series; undecided where they have no ratio.
[[nodiscard]] Verdict verdict(std::span<const double> baseline_ms, std::span<const double> current_ms);
/// How many samples a side might decide an undecided ratio taken from `samples` a side, if the medians stay
/// where they are: intervals narrow with the root of the number. Empty where no number would.
[[nodiscard]] std::optional<std::int64_t> samples_to_decide(const MedianRatio& ratio, std::int64_t samples);

}  // namespace spira

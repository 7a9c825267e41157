// Computes statistics of samples, and compares two series of samples. The functions have no side effects.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Statistics {
  std::int64_t n = 0;
  double median = 0, q1 = 0, q3 = 0, min = 0, max = 0, mean = 0;
  [[nodiscard]] double iqr() const noexcept { return q3 - q1; }
};
/// Returns the quartiles by linear interpolation. All values are 0 if `samples` is empty.
[[nodiscard]] Statistics statistics(std::span<const double> samples);

/// Returns a quantile by linear interpolation. `sorted` must be in ascending order and not empty; `share`
/// must be from 0 to 1.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

enum class Verdict : std::uint8_t { faster, slower, same, undecided };
[[nodiscard]] std::string_view text_of(Verdict verdict) noexcept;
/// The minimum number of samples per series. With fewer samples, the verdict is `undecided`.
constexpr std::size_t fewest_samples_for_verdict = 5;

/// The medians of two series, and the 95 % confidence interval of the ratio current / baseline.
struct MedianRatio {
  double baseline_ms = 0, current_ms = 0;
  double low = 0, high = 0;
  [[nodiscard]] double ratio() const noexcept { return current_ms / baseline_ms; }
};
/// Computes the confidence interval by a bootstrap with a fixed seed, so that the result is reproducible.
/// Returns an empty optional if a series has fewer than fewest_samples_for_verdict samples, or if the median
/// of the baseline is 0.
[[nodiscard]] std::optional<MedianRatio> median_ratio(std::span<const double> baseline_ms,
                                                      std::span<const double> current_ms);
/// Returns `faster` or `slower` if the interval does not contain 1 and the medians differ by at least 0.5 %
/// and at least 0.5 us. Returns `same` if the interval is within 1 % of 1. Otherwise returns `undecided`.
[[nodiscard]] Verdict verdict(const MedianRatio& ratio) noexcept;
/// Returns the verdict for two series, or `undecided` if median_ratio() is empty.
[[nodiscard]] Verdict verdict(std::span<const double> baseline_ms, std::span<const double> current_ms);
/// Estimates how many samples per series would lead to a verdict. `ratio` must be undecided; it was computed
/// from `samples` samples per series. The estimate assumes constant medians, and an interval that shrinks
/// with the square root of the number of samples. Returns an empty optional if 10^6 samples would not be
/// enough.
[[nodiscard]] std::optional<std::int64_t> samples_to_decide(const MedianRatio& ratio, std::int64_t samples);

struct MedianInterval {
  double low = 0, high = 0;
};
/// Returns two samples between which the true median lies in at least 95 of 100 cases. The interval depends
/// only on ranks, so it is valid for every distribution. Returns an empty optional for fewer than 6 samples,
/// because even the smallest and the largest of 5 samples enclose the median in fewer than 95 of 100 cases.
[[nodiscard]] std::optional<MedianInterval> median_interval(std::span<const double> samples);

/// A percentile of a series. `ms` is empty if the series has fewer than `least` samples. With so few samples,
/// possibly no sample is above the percentile.
struct Percentile {
  std::string_view name;
  std::int64_t least = 0;
  std::optional<double> ms;
};
[[nodiscard]] std::array<Percentile, 3> percentiles(
    std::span<const double> samples_ms);  ///< Returns p90, p95 and p99.
/// Returns which percentiles have too few samples, such as "p95 needs 20 samples, p99 100". Returns an empty
/// string if all percentiles are available.
[[nodiscard]] std::string missing_percentiles_text(std::span<const double> samples_ms);

// Back ends use the functions below to measure the rates of their device.

/// Returns the rate of the median sample. Each sample did the same `work`, in bytes or operations.
[[nodiscard]] DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms);
/// Returns the result of `measure`. If it fails with a device fault, which usually means too little memory,
/// returns a rate without a value and with the reason. The report then contains no floors (shortest possible
/// times), but nothing else fails. Other errors are not caught.
[[nodiscard]] DeviceRate rate_or_why(const std::function<DeviceRate()>& measure);

}  // namespace spira

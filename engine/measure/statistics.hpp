// Computes statistics of samples, and compares two series of samples. All functions are pure.
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
/// Returns the quartiles of the samples by linear interpolation. All values are 0 if `samples` is empty.
[[nodiscard]] Statistics statistics(std::span<const double> samples);

/// Returns a quantile of `sorted` by linear interpolation. `sorted` must be ascending and not empty; `share`
/// must be in 0..1.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

enum class Verdict : std::uint8_t { faster, slower, same, undecided };
[[nodiscard]] std::string_view text_of(Verdict verdict) noexcept;
/// Minimum number of samples per series for a verdict. With fewer samples, the verdict is `undecided`.
constexpr std::size_t fewest_samples_for_verdict = 5;

/// The medians of two series, and the 95 % confidence interval of the ratio current / baseline.
struct MedianRatio {
  double baseline_ms = 0, current_ms = 0;
  double low = 0, high = 0;
  [[nodiscard]] double ratio() const noexcept { return current_ms / baseline_ms; }
};
/// Computes the confidence interval by a bootstrap with a fixed seed, so the result is reproducible. Returns
/// an empty optional if a series has fewer than fewest_samples_for_verdict samples, or if the median of the
/// baseline is 0.
[[nodiscard]] std::optional<MedianRatio> median_ratio(std::span<const double> baseline_ms,
                                                      std::span<const double> current_ms);
/// Returns `faster` or `slower` if the interval excludes 1 and the medians differ by at least 0.5 % and by at
/// least 0.5 us. Returns `same` if the interval is within 1 % of 1, otherwise `undecided`.
[[nodiscard]] Verdict verdict(const MedianRatio& ratio) noexcept;
/// Returns the verdict on two series, or `undecided` if median_ratio() has no result.
[[nodiscard]] Verdict verdict(std::span<const double> baseline_ms, std::span<const double> current_ms);
/// Returns the estimated number of samples per series that would lead to a verdict. `ratio` is undecided and
/// was computed from `samples` per series. Assumes that the medians do not change and that the interval
/// shrinks with the square root of the number of samples. Returns an empty optional if 10^6 samples would not
/// be enough.
[[nodiscard]] std::optional<std::int64_t> samples_to_decide(const MedianRatio& ratio, std::int64_t samples);

struct MedianInterval {
  double low = 0, high = 0;
};
/// Returns two samples that enclose the true median in at least 95 of 100 cases. The interval depends only on
/// ranks, so it is valid for every distribution. Returns an empty optional for fewer than 6 samples: even the
/// smallest and the largest of 5 samples enclose the median in fewer than 95 of 100 cases.
[[nodiscard]] std::optional<MedianInterval> median_interval(std::span<const double> samples);

/// A percentile of a series. `ms` is empty if there are fewer than `least` samples, because then there may be
/// no sample above the percentile.
struct Percentile {
  std::string_view name;
  std::int64_t least = 0;
  std::optional<double> ms;
};
[[nodiscard]] std::array<Percentile, 3> percentiles(
    std::span<const double> samples_ms);  ///< Returns p90, p95 and p99.
/// Returns a text such as "p95 needs 20 samples, p99 100" that lists the percentiles with too few samples.
/// Returns an empty string if all percentiles are available.
[[nodiscard]] std::string missing_percentiles_text(std::span<const double> samples_ms);

// Declares functions with which back ends measure the rates of their device.

/// Returns the rate from the median of samples. Each sample did the same `work`, in bytes or operations.
[[nodiscard]] DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms);
/// Calls `measure` and returns its result. If a device fault occurs, usually for lack of memory, returns a
/// rate without a value and with the reason. Lower bounds that follow from the rate are then omitted, but
/// nothing else fails. Other errors are not caught.
[[nodiscard]] DeviceRate rate_or_why(const std::function<DeviceRate()>& measure);

}  // namespace spira

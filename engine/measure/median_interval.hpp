// Computes a confidence interval of a median.
#pragma once

#include <optional>
#include <span>

namespace spira {

struct MedianInterval {
  double low = 0, high = 0;
};
/// Returns two samples that enclose the true median in at least 95 of 100 cases. The interval depends on
/// ranks only, so it holds for every distribution. Returns an empty optional for fewer than 6 samples, where
/// even the smallest and the largest enclose the median less often.
[[nodiscard]] std::optional<MedianInterval> median_interval(std::span<const double> samples);

}  // namespace spira

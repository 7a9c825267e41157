// How well a series knows its median.
#pragma once

#include <optional>
#include <span>

namespace spira {

struct MedianInterval {
  double low = 0, high = 0;
};
/// Two of the samples between which the median of what they were drawn from lies, 95 of 100 times at least,
/// by ranks alone: whatever the distribution is. Empty below 6 samples, where even smallest and largest do
/// not hold it that often.
[[nodiscard]] std::optional<MedianInterval> median_interval(std::span<const double> samples);

}  // namespace spira

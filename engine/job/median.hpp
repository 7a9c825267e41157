// Computes the median of samples for the data types of this directory. engine/measure has the full
// statistics.
#pragma once

#include <algorithm>
#include <vector>

namespace spira {

[[nodiscard]] inline double median_of(std::vector<double> samples) {  ///< Returns 0 for an empty list.
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2.0;
}

}  // namespace spira

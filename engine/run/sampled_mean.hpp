// A mean over queries, computed from all queries or from a sample of blocks.
#pragma once

namespace spira {

struct SampledMean {
  double value = 0;
  double error = 0;  ///< Half width of the 95 % interval. 0 if the mean is exact.
  bool operator==(const SampledMean&) const = default;
};

}  // namespace spira

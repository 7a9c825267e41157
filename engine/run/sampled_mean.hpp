// A mean over queries, from all of them or from a sample of blocks.
#pragma once

namespace spira {

struct SampledMean {
  double value = 0;
  double error = 0;  ///< half width of the 95 % interval; 0: exact
  bool operator==(const SampledMean&) const = default;
};

}  // namespace spira

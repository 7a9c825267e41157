// The rule that density falls with the L1 norm (section 5.4), asked of each pair of offsets.
#pragma once

#include "engine/map/densities.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Against the rule: the longer one is denser.
struct NormException {
  ColumnDensity longer, shorter;
};
struct NormRule {
  std::int64_t compared = 0;             ///< pairs of offsets with different norms, the centre not among them
  std::int64_t exceptions = 0;           ///< of them
  std::vector<NormException> strongest;  ///< largest difference first; `most` of them
};
/// Of a submanifold map, where -delta has the density of delta: of the two the one counts whose first
/// component that is not 0 is positive. O(K^6).
[[nodiscard]] NormRule check_norm_rule(const Densities& densities, std::size_t most);

}  // namespace spira

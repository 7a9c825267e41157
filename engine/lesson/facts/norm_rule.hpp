// Checks the rule that density falls with the L1 norm (section 5.4) on each pair of offsets.
#pragma once

#include "engine/map/densities.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// A pair that breaks the rule: the offset with the larger norm is denser.
struct NormException {
  ColumnDensity longer, shorter;
};
struct NormRule {
  std::int64_t compared = 0;    ///< pairs of offsets with different norms, without the centre
  std::int64_t exceptions = 0;  ///< pairs that break the rule
  /// The `most` exceptions with the largest difference, largest first.
  std::vector<NormException> strongest;
};
/// Expects the densities of a submanifold map, where -delta has the density of delta. Of the two offsets,
/// only the one whose first nonzero component is positive is compared. O(K^6).
[[nodiscard]] NormRule check_norm_rule(const Densities& densities, std::size_t most);

}  // namespace spira

// Checks the rule that density falls with the L1 norm (section 5.4) on each pair of offsets.
#pragma once

#include "engine/map/densities.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// A pair of offsets that violates the rule: the offset with the larger norm has the higher density.
struct NormException {
  ColumnDensity longer, shorter;
};
struct NormRule {
  std::int64_t compared = 0;    ///< pairs of offsets with different norms, without the centre
  std::int64_t exceptions = 0;  ///< pairs that violate the rule
  /// The exceptions with the largest differences in density, in descending order; at most `most` entries.
  std::vector<NormException> strongest;
};
/// Compares all pairs of offsets with different norms. `densities` must be the densities of a submanifold
/// map, in which -delta and delta have the same density. Only the offsets whose first nonzero component is
/// positive are compared. O(K^6).
[[nodiscard]] NormRule check_norm_rule(const Densities& densities, std::size_t most);

}  // namespace spira

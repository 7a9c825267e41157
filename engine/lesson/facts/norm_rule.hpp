// Checks, for all pairs of offsets, that the offset with the smaller L1 norm has the higher density (section
// 5.4 of the paper).
#pragma once

#include "engine/map/densities.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// A pair of offsets that violates the rule, because the offset with the larger norm has the higher density.
struct NormException {
  ColumnDensity longer, shorter;
};
struct NormRule {
  std::int64_t compared = 0;  ///< number of compared pairs: offsets with different norms, without the centre
  std::int64_t exceptions = 0;
  /// The exceptions with the largest differences in density, in descending order. There are at most `most`
  /// entries.
  std::vector<NormException> strongest;
};
/// Compares all pairs of offsets with different norms. `densities` must come from a submanifold map, in
/// which -delta and delta have the same density. Therefore only offsets whose first nonzero component is
/// positive are compared. O(K^6).
[[nodiscard]] NormRule check_norm_rule(const Densities& densities, std::size_t most);

}  // namespace spira

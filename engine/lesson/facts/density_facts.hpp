// Computes the facts of the lesson on density and L1 norm (section 5.4 of the paper), and of its control
// experiment with voxels at random positions.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Returns the names of the facts about the densities of the kernel on the level of `input`.
[[nodiscard]] std::vector<std::string> density_fact_names();
[[nodiscard]] std::vector<Fact> density_facts(const LessonInput& input, Job& job);
/// Returns the names of the facts of the control experiment: the same number of voxels at random positions
/// in the same bounding box.
[[nodiscard]] std::vector<std::string> shuffled_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_facts(const LessonInput& input, Job& job);
/// Returns the names of the facts about each stride for K = 3 and K = 5: the rank correlation of density and
/// L1 norm, and the number of pairs of offsets that violate the norm rule.
[[nodiscard]] std::vector<std::string> stride_fact_names();
[[nodiscard]] std::vector<Fact> stride_facts(const LessonInput& input, Job& job);

/// Voxels in ascending order of their packed words.
using SortedVoxels = std::vector<Voxel>;
[[nodiscard]] SortedVoxels sorted_voxels(const CoordSet& level);
/// Returns, for each offset, the number of outputs that have an input at this offset. Walks through the
/// shifted outputs and the inputs at the same time. Shape: `[columns]`.
[[nodiscard]] std::vector<std::int64_t> count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                                      const KernelOffsets& offsets, Job& job);
/// Returns the number of outputs that have an input at `offset`.
[[nodiscard]] std::int64_t count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                         Voxel offset);
[[nodiscard]] Densities densities_of(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                     const KernelOffsets& offsets, Job& job);
/// Returns Spearman's rank correlation. Equal values have the mean of their ranks. Returns 0 if one of the
/// lists contains only equal values.
[[nodiscard]] double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

// The declarations below check the norm rule: of two offsets, the offset with the smaller L1 norm has the
// higher density (section 5.4 of the paper).

/// Two offsets that violate the norm rule: `longer` has the larger L1 norm but also the higher density.
struct NormException {
  ColumnDensity longer, shorter;
};
struct NormRule {
  /// Number of compared pairs of offsets. Both offsets of a pair have different norms, and none is the
  /// centre.
  std::int64_t compared = 0;
  std::int64_t exceptions = 0;
  /// The exceptions with the largest differences in density, in descending order. Contains at most `most`
  /// entries.
  std::vector<NormException> strongest;
};
/// Compares all pairs of offsets with different norms. `densities` must come from a submanifold map. There,
/// delta and -delta have the same density, so only the offset whose first nonzero component is positive is
/// compared. O(K^6).
[[nodiscard]] NormRule check_norm_rule(const Densities& densities, std::size_t most);

}  // namespace spira

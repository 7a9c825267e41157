// Facts of the lesson on density and L1 norm (section 5.4), and what its control experiment shuffles.
#pragma once

#include "engine/lesson/facts.hpp"
#include "engine/map/densities.hpp"

namespace spira {

/// Of the level and kernel that are looked at.
[[nodiscard]] std::vector<std::string> density_fact_names();
[[nodiscard]] std::vector<Fact> density_facts(const LessonInput& input, Job& job);
/// The same number of voxels at random places of the same box: the control experiment.
[[nodiscard]] std::vector<std::string> shuffled_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_facts(const LessonInput& input, Job& job);
/// Rank correlation of density and norm on all strides, and pairs of offsets against the rule, for K = 3
/// and 5.
[[nodiscard]] std::vector<std::string> stride_fact_names();
[[nodiscard]] std::vector<Fact> stride_facts(const LessonInput& input, Job& job);

/// Voxels sorted as their words are.
using SortedVoxels = std::vector<Voxel>;
[[nodiscard]] SortedVoxels sorted_voxels(const CoordSet& level);
/// How many outputs have an input at each offset, [columns]: each shifted copy is walked beside the inputs.
[[nodiscard]] std::vector<std::int64_t> count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                                      const KernelOffsets& offsets, Job& job);
[[nodiscard]] std::int64_t count_matches(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                         Voxel offset);  ///< at one of them
[[nodiscard]] Densities densities_of(const SortedVoxels& inputs, const SortedVoxels& outputs,
                                     const KernelOffsets& offsets, Job& job);
/// Spearman's, with mean ranks for ties; 0 where one of the two does not vary.
[[nodiscard]] double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace spira

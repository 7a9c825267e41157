// Computes the facts of the lesson on native points: positions, and the neighbours that native layers find
// from them (sections 3.2 and 3.3 of the PointCNN++ paper).
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/map/neighbourhood.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// Returns the names of the facts in the "positions" group. They exist only if the scene has positions.
[[nodiscard]] std::vector<std::string> position_fact_names();
[[nodiscard]] std::vector<Fact> position_facts_of(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "neighbours" group. Except "neighbours.shape", they exist only if
/// the input has a native map.
[[nodiscard]] std::vector<std::string> neighbour_fact_names();
[[nodiscard]] std::vector<Fact> neighbour_facts_of(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "neighbour_row" group, which describe the selected voxel. Without a
/// selected voxel, only "neighbour_row.chosen" exists. The other facts need positions, and most of them need
/// a native map.
[[nodiscard]] std::vector<std::string> neighbour_row_fact_names();
[[nodiscard]] std::vector<Fact> neighbour_row_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "layer_times" group: the times of a layer with the neighbourhood
/// voxels and with the native neighbourhood. Except "layer_times.measured", they exist only if the run of the
/// input contains them.
[[nodiscard]] std::vector<std::string> layer_time_fact_names();
[[nodiscard]] std::vector<Fact> layer_time_facts(const LessonInput& input, Job& job);

/// Counts the inputs of a row without a kernel map. `neighbourhood` must be native, and the scene must have
/// the positions of this level.
[[nodiscard]] std::int64_t count_inputs(const VoxelScene& scene, int stride, std::int64_t row,
                                        const Neighbourhood& neighbourhood, int kernel_size);

}  // namespace spira

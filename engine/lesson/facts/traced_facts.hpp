// Facts about the searches of one voxel and about the selected layer.
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Returns the row of the voxel that the search diagrams follow: the selected voxel, else the voxel in the
/// middle of the array.
[[nodiscard]] std::int64_t traced_row(const LessonInput& input);
/// Returns the column of the query that the diagrams follow: the selected offset, else the offset one step
/// up. For a kernel of size 1, it is the only column.
[[nodiscard]] int traced_column(const LessonInput& input);

/// Group "traced": the searches of this voxel, step by step. "traced.one" facts are about the query of
/// traced_column() and its z-group.
[[nodiscard]] std::vector<std::string> traced_fact_names();
[[nodiscard]] std::vector<Fact> traced_facts(const LessonInput& input, Job& job);

/// Group "layer": the selected layer as it was run. "layer.chosen" is 0 if no layer is selected.
[[nodiscard]] std::vector<std::string> layer_fact_names();
[[nodiscard]] std::vector<Fact> layer_facts(const LessonInput& input, Job& job);

}  // namespace spira

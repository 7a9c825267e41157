// Facts of one voxel's searches, and of the chosen layer: what a learner points at.
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// The voxel that pictures of the search follow: the chosen one, else the one in the middle of the array.
[[nodiscard]] std::int64_t traced_row(const LessonInput& input);
/// The offset of the one query: the chosen one, else the one a step up, else (of a kernel of size 1) the only
/// one.
[[nodiscard]] int traced_column(const LessonInput& input);

/// Group "traced": the searches of that voxel, step by step; "one" is of that one query and its z-group.
[[nodiscard]] std::vector<std::string> traced_fact_names();
[[nodiscard]] std::vector<Fact> traced_facts(const LessonInput& input, Job& job);

/// Group "layer": the chosen layer, as it was run. "layer.chosen" is 0 where there is none.
[[nodiscard]] std::vector<std::string> layer_fact_names();
[[nodiscard]] std::vector<Fact> layer_facts(const LessonInput& input, Job& job);

}  // namespace spira

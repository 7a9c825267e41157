// Finds the offsets that a number of a lesson is about, from the facts in its formula.
#pragma once

#include "engine/lesson/expression.hpp"
#include "engine/lesson/lesson.hpp"

#include <optional>

namespace spira {

/// Returns "choose.l1 2" for "percent(density.l1.2)" and "choose.offset 0 1 0" for "selection.axis.y".
/// Returns an empty value if no fact is about offsets, or if the facts are about different groups of offsets.
[[nodiscard]] std::optional<LessonCommand> offsets_of(const Expression& formula);

}  // namespace spira

// Which offsets a number of a lesson is about, from the facts that its formula reads.
#pragma once

#include "engine/lesson/expression.hpp"
#include "engine/lesson/lesson.hpp"

#include <optional>

namespace spira {

/// "choose.l1 2" of "percent(density.l1.2)", "choose.offset 0 1 0" of "selection.axis.y". Empty: its facts
/// are about no offset, or about several groups of them.
[[nodiscard]] std::optional<LessonCommand> offsets_of(const Expression& formula);

}  // namespace spira

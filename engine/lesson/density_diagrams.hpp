// Diagrams of the lesson on density: every offset by its norm, and the fall with the norm on every level.
#pragma once

#include "engine/lesson/diagram.hpp"

namespace spira {

/// All K^3 offsets of the level and kernel that are looked at, by norm, the densest of a norm first;
/// densities are shares of the voxels.
[[nodiscard]] LessonColumns norm_columns(const LessonInput& input, Job& job);
/// Mean density by norm in percent, from norm 1 on: a curve a level, of the kernel that is looked at.
[[nodiscard]] LessonCurves stride_curves(const LessonInput& input, Job& job);

}  // namespace spira

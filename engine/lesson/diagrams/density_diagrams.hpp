// Diagrams of the lesson on density: the density of each offset by norm, and the density of each level by
// norm.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"

namespace spira {

/// Returns all K^3 offsets of the kernel on the level of `input`, sorted by norm and then by descending
/// density. Values are shares of the voxels.
[[nodiscard]] LessonColumns norm_columns(const LessonInput& input, Job& job);
/// Returns the mean density by norm in percent, from norm 1 on, with one curve for each level of the scene.
[[nodiscard]] LessonCurves stride_curves(const LessonInput& input, Job& job);

}  // namespace spira

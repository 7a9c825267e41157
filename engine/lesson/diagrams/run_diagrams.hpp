// Diagrams of the work of a layer and of the measurements of a run.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"

namespace spira {

/// Returns the dense slots and sparse pairs per voxel for each t, counted on the open level.
[[nodiscard]] LessonCurves work_curves(const LessonInput& input, Job& job);
/// Returns the times of the sweep of the run and, if `with_model` is true, the modelled times.
[[nodiscard]] LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job);
/// Returns the bytes of the maps held while each layer is computed.
[[nodiscard]] LessonCurves held_curves(const LessonInput& input);
/// Returns the ratio of the time in situ to the time alone for each stage. Returns an empty diagram if the
/// run was not measured in situ.
[[nodiscard]] LessonColumns ratio_columns(const LessonInput& input);
/// Returns the levels of the scene, recomputed step by step and in closed form.
[[nodiscard]] LessonLevels level_links(const LessonInput& input, Job& job);
/// Returns the isolated stages end to end, with indexing on one lane and features on the other.
[[nodiscard]] LessonLanes serial_lanes(const LessonInput& input);
/// Returns the levels in step-by-step order, and where they can begin in closed form.
[[nodiscard]] LessonLanes level_lanes(const LessonInput& input);
/// Returns levels and maps in the order of the layers, and where they can begin.
[[nodiscard]] LessonLanes map_lanes(const LessonInput& input);
/// Returns the isolated stages end to end, and below them the tracks of the timeline, on one time axis.
[[nodiscard]] LessonLanes overlap_lanes(const LessonInput& input);

}  // namespace spira

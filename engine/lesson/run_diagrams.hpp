// Diagrams of the work of a layer, and of what a run measured.
#pragma once

#include "engine/lesson/diagram.hpp"

namespace spira {

/// Slots and pairs a voxel for each t, counted on the open level.
[[nodiscard]] LessonCurves work_curves(const LessonInput& input, Job& job);
/// The times of the sweep of the run, and on request what the model makes of them.
[[nodiscard]] LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job);
/// Bytes of the maps that are held while each layer is computed.
[[nodiscard]] LessonCurves held_curves(const LessonInput& input);
/// How much longer each piece of the run took beside the others than alone; empty where nothing ran so.
[[nodiscard]] LessonColumns ratio_columns(const LessonInput& input);
/// The levels of the scene, made again in both ways.
[[nodiscard]] LessonLevels level_links(const LessonInput& input, Job& job);
/// The stages alone, end to end: indexing on one lane, features on the other.
[[nodiscard]] LessonLanes serial_lanes(const LessonInput& input);
/// The levels step by step, and where they may begin in the closed form.
[[nodiscard]] LessonLanes level_lanes(const LessonInput& input);
/// Levels and maps in the order of the layers, and where they may begin.
[[nodiscard]] LessonLanes map_lanes(const LessonInput& input);
/// The stages end to end, and below them the tracks of the timeline, on one axis of time.
[[nodiscard]] LessonLanes overlap_lanes(const LessonInput& input);

}  // namespace spira

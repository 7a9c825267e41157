// Creates the animations that lessons show in the 3D view. The open scene provides their data.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/view3d/motion/animation_scene.hpp"

#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

/// Returns the animation of this kind. Must be called in a task of the thread pool, because it is slow for
/// large scenes. If animations of this kind only run commands, the animation has no points.
[[nodiscard]] AnimationScene animation_scene(const std::string& kind, const LessonInput& input, Job& job);
/// Returns the commands that an animation runs at equal time intervals. Returns an empty list if the
/// animation runs no commands.
[[nodiscard]] std::vector<LessonCommand> commands_of_motion(const std::string& kind);

/// Returns the animation of a search. Returns an empty value if `kind` is not a search. If there is nothing
/// to show, the animation has no moments.
[[nodiscard]] std::optional<AnimationScene> search_animation(const std::string& kind,
                                                             const LessonInput& input, Job& job);

/// Returns the animation "centres" or "cells", which explain positions and native layers. Returns an empty
/// value if `kind` is another animation.
[[nodiscard]] std::optional<AnimationScene> native_animation(const std::string& kind,
                                                             const LessonInput& input);

}  // namespace spira::ui

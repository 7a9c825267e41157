// Creates the animations of lessons in the 3D view from the open scene.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/view3d/motion/animation_scene.hpp"

#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

/// Slow for large scenes: call it on a worker thread. The picture has no points for kinds that only run
/// commands.
[[nodiscard]] AnimationScene animation_scene(const std::string& kind, const LessonInput& input, Job& job);
/// Returns the commands that an animation runs at equal intervals. Empty if it has none.
[[nodiscard]] std::vector<LessonCommand> commands_of_motion(const std::string& kind);

/// Returns nothing for kinds that are not searches. The picture has no moments if there is nothing to show.
[[nodiscard]] std::optional<AnimationScene> search_animation(const std::string& kind,
                                                             const LessonInput& input, Job& job);

}  // namespace spira::ui

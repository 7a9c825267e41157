// The pictures that lessons move, made from the open scene.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/view3d/motion_picture.hpp"

#include <string>
#include <vector>

namespace spira::ui {

/// Long for large scenes; on a worker. Without points for kinds that only go through commands.
[[nodiscard]] MotionPicture motion_picture(const std::string& kind, const LessonInput& input, Job& job);
/// Commands that a motion goes through, in equal parts of its time; empty: none.
[[nodiscard]] std::vector<LessonCommand> commands_of_motion(const std::string& kind);

}  // namespace spira::ui

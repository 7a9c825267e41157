// Creates the animations of the lesson on search: marked cells and the words that are read, over time.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "ui/view3d/motion/motion_picture.hpp"

#include <optional>
#include <string>

namespace spira::ui {

/// Returns nothing for kinds that are not searches. The picture has no moments if there is nothing to show.
[[nodiscard]] std::optional<MotionPicture> search_picture(const std::string& kind, const LessonInput& input,
                                                          Job& job);

}  // namespace spira::ui

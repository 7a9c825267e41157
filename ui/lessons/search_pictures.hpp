// The motions of the lesson on search as pictures: which cells are marked when, and which words are read.
#pragma once

#include "engine/lesson/facts.hpp"
#include "ui/view3d/motion_picture.hpp"

#include <optional>
#include <string>

namespace spira::ui {

/// Empty for kinds that are no search. Without moments where there is nothing to show.
[[nodiscard]] std::optional<MotionPicture> search_picture(const std::string& kind, const LessonInput& input,
                                                          Job& job);

}  // namespace spira::ui

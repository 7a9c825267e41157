// Numbers on the screen, as the user's language writes them. Files, captions of pictures and what is copied
// with all digits keep the dot: they are read by programs, and by people elsewhere.
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <string_view>

namespace spira::ui {

/// Of a text of engine/base/text.hpp ("124,668", "0.412 ms"): commas between digits become the separator of
/// groups of the default QLocale, dots between digits its decimal point.
[[nodiscard]] QString onScreen(std::string_view number);
/// QString::number() of the default QLocale, without groups.
[[nodiscard]] QString onScreen(double value, char format, int precision);
/// "1 voxel", else `more` with the count at its %1: "124,668 voxels".
[[nodiscard]] QString counted(std::int64_t count, const QString& one, const QString& more);
/// Of a voxel: one length of a cube, else "0.05, 0.05, 0.1".
[[nodiscard]] QString gridOnScreen(const std::array<double, 3>& voxel_m);

}  // namespace spira::ui

// Formats numbers on the screen for the user's locale. Numbers in files, in captions of pictures and in
// values that are copied with all digits have a decimal point in every locale, because programs and users
// with other locales read them.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <QString>

#include <array>
#include <cstdint>
#include <string_view>

namespace spira::ui {

/// Converts a number that engine/base/text.hpp formatted ("124,668", "0.412 ms") to the default QLocale.
/// Commas between digits become the group separator of the locale, and dots between digits its decimal point.
[[nodiscard]] QString onScreen(std::string_view number);
/// Formats a number like QString::number(), but in the default QLocale and without group separators.
[[nodiscard]] QString onScreen(double value, char format, int precision);
/// Returns the text for a label that wraps, such that no line ends between a number and its unit, inside
/// "t = 2", or inside "|dx|".
[[nodiscard]] QString keepUnits(QString text);
/// Returns a share as a whole percentage, such as "7 %". A share above 0 that would be rounded to 0 is "<1
/// %".
[[nodiscard]] QString shareOnScreen(double share);
/// Returns `one` ("1 voxel") if `count` is 1. Otherwise returns `more` with %1 replaced by the count
/// ("124,668 voxels").
[[nodiscard]] QString counted(std::int64_t count, const QString& one, const QString& more);
/// Returns the size of a voxel as text: one length for a cube, otherwise three lengths such as "0.05, 0.05,
/// 0.1".
[[nodiscard]] QString gridOnScreen(const std::array<double, 3>& voxel_m);
/// Returns a length with its unit, such as "0.05 m" or "1 cell". `number` is already formatted for the
/// screen.
[[nodiscard]] QString withUnit(const QString& number, LengthUnit unit);
[[nodiscard]] QString unitOnScreen(
    LengthUnit unit);  ///< Returns the unit of a column or axis: "m" or "cells".
/// Returns a number of voxels with their size, such as "2,048 voxels of 0.05 m". See voxels_text().
[[nodiscard]] QString voxelsOnScreen(std::int64_t voxels, const std::array<double, 3>& voxel_m,
                                     LengthUnit unit);

}  // namespace spira::ui

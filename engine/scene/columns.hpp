// Assigns attributes such as "intensity" to the columns of a point file, by the column names or, if the file
// has none, by the values.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The attribute of a point that a column holds. `packed_rgb` is 0xRRGGBB as one whole number. `harmonic_*`
/// are the zeroth spherical harmonics of a Gaussian splat, whose colour is 0.5 + 0.28209479 times the value.
enum class Attribute : std::uint8_t {
  none,
  x,
  y,
  z,
  intensity,
  red,
  green,
  blue,
  packed_rgb,
  harmonic_red,
  harmonic_green,
  harmonic_blue,
  label,
  normal_x,
  normal_y,
  normal_z,
};
constexpr std::size_t attribute_count = 16;

/// Returns a text such as "intensity" or "normal x".
[[nodiscard]] std::string_view text_of(Attribute attribute) noexcept;

struct Column {
  std::string name;  ///< as in the file; empty if the file names no columns
  Attribute attribute = Attribute::none;
  /// True if the file stores whole numbers, so that 1 of 255 is not the full range of a colour.
  bool integral = false;
};

/// Returns the attribute that a column of this name usually holds, in any letter case: "Scalar_Intensity", "X
/// (m)", "diffuse_red". Returns `none` for other names. This is the only table of such names.
[[nodiscard]] Attribute attribute_of(std::string_view column_name);

/// Sets the attribute of each column by its name. If several columns have names of the same attribute, the
/// column with the most common name gets the attribute, and the others become `none`. Three harmonics count
/// only if red, green or blue is missing. A packed colour counts only if the file has no separate colours.
/// An attribute of three parts is set for all three parts or for none.
void assign_by_name(std::vector<Column>& columns);

/// Returns the index of the column that holds `attribute`, or -1 if no column does.
[[nodiscard]] int index_of(std::span<const Column> columns, Attribute attribute) noexcept;
[[nodiscard]] bool has_positions(std::span<const Column> columns) noexcept;  ///< true for x, y and z

/// Assigns attributes to columns without names: the first three columns are x, y and z, and the attributes
/// of the other columns are guessed from their values. Columns with unclear values become `none`. Calls
/// `value(row, column)` for a sample of the rows. `integral` must be true if the file stores whole numbers.
[[nodiscard]] std::vector<Column> columns_by_value(
    std::int64_t rows, std::size_t columns, bool integral,
    const std::function<double(std::int64_t row, std::size_t column)>& value);

/// Returns a note about the attributes that columns_by_value() guessed, such as "columns 4 to 6 have no
/// names; their values look like r, g, b". Returns an empty string if it guessed at most one attribute.
[[nodiscard]] std::string note_on_guessed(std::span<const Column> columns);

}  // namespace spira

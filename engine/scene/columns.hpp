// Assigns attributes such as "intensity" to the columns of a point file: by their names if the file has
// names, otherwise by their values.
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

/// The attribute that a column of a point file contains. `packed_rgb` is a colour stored as one integer,
/// 0xRRGGBB. `harmonic_red`, `harmonic_green` and `harmonic_blue` are the zeroth spherical harmonics of a
/// Gaussian splat; a colour value is 0.5 + 0.28209479 times the harmonic.
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

[[nodiscard]] std::string_view text_of(Attribute attribute) noexcept;

struct Column {
  std::string name;  ///< The name in the file. Empty if the file has no column names.
  Attribute attribute = Attribute::none;
  /// True if the file stores the values as integers. The colour value 1 then means 1 of 255 instead of full
  /// intensity.
  bool integral = false;
};

/// Returns the attribute that a column with this name usually contains, or `none` if the name is not known.
/// Ignores upper and lower case, and accepts names such as "Scalar_Intensity", "X (m)" and "diffuse_red". All
/// readers use this function.
[[nodiscard]] Attribute attribute_of(std::string_view column_name);

/// Sets the attribute of each column by its name. Each attribute is given to at most one column: if several
/// names fit, the most common name wins and the other columns become `none`. Spherical harmonics are used
/// only if red, green or blue is missing. A packed colour is used only if the file has no separate colours.
/// Colours and normals have three parts; either all three are set or none.
void assign_by_name(std::vector<Column>& columns);

/// Returns the index of the column with this attribute, or -1 if there is none.
[[nodiscard]] int index_of(std::span<const Column> columns, Attribute attribute) noexcept;
/// True if the columns x, y and z exist.
[[nodiscard]] bool has_positions(std::span<const Column> columns) noexcept;

/// Assigns attributes to columns without names. The first three columns become x, y and z. The attributes of
/// the other columns are guessed from their values. `value(row, column)` must return a value; it is called
/// for a sample of the rows. Columns whose meaning is not clear become `none`. `integral` must be true if the
/// file stores integers.
[[nodiscard]] std::vector<Column> columns_by_value(
    std::int64_t rows, std::size_t columns, bool integral,
    const std::function<double(std::int64_t row, std::size_t column)>& value);

/// Returns a note that lists the attributes that columns_by_value() guessed, such as "columns 4 to 6 have no
/// names; their values look like r, g, b". Returns an empty string if at most one attribute was guessed.
[[nodiscard]] std::string note_on_guessed(std::span<const Column> columns);

}  // namespace spira

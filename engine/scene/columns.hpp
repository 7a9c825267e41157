// Assigns attributes such as "intensity" to the columns of a point file. Uses the column names, or the values
// if the file has no names.
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

/// The attribute of a point that a column contains. `packed_rgb` is 0xRRGGBB as one integer. `harmonic_*` are
/// the zeroth spherical harmonics of a Gaussian splat: the colour is 0.5 + 0.28209479 times the value.
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
  std::string name;  ///< As in the file. Empty if the file has no names.
  Attribute attribute = Attribute::none;
  /// True if the file stores integers. A colour value of 1 then means 1 of 255, not full intensity.
  bool integral = false;
};

/// Returns the attribute that a column of this name usually contains. Not case-sensitive. Accepts names such
/// as "Scalar_Intensity", "X (m)" and "diffuse_red". Returns `none` for unknown names. The program has no
/// other table of column names.
[[nodiscard]] Attribute attribute_of(std::string_view column_name);

/// Sets the attribute of each column by its name. If several columns have names of the same attribute, the
/// column with the most common name gets the attribute, and the others become `none`. Harmonics are used only
/// if red, green or blue is missing. A packed colour is used only if the file has no separate colours. An
/// attribute of three parts is set for all three parts or for none.
void assign_by_name(std::vector<Column>& columns);

/// Returns the index of the column with this attribute, or -1 if there is none.
[[nodiscard]] int index_of(std::span<const Column> columns, Attribute attribute) noexcept;
[[nodiscard]] bool has_positions(std::span<const Column> columns) noexcept;  ///< True if x, y and z exist.

/// Assigns attributes to columns without names. The first three columns are x, y and z. The attributes of the
/// other columns are guessed from their values, which `value(row, column)` returns for a sample of the rows.
/// Columns with unclear values become `none`. `integral` must be true if the file stores integers.
[[nodiscard]] std::vector<Column> columns_by_value(
    std::int64_t rows, std::size_t columns, bool integral,
    const std::function<double(std::int64_t row, std::size_t column)>& value);

/// Returns a note about the attributes that columns_by_value() guessed, such as "columns 4 to 6 have no
/// names; their values look like r, g, b". Returns an empty string if it guessed at most one attribute.
[[nodiscard]] std::string note_on_guessed(std::span<const Column> columns);

}  // namespace spira

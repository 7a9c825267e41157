// Finds the columns of a text file from its first lines and a sample of the other lines.
#pragma once

#include "engine/scene/columns.hpp"
#include "engine/scene/text/lines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct TextLayout {
  Separator separator = Separator::blanks;
  std::vector<Column> columns;
  bool named = false;       ///< True if the file contains column names.
  std::string_view header;  ///< The line with the column names. Empty if there is none.
  /// The number of points, if a line before the first row contains it.
  std::optional<std::int64_t> point_count;
  std::size_t begin = 0;         ///< Offset of the first row in bytes.
  std::size_t lines_before = 0;  ///< Number of lines before the first row.
  std::vector<std::string> notes;
};

/// Finds the layout of a text file. Throws `Error(input)` if it contains no rows of points, or if the columns
/// x, y and z or the number format are not clear. `text` must not begin with a byte order mark.
[[nodiscard]] TextLayout text_layout_of(std::string_view text, std::string_view file_name);

// The functions below read the column names of a text file from a line of names, or from a comment.

/// Returns the columns that a line names, if x, y and z are among them. Tries the separator of the rows
/// first. Another separator is accepted only if the number of names is equal to the number of values in a
/// row.
[[nodiscard]] std::optional<std::vector<Column>> columns_named_by(std::string_view line, Separator separator,
                                                                  std::size_t values_per_row);

/// Returns the columns that a comment names, such as "# x y z intensity", "//X,Y,Z" or "# Columns: x y z".
/// Ignores words before the names. Returns an empty value if the comment does not name x, y and z, or if it
/// is a sentence.
[[nodiscard]] std::optional<std::vector<Column>> columns_of_comment(std::string_view comment);

/// Returns true if a column with this name often comes before x: "id", "time", "Point ID", "gps_time".
[[nodiscard]] bool is_name_of_row(std::string_view name);

/// Returns true if the cells are units of length, such as "m" and "[mm]".
[[nodiscard]] bool are_units(const std::vector<std::string_view>& cells);

/// Returns true if the cells are 0, 1, 2, ... Programs write this line if a data frame has no column names.
[[nodiscard]] bool are_column_numbers(const std::vector<std::string_view>& cells);

}  // namespace spira

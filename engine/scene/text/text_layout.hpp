// Finds the columns of a text file from its first lines and from a sample of the other lines.
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
  bool named = false;       ///< True if the file names its columns.
  std::string_view header;  ///< Line of the column names. Empty if there is none.
  /// Number of points, if a line before the first row contains it.
  std::optional<std::int64_t> point_count;
  std::size_t begin = 0;         ///< Offset of the first row in bytes.
  std::size_t lines_before = 0;  ///< Number of lines before the first row.
  std::vector<std::string> notes;
};

/// Returns the layout of a text file. Throws `Error(input)` if the text has no rows of points, or if the
/// columns x, y and z or the format of the numbers are not clear. `text` must not have a byte order mark.
[[nodiscard]] TextLayout text_layout_of(std::string_view text, std::string_view file_name);

// Reads the column names of a text file from a line of names, or from a comment.

/// Returns the columns of a line of names if the line names x, y and z. Prefers the separator of the rows.
/// Another separator is accepted only if the number of names equals the number of values in a row.
[[nodiscard]] std::optional<std::vector<Column>> columns_named_by(std::string_view line, Separator separator,
                                                                  std::size_t values_per_row);

/// Returns the columns that a comment names, such as "# x y z intensity", "//X,Y,Z" or "# Columns: x y z".
/// Words before the names are omitted. Returns an empty value if the comment does not name x, y and z, or is
/// a sentence that mentions them.
[[nodiscard]] std::optional<std::vector<Column>> columns_of_comment(std::string_view comment);

/// Returns true if a column with this name may be before x: "id", "time", "frame", "Point ID", "gps_time".
[[nodiscard]] bool is_name_of_row(std::string_view name);

/// Returns true if the cells are units of length, such as "m" and "[mm]".
[[nodiscard]] bool are_units(const std::vector<std::string_view>& cells);

/// Returns true if the cells are 0, 1, 2, ... A data frame without column names is saved with these numbers
/// as its first line.
[[nodiscard]] bool are_column_numbers(const std::vector<std::string_view>& cells);

}  // namespace spira

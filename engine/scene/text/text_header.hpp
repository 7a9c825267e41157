// Reads the column names of a text file from a line of names, or from a comment.
#pragma once

#include "engine/scene/columns.hpp"
#include "engine/scene/text/text_cells.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace spira {

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

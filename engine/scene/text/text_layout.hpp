// Finds the columns of a text file from its first lines and from a sample of the other lines.
#pragma once

#include "engine/scene/columns.hpp"
#include "engine/scene/text/text_cells.hpp"

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

}  // namespace spira

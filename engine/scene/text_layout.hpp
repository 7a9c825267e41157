// What the columns of a text file are, found from its first lines and from samples of the others.
#pragma once

#include "engine/scene/columns.hpp"
#include "engine/scene/text_cells.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct TextLayout {
  Separator separator = Separator::blanks;
  std::vector<Column> columns;
  bool named = false;                       ///< The file names its columns.
  std::string_view header;                  ///< the line of column names; empty if there is none
  std::optional<std::int64_t> point_count;  ///< the number of points that a line before the first row states
  std::size_t begin = 0;                    ///< offset of the first row
  std::size_t lines_before = 0;             ///< number of lines before the first row
  std::vector<std::string> notes;
};

/// Throws Error(input) if the text has no rows of points, or if it is doubtful which columns x, y and z are
/// or how numbers are written. `text` has no byte order mark.
[[nodiscard]] TextLayout text_layout_of(std::string_view text, std::string_view file_name);

}  // namespace spira

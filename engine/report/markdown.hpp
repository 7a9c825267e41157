// Tables in Markdown (GitHub's).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Text of a file on one line of Markdown: signs that would be markup are escaped, line breaks are blanks.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// First row: the headings. Columns whose cells all begin as numbers do are set flush right.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace spira

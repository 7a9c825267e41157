// Formats tables in GitHub Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns text of a file as one line of Markdown. Escapes markup characters and replaces line breaks with
/// spaces.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// Returns a table. The first row contains the headings. A column is right-aligned if each cell below the
/// heading begins with a digit, is "-" or is empty.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace spira

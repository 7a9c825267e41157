// Plain text tables and CSV for stdout.
#pragma once

#include <string>
#include <vector>

namespace spira::app {

/// First row: the headings. Columns whose cells are numbers are set flush right.
[[nodiscard]] std::string table_text(std::vector<std::vector<std::string>> rows);
/// RFC 4180.
[[nodiscard]] std::string csv_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace spira::app

// Plain text tables and CSV for stdout.
#pragma once

#include <string>
#include <vector>

namespace spira::app {

/// The first row contains the headings. Columns of numbers are right-aligned.
[[nodiscard]] std::string table_text(std::vector<std::vector<std::string>> rows);
/// Follows RFC 4180.
[[nodiscard]] std::string csv_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace spira::app

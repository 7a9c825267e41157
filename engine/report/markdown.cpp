#include "engine/report/report_exports.hpp"

#include <algorithm>

namespace spira {
namespace {

bool is_number_column(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    const std::string& cell = row.at(column);
    return cell.empty() || cell == "-" || (cell.front() >= '0' && cell.front() <= '9');
  });
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells)
    line += " " + markdown_text(cell) + " |";
  return line + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view markup = "\\`*_[]<>|#";
  std::string out;
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') {
      out += ' ';
      continue;
    }
    if (markup.find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string text = line_of(rows.front()) + "|";
  for (std::size_t column = 0; column < rows.front().size(); ++column)
    text += is_number_column(rows, column) ? " ---: |" : " --- |";
  text += "\n";
  for (std::size_t at = 1; at < rows.size(); ++at)
    text += line_of(rows[at]);
  return text;
}

}  // namespace spira

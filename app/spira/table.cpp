#include "app/spira/table.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/sweep.hpp"

#include <algorithm>
#include <cctype>

namespace spira::app {
namespace {

bool starts_like_a_number(const std::string& cell) {
  const std::size_t at = !cell.empty() && cell.front() == '-' ? 1 : 0;
  return at < cell.size() && std::isdigit(static_cast<unsigned char>(cell[at])) != 0;
}

}  // namespace

std::string table_text(std::vector<std::vector<std::string>> rows) {
  if (rows.empty()) return {};
  for (auto& row : rows) {
    for (auto& cell : row)
      cell = printable(cell);
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::vector<bool> right(widths.size(), true);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  }
  for (std::size_t at = 1; at < rows.size(); ++at) {
    for (std::size_t c = 0; c < rows[at].size(); ++c)
      right[c] = right[c] && (rows[at][c].empty() || rows[at][c] == "-" || starts_like_a_number(rows[at][c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? pad + row[c] : row[c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows)
    text += csv_line(row);
  return text;
}

namespace {

/// Returns the median time of a phase, summed over all layers. If `step` is not empty, returns the time of
/// this step of the phase.
double phase_ms(const StageTree& stages, std::string_view phase, std::string_view step = "") {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageKey key = stages.key(node);
    if (key.phase == phase && key.step == step) sum += stages.median_ms(node);
  }
  return sum;
}

}  // namespace

std::string sweep_text(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows{{"setting", "median ms", "IQR ms", "min ms", "n", ""}};
  // Dataflows divide the time differently between the map, its row orders and the features.
  const std::vector<std::string> more{sweep.layer < 0 ? "layers" : "slots / pair", "map ms", "order ms",
                                      "features ms"};
  if (sweep.of_dataflows) rows[0].insert(rows[0].begin() + 1, more.begin(), more.end());
  for (const SweepRow& row : sweep.rows) {
    const Statistics s = row.wall.stats();
    if (!row.why_not.empty()) {
      rows.push_back({row.label, "", "", "", "", row.why_not});
    } else {
      rows.push_back({row.label, fixed(s.median, 3), fixed(s.iqr(), 3), fixed(s.min, 3), std::to_string(s.n),
                      row.standing});
    }
    if (!sweep.of_dataflows) continue;
    const bool measured = row.why_not.empty();
    const std::string first = row.slots_per_pair ? fixed(*row.slots_per_pair, 2)
                              : row.layers       ? std::to_string(*row.layers)
                                                 : "";
    const auto text = [&](double ms) { return measured ? fixed(ms, 3) : std::string(); };
    const double order_ms = phase_ms(row.stages, "features", "order");
    const std::vector<std::string> values{first, text(phase_ms(row.stages, "map")), text(order_ms),
                                          text(phase_ms(row.stages, "features") - order_ms)};
    rows.back().insert(rows.back().begin() + 1, values.begin(), values.end());
  }
  return printable(sweep.subject) + "\n" + table_text(rows);
}

}  // namespace spira::app

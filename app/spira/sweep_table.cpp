#include "app/spira/sweep_table.hpp"

#include "app/spira/table.hpp"
#include "engine/base/text.hpp"

namespace spira::app {

std::string sweep_text(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows{{"setting", "median ms", "IQR ms", "min ms", "n", ""}};
  for (const SweepRow& row : sweep.rows) {
    const Statistics s = row.wall.stats();
    if (!row.why_not.empty()) {
      rows.push_back({row.label, "", "", "", "", row.why_not});
    } else {
      rows.push_back({row.label, fixed(s.median, 3), fixed(s.iqr(), 3), fixed(s.min, 3), std::to_string(s.n),
                      row.standing});
    }
  }
  return printable(sweep.subject) + "\n" + table_text(rows);
}

}  // namespace spira::app

#include "engine/base/text.hpp"
#include "engine/report/compare/compare.hpp"

namespace spira {
namespace {

std::string side_cells(const Statistics& s) {
  std::string text = "," + std::to_string(s.n);
  for (const double value : {s.median, s.q1, s.q3})
    text += "," + fixed(value, 6);
  return text;
}

}  // namespace

std::string compare_csv(const Comparison& comparison) {
  std::string text =
      "layer,stage,mode,baseline_n,baseline_median_ms,baseline_q1_ms,baseline_q3_ms,current_n,current_median_"
      "ms,"
      "current_q1_ms,current_q3_ms,ratio,ratio_low,ratio_high,verdict,why\r\n";
  for (const ComparedRow& row : comparison.rows) {
    text += csv_cell(row.layer) + "," + csv_cell(row.stage.text()) + "," + std::string(text_of(row.pass)) +
            side_cells(row.baseline_ms) + side_cells(row.current_ms) + ",";
    text += row.ratio ? fixed(row.ratio->ratio(), 6) + "," + fixed(row.ratio->low, 6) + "," +
                            fixed(row.ratio->high, 6)
                      : ",,";
    text += "," + std::string(row.verdict ? text_of(*row.verdict) : "not comparable") + "," +
            csv_cell(row.why) + "\r\n";
  }
  return text;
}

}  // namespace spira

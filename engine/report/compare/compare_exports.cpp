#include "engine/base/text.hpp"
#include "engine/report/compare/compare.hpp"
#include "engine/report/report_exports.hpp"

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

namespace {

std::string counts_text(const Comparison& comparison) {
  std::string text = count_text(std::ssize(comparison.rows)) + " rows:";
  const auto add = [&](std::optional<Verdict> verdict, const std::string& name) {
    if (const auto count = comparison.count(verdict); count > 0)
      text += (text.back() == ':' ? " " : ", ") + count_text(count) + " " + name;
  };
  add(Verdict::faster, "faster");
  add(Verdict::slower, "slower");
  add(Verdict::same, "same");
  add(Verdict::undecided, "undecided");
  add(std::nullopt, "not comparable");
  return text;
}

std::string facts_text(const ReportFacts& facts) {
  return facts.file + ", " + facts.created + ", version " + facts.tool_version + "; " + facts.network + " " +
         facts.precision + " on " + facts.scene + "; " + facts.device +
         (facts.driver.empty() ? "" : ", driver " + facts.driver) + "; trust " + letter_of(facts.trust);
}

}  // namespace

std::vector<std::vector<std::string>> compare_cells(const Comparison& comparison) {
  std::vector<std::vector<std::string>> cells{
      {"row", "mode", "baseline ms", "current ms", "ratio", "95 % interval", "n", "verdict", "why"}};
  for (const ComparedRow& row : comparison.rows) {
    const auto& ratio = row.ratio;
    cells.push_back({row.name(), std::string(text_of(row.pass)), fixed(row.baseline_ms.median, 4),
                     fixed(row.current_ms.median, 4), ratio ? fixed(ratio->ratio(), 4) : "",
                     ratio ? fixed(ratio->low, 4) + " .. " + fixed(ratio->high, 4) : "",
                     std::to_string(row.baseline_ms.n) + ", " + std::to_string(row.current_ms.n),
                     std::string(verdict_text(row)), row.verdict ? row.why : ""});
  }
  return cells;
}

std::vector<std::string> compare_notes(const Comparison& comparison) {
  std::vector<std::string> notes{"baseline: " + facts_text(comparison.baseline),
                                 "current: " + facts_text(comparison.current)};
  if (comparison.devices_ignored) notes.emplace_back("device differences are ignored, as you requested");
  for (const auto& line : comparison.differences)
    notes.push_back("not comparable: " + line);
  for (const auto& line : comparison.warnings)
    notes.push_back("warning: " + line);
  for (const UnmatchedRow& row : comparison.unmatched)
    notes.push_back("not matched: " + (row.layer.empty() ? "" : row.layer + ": ") + row.stage + ": " +
                    row.why);
  notes.push_back(counts_text(comparison));
  if (comparison.expected_false_alarms > 0)
    notes.push_back(
        "Each row is tested with a 95 % interval. Even if nothing changed, about " +
        fixed(comparison.expected_false_alarms, 1) +
        " of these rows differ by chance. With few samples, or if the speed of the device "
        "changed between the runs, more rows differ. Rely on the rows of the whole network first.");
  return notes;
}

std::string compare_markdown(const Comparison& comparison) {
  std::string text = "# Comparison of two reports\n\n";
  for (const auto& note : compare_notes(comparison))
    text += "- " + markdown_text(note) + "\n";
  return text + "\n" + markdown_table(compare_cells(comparison));
}

}  // namespace spira

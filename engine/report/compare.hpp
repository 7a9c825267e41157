// Two reports row by row: which times changed, which did not, and which cannot be told.
#pragma once

#include "engine/measure/statistics.hpp"
#include "engine/report/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// How a row was timed (docs/measuring.md): passes are never compared with each other.
enum class Pass : std::uint8_t { wall, graph, stages };
[[nodiscard]] std::string_view text_of(Pass pass) noexcept;  ///< "wall", "one graph", "stages"

/// Rows are matched by layer, stage, pass and precision.
struct ComparedRow {
  std::string layer;  ///< empty: of the whole network
  std::string stage;  ///< path in the stage tree, "map[conv1].search"; empty: all of it
  Pass pass = Pass::stages;
  Statistics baseline_ms, current_ms;
  std::optional<MedianRatio> ratio;        ///< empty: a side has too few samples or no length
  std::optional<Verdict> verdict;          ///< empty: not comparable
  std::string why;                         ///< it is undecided or not comparable; else empty
  [[nodiscard]] std::string name() const;  ///< "whole network, wall", "conv1: map[conv1].search"
};
/// What a row was made from, of one side; empty: that side does not have it.
[[nodiscard]] std::vector<double> samples_of(const Measurement& measurement, const ComparedRow& row);
/// "FASTER", "SLOWER", "SAME", "UNDECIDED", "NOT COMPARABLE".
[[nodiscard]] std::string_view verdict_text(const ComparedRow& row) noexcept;

struct UnmatchedRow {
  std::string layer, stage, why;
};

/// What a report says of itself, for headings.
struct ReportFacts {
  std::string file, created, tool_version, device, driver, scene, network, precision;
  TrustGrade trust = TrustGrade::a;
};
/// Why times of this report are nothing to compare with: its trust where the grade is X; empty: they are.
[[nodiscard]] std::string why_no_baseline(const Report& report);

struct Comparison {
  ReportFacts baseline, current;
  bool devices_ignored = false;  ///< asked for: other devices do not make rows incomparable
  bool same_run = false;  ///< Both reports are copies of one run; rows with equal samples are the same.
  std::vector<std::string> differences;  ///< that make rows not comparable
  std::vector<std::string> warnings;     ///< driver, clocks, plans and the like
  std::vector<ComparedRow> rows;         ///< the whole network first, then indexing, then layers in order
  std::vector<UnmatchedRow> unmatched;
  /// Of the rows that were tested, so many exclude 1 by chance where nothing changed: 5 % of them.
  double expected_false_alarms = 0;
  [[nodiscard]] std::int64_t count(std::optional<Verdict> verdict) const noexcept;
};
/// `ignore_devices`: rows of other devices are compared, and the result says so. Times of different clocks
/// are not compared even then.
[[nodiscard]] Comparison compare(const Report& baseline, const Report& current, bool ignore_devices = false);

/// Whether the whole network (wall and one graph) became slower by more than `share`: 0.02 is 2 %. It passes
/// where the whole interval lies below that, and never with times of trust X.
enum class Gate : std::uint8_t { passed, slower, undecided };
[[nodiscard]] Gate gate(const Comparison& comparison, double share);

/// The rows as a table, headings first: row, mode, medians in ms, ratio, interval, n, verdict, why.
[[nodiscard]] std::vector<std::vector<std::string>> compare_cells(const Comparison& comparison);
/// What is to be known beside the table, a sentence each: differences, warnings, counts, false alarms.
[[nodiscard]] std::vector<std::string> compare_notes(const Comparison& comparison);
/// Document of schema "spira.compare" (docs/file-formats.md).
[[nodiscard]] std::string compare_json(const Comparison& comparison);
/// One tidy table, RFC 4180, a row a compared row; `verdict` as in the JSON.
[[nodiscard]] std::string compare_csv(const Comparison& comparison);
[[nodiscard]] std::string compare_markdown(const Comparison& comparison);

}  // namespace spira

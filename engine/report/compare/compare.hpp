// Compares the times of two reports row by row, and gives a verdict for each row.
#pragma once

#include "engine/measure/statistics.hpp"
#include "engine/report/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// How a row was timed (docs/measuring.md). Rows of different passes are never compared with each other.
enum class Pass : std::uint8_t { wall, graph, stages };
/// Returns "wall", "one graph" or "stages".
[[nodiscard]] std::string_view text_of(Pass pass) noexcept;

/// Rows are matched by layer, stage, pass and precision.
struct ComparedRow {
  std::string layer;  ///< Empty for the whole network.
  StageKey stage;     ///< Empty for the whole network.
  Pass pass = Pass::stages;
  Statistics baseline_ms, current_ms;
  std::optional<MedianRatio> ratio;  ///< Empty if a side has too few samples, or the baseline a median of 0.
  std::optional<Verdict> verdict;    ///< Empty if the row is not comparable.
  std::string why;                   ///< Reason if the row is undecided or not comparable. Otherwise empty.
  /// Examples: "whole network, wall", "conv1: map[conv1].search".
  [[nodiscard]] std::string name() const;
};
/// Returns the samples of one report that a row compares. Returns an empty list if the report does not have
/// this row.
[[nodiscard]] std::vector<double> samples_of(const Measurement& measurement, const ComparedRow& row);
/// Returns "FASTER", "SLOWER", "SAME", "UNDECIDED" or "NOT COMPARABLE".
[[nodiscard]] std::string_view verdict_text(const ComparedRow& row) noexcept;

struct UnmatchedRow {
  std::string layer, stage, why;
};

/// Facts about a report, for headings.
struct ReportFacts {
  std::string file, created, tool_version, device, driver, scene, network, precision;
  TrustGrade trust = TrustGrade::a;
};
/// Returns the reason why a report cannot be a baseline, which is a trust grade of X. Returns an empty string
/// if the report can be a baseline.
[[nodiscard]] std::string why_no_baseline(const Report& report);

struct Comparison {
  ReportFacts baseline, current;
  /// True if the user asked to ignore devices. Rows of different devices are then comparable.
  bool devices_ignored = false;
  /// True if both reports are copies of one run. Rows with equal samples then have the verdict `same`.
  bool same_run = false;
  std::vector<std::string> differences;  ///< Differences because of which rows are not comparable.
  std::vector<std::string> warnings;     ///< Differences of driver, clocks, plans and similar facts, which do
                                         ///< not prevent the comparison.
  /// The whole network first, then indexing, then the layers in order.
  std::vector<ComparedRow> rows;
  std::vector<UnmatchedRow> unmatched;
  /// Expected number of tested rows whose interval excludes 1 by chance if nothing changed: 5 % of the tested
  /// rows.
  double expected_false_alarms = 0;
  [[nodiscard]] std::int64_t count(std::optional<Verdict> verdict) const noexcept;
};
/// Compares two reports. If `ignore_devices` is true, rows of different devices are compared too, and the
/// result contains a warning. Times of different clocks are never compared.
[[nodiscard]] Comparison compare(const Report& baseline, const Report& current, bool ignore_devices = false);

/// Tests whether the whole network (wall and one graph) became slower by more than `share`: 0.02 is 2 %. The
/// result is `passed` if the whole interval lies below this limit. Times with trust grade X never pass.
enum class Gate : std::uint8_t { passed, slower, undecided };
[[nodiscard]] Gate gate(const Comparison& comparison, double share);

/// Returns the rows as a table, headings first: row, mode, medians in ms, ratio, interval, n, verdict, why.
[[nodiscard]] std::vector<std::vector<std::string>> compare_cells(const Comparison& comparison);
/// Returns notes for the table, one sentence each: differences, warnings, counts, false alarms.
[[nodiscard]] std::vector<std::string> compare_notes(const Comparison& comparison);
/// Returns a document of schema "spira.compare" (docs/file-formats.md).
[[nodiscard]] std::string compare_json(const Comparison& comparison);
/// Returns one tidy table (RFC 4180) with one line per compared row. `verdict` is the same text as in the
/// JSON.
[[nodiscard]] std::string compare_csv(const Comparison& comparison);
[[nodiscard]] std::string compare_markdown(const Comparison& comparison);

}  // namespace spira

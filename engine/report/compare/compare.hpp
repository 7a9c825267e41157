// Compares the times of two reports row by row. Each row has a verdict.
#pragma once

#include "engine/measure/statistics.hpp"
#include "engine/report/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The pass of a measurement that timed a row (docs/measuring.md). Only rows of the same pass are compared.
enum class Pass : std::uint8_t { wall, graph, training, stages };
/// Returns "wall", "one graph" or "stages".
[[nodiscard]] std::string_view text_of(Pass pass) noexcept;

/// One row of a comparison. Two rows match if their layer, stage, pass and precision are equal.
struct ComparedRow {
  std::string layer;  ///< Empty for the whole network.
  StageKey stage;     ///< Empty for the whole network.
  Pass pass = Pass::stages;
  Statistics baseline_ms, current_ms;
  /// Empty if a report has too few samples, or if the median of the baseline is 0.
  std::optional<MedianRatio> ratio;
  std::optional<Verdict> verdict;  ///< Empty if the row cannot be compared.
  std::string why;                 ///< Reason why the row is undecided or cannot be compared, or empty.
  bool partial = false;            ///< Comparison::partial
  /// Returns the name of the row, such as "whole network, wall" or "conv1: map[conv1].search".
  [[nodiscard]] std::string name() const;
};
/// Returns the samples of one report for this row, or an empty list if the report does not have the row.
[[nodiscard]] std::vector<double> samples_of(const Measurement& measurement, const ComparedRow& row);
/// Returns "FASTER", "SLOWER", "SAME", "UNDECIDED" or "NOT COMPARABLE".
[[nodiscard]] std::string_view verdict_text(const ComparedRow& row) noexcept;

struct UnmatchedRow {
  std::string layer, stage, why;
};

/// The facts about a report that headings show.
struct ReportFacts {
  std::string file, created, tool_version, device, driver, scene, network, precision;
  TrustGrade trust = TrustGrade::a;
};
/// Returns the reason why a report cannot be a baseline (its trust grade is X), or an empty string if it can.
[[nodiscard]] std::string why_no_baseline(const Report& report);

struct Comparison {
  ReportFacts baseline, current;
  /// True if the user chose to compare rows even if the devices differ.
  bool devices_ignored = false;
  /// True if the user chose to compare bird's-eye views even if their masks differ.
  bool masks_ignored = false;
  /// True if both reports are copies of the same run. Rows with equal samples then have the verdict `same`.
  bool same_run = false;
  /// True if one of the networks has layers that do not run. Totals are then of the layers that run.
  bool partial = false;
  std::vector<std::string> differences;  ///< Differences that prevent rows from being compared.
  std::vector<std::string> warnings;     ///< Other differences, such as driver, clocks or plans.
  /// First the rows of the whole network, then the rows of indexing, then the layers in order.
  std::vector<ComparedRow> rows;
  std::vector<UnmatchedRow> unmatched;
  /// Reason why gate() cannot pass whatever the rows show: a total of the baseline is missing in the current
  /// report, or its training step has no result. Empty if no such reason exists.
  std::string why_no_pass;
  /// The number of rows for which a difference is expected by chance although nothing changed: 5 % of the
  /// tested rows.
  double expected_false_alarms = 0;
  [[nodiscard]] std::int64_t count(std::optional<Verdict> verdict) const noexcept;
};
/// Compares two reports. If `ignore_devices` is true, also compares rows of different devices, and adds a
/// warning. `ignore_masks` does the same for bird's-eye views with different masks. Times of different clocks
/// are never compared.
[[nodiscard]] Comparison compare(const Report& baseline, const Report& current, bool ignore_devices = false,
                                 bool ignore_masks = false);

/// The result of a test whether the whole network (wall and one graph) became slower by more than a limit,
/// such as 0.02 for 2 %. The result is `passed` if the whole interval is below the limit. Times with trust
/// grade X never pass.
enum class Gate : std::uint8_t { passed, slower, undecided };
[[nodiscard]] Gate gate(const Comparison& comparison, double share);

/// Returns the comparison as a table with headings: row, mode, medians, ratio, interval, n, verdict, why.
[[nodiscard]] std::vector<std::vector<std::string>> compare_cells(const Comparison& comparison);
/// Returns notes about the comparison, one sentence each: differences, warnings, counts and false alarms.
[[nodiscard]] std::vector<std::string> compare_notes(const Comparison& comparison);
/// Returns a document with the schema "spira.compare" (docs/file-formats.md).
[[nodiscard]] std::string compare_json(const Comparison& comparison);
/// Returns a tidy table (RFC 4180) with one line per compared row. The column `verdict` has the same texts as
/// the JSON document.
[[nodiscard]] std::string compare_csv(const Comparison& comparison);
[[nodiscard]] std::string compare_markdown(const Comparison& comparison);

// The functions below compare the facts of two reports, such as device and network. The results decide which
// times can be compared.

/// Returns true if both reports are copies of the same run. The samples of stages can still differ, because a
/// copy can be edited.
[[nodiscard]] bool is_same_run(const Report& baseline, const Report& current);
/// Returns the facts about a report, except `ReportFacts::file`.
[[nodiscard]] ReportFacts report_facts(const Report& report);
/// Adds one line to Comparison::differences for each difference that prevents rows from being compared: trust
/// grade X of the baseline, device (unless ignored), instruction set, precision, voxels and network.
void add_differences(Comparison& result, const Report& baseline, const Report& current);
/// Adds lines to Comparison::warnings about differences that can change the times although the program did
/// not change.
void add_warnings(Comparison& result, const Report& baseline, const Report& current);
/// Returns the difference between the plans, such as "t = 0 in the baseline, t = 2 in the
/// current report", or an empty string if they are equal.
[[nodiscard]] std::string plan_change(const LayerPlan& before, const LayerPlan& now);

}  // namespace spira

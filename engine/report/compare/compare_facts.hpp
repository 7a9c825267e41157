// Compares the facts of two reports before their times are compared.
#pragma once

#include "engine/report/compare/compare.hpp"

#include <string>

namespace spira {

/// Returns true if both reports are copies of one run. The samples of stages can still differ, because a
/// file may have been edited.
[[nodiscard]] bool is_same_run(const Report& baseline, const Report& current);
/// Returns the facts of a report. `ReportFacts::file` stays empty.
[[nodiscard]] ReportFacts report_facts(const Report& report);
/// Adds one line for each difference that makes rows not comparable: trust X of the baseline, device (unless
/// ignored), instructions, precision, voxels and network.
void add_differences(Comparison& result, const Report& baseline, const Report& current);
/// Adds warnings about differences that can change the times even if the program did not change.
void add_warnings(Comparison& result, const Report& baseline, const Report& current);
/// Returns a text such as "t = 0, then 2". Returns an empty string if both plans of a layer are equal.
[[nodiscard]] std::string plan_change(const LayerPlan& before, const LayerPlan& now);

}  // namespace spira

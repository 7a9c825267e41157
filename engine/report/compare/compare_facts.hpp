// Compares the facts of two reports, such as device and network, before their times are compared.
#pragma once

#include "engine/report/compare/compare.hpp"

#include <string>

namespace spira {

/// Returns true if both reports are copies of one run. Samples of stages can still differ, because a copy
/// may have been edited.
[[nodiscard]] bool is_same_run(const Report& baseline, const Report& current);
/// Returns the facts of a report. Does not set `ReportFacts::file`.
[[nodiscard]] ReportFacts report_facts(const Report& report);
/// Adds one line for each difference that makes rows not comparable: trust grade X of the baseline, device
/// (unless ignored), instruction set, precision, voxels and network.
void add_differences(Comparison& result, const Report& baseline, const Report& current);
/// Adds warnings about differences that can change the times of an unchanged program.
void add_warnings(Comparison& result, const Report& baseline, const Report& current);
/// Returns a text such as "t = 0, then 2". Returns an empty string if the plans are equal.
[[nodiscard]] std::string plan_change(const LayerPlan& before, const LayerPlan& now);

}  // namespace spira

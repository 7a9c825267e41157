// What two reports have in common and what not, before their times are looked at.
#pragma once

#include "engine/report/compare.hpp"

#include <string>

namespace spira {

/// Returns true if both reports are copies of one run, although samples of stages may be edited.
[[nodiscard]] bool is_same_run(const Report& baseline, const Report& current);
[[nodiscard]] ReportFacts report_facts(const Report& report);  ///< without the name of the file
/// Trust X of the baseline, device (unless ignored), instructions, precision, voxels, network: one line each.
void add_differences(Comparison& result, const Report& baseline, const Report& current);
/// What may explain a change without being one of the program.
void add_warnings(Comparison& result, const Report& baseline, const Report& current);
/// "t = 0, then 2"; empty: the two plans of a layer are the same.
[[nodiscard]] std::string plan_change(const LayerPlan& before, const LayerPlan& now);

}  // namespace spira

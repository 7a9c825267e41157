#include "engine/run/verify/verify_bev.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/job/job.hpp"
#include "engine/run/bev_run.hpp"

#include <algorithm>
#include <utility>

namespace spira {
namespace {

/// Returns the plans to verify that at least one unit can run.
std::vector<UnitPlan> plans_to_verify(const std::vector<BevUnit>& units, const Area& area, bool quick) {
  constexpr int quick_core = 8;
  std::vector<UnitPlan> plans{UnitPlan{}};
  for (const UnitMethod method : {UnitMethod::gathered, UnitMethod::fused}) {
    for (const int core : block_cores) {
      const UnitPlan plan{method, core};
      const bool any = std::any_of(units.begin(), units.end(), [&](const BevUnit& unit) {
        return why_not_unit_plan(unit, area, plan).empty();
      });
      if (any && (!quick || (method == UnitMethod::fused && core == quick_core))) plans.push_back(plan);
    }
  }
  return plans;
}

/// Returns a text such as "conv2.unit1 96>24>24>96".
std::string subject_of(const Network& network, const BevUnit& unit) {
  std::string text =
      unit.name + " " + std::to_string(network.layers[static_cast<std::size_t>(unit.first)].in_channels);
  for (int at = unit.first; at <= unit.last; ++at)
    text += ">" + std::to_string(network.layers[static_cast<std::size_t>(at)].out_channels);
  return text;
}

VerifyRow row_of(const OutputDifference& difference, Precision precision) {
  VerifyRow row;
  row.with = text_of(precision);
  row.worst_abs = difference.max_abs;
  row.worst_rel = difference.max_rel;
  row.worst_ratio = difference.max_rel / output_tolerance(precision);
  row.passed = difference.ok;
  if (difference.non_finite > 0)
    row.fault = counted_text(difference.non_finite, "NaN or infinite value", "NaN or infinite values");
  else if (!difference.ok)
    row.fault = "differs from the reference by " + shortest(difference.max_rel) + " of the largest value";
  return row;
}

}  // namespace

VerifyResult verify_bev(const std::shared_ptr<Backend>& subject, Backend& reference,
                        const std::shared_ptr<const PointCloud>& cloud,
                        const std::shared_ptr<const Network>& network, const BevVerifyOptions& options,
                        Job& job) {
  const auto weights =
      std::make_shared<const NetworkWeights>(seeded_weights(*network, options.seed, job.stop_token()));
  const std::vector<BevUnit> units = units_of(*network);
  const std::vector<UnitPlan> plans = plans_to_verify(units, options.area, options.quick);
  std::vector<std::vector<VerifyRow>> by_unit(units.size());
  VerifyResult result;
  result.notes.push_back("area: " + text_of(options.area));
  std::vector<VerifyRow> equal;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    if (options.quick && precision == Precision::fp16) continue;
    for (const MaskSpec& mask : options.masks) {
      for (const UnitPlan& plan : plans) {
        BevSettings settings{options.area, mask, {}, precision, unit_plans(units, options.area, plan)};
        const BevRun run(subject, cloud, network, weights, std::move(settings), job);
        const std::string setting =
            text_of(mask) + ", " + text_of(plan) + ", " + std::string(text_of(precision));
        const auto found = run.compare_with(reference, job);
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
          if (run.settings().units[unit] != plan) continue;
          by_unit[unit].push_back(row_of(found[unit], precision));
          by_unit[unit].back().layer = subject_of(*network, units[unit]);
          by_unit[unit].back().setting = setting;
        }
        if (plan.core == 0) continue;
        VerifyRow row;
        row.layer = "blocks = dense";
        row.setting = setting;
        row.with = text_of(precision);
        for (const DenseDifference& one : run.difference_from_dense(job))
          row.worst_rel = std::max(row.worst_rel, one.deep_rel);
        row.passed = row.worst_rel == 0;
        if (!row.passed)
          row.fault = "differs from dense by " + shortest(row.worst_rel) +
                      " of the largest value on cells whose whole reach lies in active blocks";
        equal.push_back(row);
      }
    }
  }
  by_unit.push_back(std::move(equal));
  for (std::vector<VerifyRow>& rows : by_unit) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const VerifyRow& a, const VerifyRow& b) { return a.with > b.with; });  // fp32 first
    std::move(rows.begin(), rows.end(), std::back_inserter(result.rows));
  }
  return result;
}

}  // namespace spira

#include "engine/tune/unit_choice.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace spira {
namespace {

/// Returns a value that is smaller for plans that are selected before others with which they are tied.
auto simplicity(const UnitPlan& plan) {
  return std::tuple(plan.method != UnitMethod::dense, -plan.core, plan.method != UnitMethod::fused);
}

}  // namespace

UnitShape shape_of(const Network& network, const BevUnit& unit, const Area& area) {
  UnitShape shape;
  for (int at = unit.first; at <= unit.last; ++at) {
    const Layer& layer = network.layers[static_cast<std::size_t>(at)];
    shape.layers.push_back({layer.kernel_size[0], layer.in_channels, layer.out_channels});
  }
  shape.stride_in = unit.stride_in;
  shape.stride_out = unit.stride_out;
  shape.residual = unit.residual;
  shape.cells = {area.rows(unit.stride_out), area.columns(unit.stride_out)};
  return shape;
}

std::string layers_text(const UnitShape& shape) {
  std::string text;
  for (const auto& [kernel_size, in, out] : shape.layers) {
    const std::string edge = std::to_string(kernel_size);
    text +=
        (text.empty() ? "" : ", ") + edge + "x" + edge + " " + std::to_string(in) + ">" + std::to_string(out);
  }
  return text;
}

UnitChoice choose_unit_plan(std::span<const UnitTimes> times) {
  const auto dense =
      std::find_if(times.begin(), times.end(), [](const UnitTimes& one) { return one.plan == UnitPlan{}; });
  SPIRA_ASSERT(dense != times.end(), "the plan dense is needed");
  std::vector<SettingCost> costs;
  for (const UnitTimes& one : times)
    costs.push_back({0, statistics(one.ms).median, std::ssize(one.ms)});
  const SettingVerdicts found = judge_settings(costs, 0, [&](std::size_t best, std::size_t other) {
    return std::optional(TimesApart{times[best].ms, times[other].ms});
  });
  UnitChoice choice;
  choice.verdicts = found.verdicts;
  const auto known =
      std::count_if(costs.begin(), costs.end(), [](const SettingCost& cost) { return cost.cost_ms > 0; });
  if (known <= 1) {
    choice.why = ChoiceReason::only_setting;
    return choice;
  }
  const auto is_verdict = [&](SettingVerdict verdict) {
    return std::find(found.verdicts.begin(), found.verdicts.end(), verdict) != found.verdicts.end();
  };
  if (is_verdict(SettingVerdict::undecided)) {
    choice.why = ChoiceReason::few_samples;
    return choice;
  }
  const auto best = static_cast<std::size_t>(found.best);
  std::size_t chosen = best;
  for (std::size_t at = 0; at < times.size(); ++at) {
    if (found.verdicts[at] == SettingVerdict::tied &&
        simplicity(times[at].plan) < simplicity(times[chosen].plan))
      chosen = at;
  }
  choice.plan = times[chosen].plan;
  for (std::size_t at = 0; at < times.size(); ++at) {
    const bool as_fast = at == best || found.verdicts[at] == SettingVerdict::tied;
    if (as_fast && at != chosen) choice.ties.push_back(times[at].plan);
  }
  choice.why = choice.ties.empty() ? ChoiceReason::fastest : ChoiceReason::tie_simpler;
  return choice;
}

std::optional<double> break_even(std::span<const SpeedUpAt> points) noexcept {
  for (std::size_t at = 1; at < points.size(); ++at) {
    const auto [share, faster] = points[at - 1];
    const auto [next_share, slower] = points[at];
    if (faster >= 1 && slower < 1) return share + ((faster - 1) / (faster - slower) * (next_share - share));
  }
  return {};
}

void require_tuned_mask(const Plan& plan, const BevFacts& facts) {
  if (!plan.tuned_mask) return;
  const TunedMask& tuned = *plan.tuned_mask;
  SPIRA_ASSERT(tuned.computed.size() == facts.units.size(), "the plan is for another network");
  for (std::size_t at = 0; at < facts.units.size(); ++at) {
    const UnitFacts& unit = facts.units[at];
    if (!in_blocks(unit.plan)) continue;
    const double before = tuned.computed[at], now = unit.shares.computed;
    if (now >= before * tuned_share_low && now <= before * tuned_share_high) continue;
    throw Error(ErrorKind::usage, plan.source + ": tuned for the mask " + tuned.mask + " (" + tuned.area +
                                      "), whose blocks are " + percent_text(before) + " of the cells of " +
                                      unit.name + "; those of the mask " + facts.mask + " (" +
                                      text_of(facts.area) + ") are " + percent_text(now) +
                                      "; tune again, or use --ignore-mask");
  }
}

}  // namespace spira

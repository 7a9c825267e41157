// Rules for advice about the blocks of bird's-eye view networks.
#include "engine/base/text.hpp"
#include "engine/report/advice/advice_rules.hpp"

#include <algorithm>

namespace spira {

void add_wide_blocks(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double wide = 0.7;  // With a larger share, the halos cost about as much as the other cells save.
  if (facts.measurement == nullptr || !facts.measurement->bev) return;
  std::int64_t units = 0;
  const UnitFacts* widest = nullptr;
  double gain_ms = 0;
  for (const UnitFacts& unit : facts.measurement->bev->units) {
    if (unit.plan.core == 0 || unit.shares.computed < wide) continue;
    ++units;
    if (widest == nullptr || unit.shares.computed > widest->shares.computed) widest = &unit;
    gain_ms += unit_time_ms(*facts.measurement, unit) * (1 - 1 / std::max(1.0, unit.shares.read));
  }
  if (widest == nullptr) return;
  Advice advice;
  advice.rule = AdviceRule::wide_blocks;
  advice.layer = widest->last_layer;
  advice.evidence = "the mask covers " + percent_text(widest->shares.mask) + " of the cells of " +
                    widest->name + ", but its blocks of core " + std::to_string(widest->plan.core) +
                    " compute " + percent_text(widest->shares.computed) + " and read " +
                    percent_text(widest->shares.read);
  advice.action =
      "run " + counted_text(units, "unit", "units") + " dense or with a smaller core (spira tune)";
  advice.gain = {GainKind::modelled, gain_ms, 0};
  if (gain_ms <= 0) advice.gain = {};
  all.push_back(std::move(advice));
}

void add_dear_mask(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double much = 0.1;
  if (facts.measurement == nullptr || !facts.measurement->bev || facts.measurement->wall.ms.empty()) return;
  const StageTree& indexing = facts.measurement->indexing;
  double spent_ms = 0;
  for (int node = 0; node < static_cast<int>(indexing.nodes.size()); ++node) {
    const StageKey key = indexing.key(node);
    if (key.step.empty() && (key.phase == "mask" || key.phase == "blocks"))
      spent_ms += indexing.median_ms(node);
  }
  const double wall_ms = facts.measurement->wall.stats().median;
  if (spent_ms <= much * wall_ms) return;
  Advice advice;
  advice.rule = AdviceRule::dear_mask;
  advice.evidence = "the mask and its blocks take " + ms_text(spent_ms) + ", " +
                    percent_text(spent_ms / wall_ms, 0) + " of the wall time";
  advice.action = "use one core for all units, or a mask that needs no points, such as a file";
  advice.gain = {GainKind::modelled, spent_ms, 0};
  all.push_back(std::move(advice));
}

}  // namespace spira

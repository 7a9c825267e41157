#include "engine/tune/one_graph.hpp"

#include "engine/map/kernel_offsets.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <utility>

namespace spira {
namespace {

bool graph_wins(const PlanCheck& check) {
  return !check.not_compiled.empty() && verdict(check.tuned.ms, check.one_graph.ms) == Verdict::faster;
}

}  // namespace

bool prefer_one_graph(TuningProfile& profile) {
  if (profile.checks.empty() || !std::all_of(profile.checks.begin(), profile.checks.end(), graph_wins))
    return false;
  for (TunedShape& tuned : profile.choices) {
    const int most = KernelOffsets(tuned.shape.kernel_size, 1).max_threshold();
    if (tuned.choice.why == ChoiceReason::only_setting || tuned.choice.threshold == most) continue;
    choose_instead(tuned.choice, most, ChoiceReason::one_graph);
  }
  for (PlanCheck& check : profile.checks)
    check.layer_picks = std::exchange(check.tuned, {});
  if (!profile.regret.empty())  // regret of single layers, which no longer decide
    std::fill(profile.regret.back().begin(), profile.regret.back().end(), std::nullopt);
  return true;
}

}  // namespace spira

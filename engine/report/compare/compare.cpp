#include "engine/report/compare/compare.hpp"

#include "engine/base/text.hpp"
#include "engine/report/compare/compare_facts.hpp"

#include <algorithm>
#include <array>

namespace spira {
namespace {

const StageTree no_stages{};

/// Builds the rows of one comparison, one pass after another.
class Matcher {
 public:
  Matcher(Comparison& result, const Measurement& baseline, const Measurement& current)
      : result_(result), baseline_(baseline), current_(current) {
    for (const auto& difference : result.differences)
      why_not_ += (why_not_.empty() ? "" : "; ") + difference;
    if (baseline.device.clock != current.device.clock) {
      why_no_stages_ = "timer differs: " + std::string(clock_text(baseline.device.clock)) + ", " +
                       std::string(clock_text(current.device.clock));
      result.warnings.push_back(why_no_stages_ + "; stages are not compared");
    }
  }

  void add_totals() {
    add("", {}, Pass::wall, baseline_.wall.ms, current_.wall.ms);
    const bool before = !baseline_.compiled_wall.ms.empty(), now = !current_.compiled_wall.ms.empty();
    if (before && now) {
      add("", {}, Pass::graph, baseline_.compiled_wall.ms, current_.compiled_wall.ms);
    } else if (before || now) {
      const std::string& how = before ? current_.compiled_how : baseline_.compiled_how;
      result_.unmatched.push_back(
          {"", "one graph", only_in(before) + (how.empty() ? "" : ", the other was not compiled: " + how)});
    }
  }

  /// Adds the stages of one layer. Appends `why` to the reason of each stage that only one report has.
  void add_stages(const std::string& layer, const StageTree& before, const StageTree& now,
                  const std::string& why) {
    const auto unmatched = [&](const StageKey& stage, bool in_baseline) {
      result_.unmatched.push_back(
          {layer, stage.text(), only_in(in_baseline) + (why.empty() ? "" : "; " + why)});
    };
    for (int node = 0; node < static_cast<int>(before.nodes.size()); ++node) {
      const StageKey stage = before.key(node);
      const int other = now.find(stage);
      if (other < 0) {
        unmatched(stage, true);
      } else {
        add(layer, stage, Pass::stages, before.nodes[static_cast<std::size_t>(node)].samples_ms,
            now.nodes[static_cast<std::size_t>(other)].samples_ms);
      }
    }
    for (int node = 0; node < static_cast<int>(now.nodes.size()); ++node) {
      if (const StageKey stage = now.key(node); before.find(stage) < 0) unmatched(stage, false);
    }
  }

 private:
  static std::string only_in(bool baseline) {
    return baseline ? "only in the baseline" : "only in the current report";
  }

  void add(const std::string& layer, const StageKey& stage, Pass pass, const std::vector<double>& before,
           const std::vector<double>& now) {
    ComparedRow row;
    row.layer = layer;
    row.stage = stage;
    row.pass = pass;
    row.baseline_ms = statistics(before);
    row.current_ms = statistics(now);
    row.ratio = median_ratio(before, now);
    const bool other_timer = row.pass == Pass::stages && !why_no_stages_.empty();
    if (result_.same_run && before == now) {
      row.verdict = Verdict::same;
      if (row.ratio) row.ratio->low = row.ratio->high = 1;
    } else if (!why_not_.empty() || other_timer) {
      row.why = why_not_.empty() ? why_no_stages_ : why_not_;
    } else {
      row.verdict = row.ratio ? verdict(*row.ratio) : Verdict::undecided;
      if (row.verdict == Verdict::undecided) row.why = why_undecided(row);
    }
    result_.rows.push_back(std::move(row));
  }

  static std::string why_undecided(const ComparedRow& row) {
    const std::int64_t samples = std::min(row.baseline_ms.n, row.current_ms.n);
    if (samples < static_cast<std::int64_t>(fewest_samples_for_verdict))
      return "fewer than " + std::to_string(fewest_samples_for_verdict) + " samples per side";
    if (!row.ratio) return "the baseline time is 0";
    if (const auto enough = samples_to_decide(*row.ratio, samples))
      return "about " + count_text(*enough) + " samples per side might decide";
    return "more samples would not decide";
  }

  Comparison& result_;
  const Measurement &baseline_, &current_;
  std::string why_not_, why_no_stages_;
};

std::string why_stages_differ(const Measurement& baseline, const Measurement& current, std::size_t before,
                              std::size_t now) {
  const LayerPlan &a = baseline.plan.layers.at(before), &b = current.plan.layers.at(now);
  if (std::string change = plan_change(a, b); !change.empty()) return change;
  if (baseline.layers[before].map_shared != current.layers[now].map_shared)
    return "the map is shared with another layer in one report only";
  return {};
}

void add_layers(Matcher& matcher, const Measurement& baseline, const Measurement& current) {
  const auto find = [](const Measurement& m, const std::string& name) {
    return std::find_if(m.layers.begin(), m.layers.end(),
                        [&](const LayerMeasurement& layer) { return layer.name == name; });
  };
  for (std::size_t at = 0; at < baseline.layers.size(); ++at) {
    const LayerMeasurement& before = baseline.layers[at];
    const auto now = find(current, before.name);
    if (now == current.layers.end()) {
      matcher.add_stages(before.name, before.stages, no_stages, "the other report has no layer of that name");
      continue;
    }
    const auto there = static_cast<std::size_t>(now - current.layers.begin());
    matcher.add_stages(before.name, before.stages, now->stages,
                       why_stages_differ(baseline, current, at, there));
  }
  for (const LayerMeasurement& now : current.layers) {
    if (find(baseline, now.name) == baseline.layers.end())
      matcher.add_stages(now.name, no_stages, now.stages, "the other report has no layer of that name");
  }
}

}  // namespace

std::string_view text_of(Pass pass) noexcept {
  constexpr std::array<std::string_view, 3> texts{"wall", "one graph", "stages"};
  return texts.at(static_cast<std::size_t>(pass));
}

std::string ComparedRow::name() const {
  if (pass != Pass::stages) return "whole network, " + std::string(text_of(pass));
  return (layer.empty() ? "" : layer + ": ") + stage.text();
}

std::vector<double> samples_of(const Measurement& measurement, const ComparedRow& row) {
  if (row.pass == Pass::wall) return measurement.wall.ms;
  if (row.pass == Pass::graph) return measurement.compiled_wall.ms;
  const StageTree* stages = row.layer.empty() ? &measurement.indexing : nullptr;
  for (const LayerMeasurement& layer : measurement.layers) {
    if (stages == nullptr && layer.name == row.layer) stages = &layer.stages;
  }
  const int node = stages == nullptr ? -1 : stages->find(row.stage);
  return node < 0 ? std::vector<double>{} : stages->nodes[static_cast<std::size_t>(node)].samples_ms;
}

std::string_view verdict_text(const ComparedRow& row) noexcept {
  constexpr std::array<std::string_view, 4> texts{"FASTER", "SLOWER", "SAME", "UNDECIDED"};
  return row.verdict ? texts.at(static_cast<std::size_t>(*row.verdict)) : "NOT COMPARABLE";
}

std::int64_t Comparison::count(std::optional<Verdict> verdict) const noexcept {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const ComparedRow& row) { return row.verdict == verdict; });
}

Comparison compare(const Report& baseline, const Report& current, bool ignore_devices) {
  Comparison result;
  result.baseline = report_facts(baseline);
  result.current = report_facts(current);
  result.devices_ignored = ignore_devices;
  result.same_run = is_same_run(baseline, current);
  add_differences(result, baseline, current);
  add_warnings(result, baseline, current);
  const Measurement &before = baseline.measurement, &now = current.measurement;
  Matcher matcher(result, before, now);
  matcher.add_totals();
  matcher.add_stages("", before.indexing, now.indexing, "");
  add_layers(matcher, before, now);
  constexpr double outside_interval = 0.05;
  const auto tested = [](const ComparedRow& row) {
    return row.verdict && row.ratio && row.ratio->low < row.ratio->high;
  };
  result.expected_false_alarms =
      outside_interval * static_cast<double>(std::count_if(result.rows.begin(), result.rows.end(), tested));
  return result;
}

Gate gate(const Comparison& comparison, double share) {
  bool any = false, undecided = comparison.current.trust == TrustGrade::x && !comparison.same_run;
  for (const ComparedRow& row : comparison.rows) {
    if (row.pass == Pass::stages) continue;
    any = true;
    const bool told = row.verdict && row.ratio;
    if (comparison.same_run && row.verdict == Verdict::same) continue;
    if (told && row.verdict == Verdict::slower && row.ratio->low > 1.0 + share) return Gate::slower;
    undecided = undecided || !told || row.ratio->high > 1.0 + share;
  }
  // If only the baseline was compiled, the network is slower by more than these rows show.
  undecided = undecided || std::any_of(comparison.unmatched.begin(), comparison.unmatched.end(),
                                       [](const UnmatchedRow& row) {
                                         return row.layer.empty() && row.stage == text_of(Pass::graph) &&
                                                row.why.starts_with("only in the baseline");
                                       });
  return any && !undecided ? Gate::passed : Gate::undecided;
}

}  // namespace spira

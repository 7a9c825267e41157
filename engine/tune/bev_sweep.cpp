#include "engine/tune/bev_sweep.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/cost_model.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace spira {
namespace {

/// A setting that is ready to run.
struct BevContender {
  std::unique_ptr<BevRun> run;
  std::unique_ptr<Recorder> recorder;
};

/// Returns the samples of the stage of a unit, or an empty list if it did not run.
std::vector<double> unit_samples(const BevRun& run, const StageTree& stages, std::size_t unit) {
  const auto last = static_cast<std::size_t>(run.units()[unit].last);
  const int node = stages.find({"features", run.network().layers[last].name});
  return node < 0 ? std::vector<double>() : stages.nodes[static_cast<std::size_t>(node)].samples_ms;
}

std::vector<double> sum_of(const BevRun& run, const StageTree& stages,
                           const std::vector<std::size_t>& units) {
  std::vector<double> sums;
  for (const std::size_t unit : units) {
    const std::vector<double> own = unit_samples(run, stages, unit);
    if (sums.empty()) sums.assign(own.size(), 0.0);
    for (std::size_t at = 0; at < std::min(sums.size(), own.size()); ++at)
      sums[at] += own[at];
  }
  return sums;
}

std::vector<BevShape> shapes_of(const BevRun& run) {
  std::vector<BevShape> shapes;
  for (std::size_t unit = 0; unit < run.units().size(); ++unit) {
    const UnitShape shape = shape_of(run.network(), run.units()[unit], run.settings().area);
    const auto same =
        std::find_if(shapes.begin(), shapes.end(), [&](const BevShape& one) { return one.shape == shape; });
    if (same != shapes.end()) {
      same->units.push_back(unit);
    } else {
      shapes.push_back({shape, {unit}, run.units()[unit].name, {}, {}});
    }
  }
  return shapes;
}

/// Returns the settings that at least one unit can run: dense, then both methods with each core.
std::vector<UnitPlan> settings_for(const std::vector<BevUnit>& units, const Area& area,
                                   std::span<const int> cores) {
  std::vector<UnitPlan> plans{UnitPlan{}};
  std::string why;
  for (const UnitMethod method : {UnitMethod::fused, UnitMethod::gathered}) {
    for (const int core : cores) {
      const UnitPlan plan{method, core};
      bool any = false;
      for (const BevUnit& unit : units) {
        const std::string own = why_not_unit_plan(unit, area, plan);
        any = any || own.empty();
        if (why.empty()) why = own;
      }
      if (any) plans.push_back(plan);
    }
  }
  if (plans.size() == 1) throw Error(ErrorKind::usage, why.empty() ? "no core is given" : why);
  return plans;
}

std::unique_ptr<BevRun> prepare(const BevSubject& subject, std::vector<UnitPlan> units, Job& job) {
  BevSettings settings = subject.settings;
  settings.units = std::move(units);
  return std::make_unique<BevRun>(subject.backend, subject.cloud, subject.network, subject.weights,
                                  std::move(settings), job);
}

UnitCost cost_of(const CostUnit& unit, const UnitPlan& plan, double computed) {
  switch (plan.method) {
    case UnitMethod::gathered:
      return gathered_cost(unit, plan.core, computed);
    case UnitMethod::fused:
      return fused_cost(unit, plan.core, computed);
    case UnitMethod::dense:
    case UnitMethod::rows:
      break;
  }
  return dense_cost(unit);
}

/// Adds the modelled times of a shape. The efficiency comes from the measured dense units, whose modelled
/// time is therefore their measured time.
void add_model(BevShape& shape, const BevSweep& sweep, const BevRun& run) {
  constexpr double gpu_launch_s = 3e-6, ms_per_s = 1000;
  const BevUnit& first = run.units()[shape.units.front()];
  const CostUnit unit = cost_unit(run.network(), first);
  const auto count = static_cast<double>(shape.units.size());
  const double bytes_per_s = sweep.rates.bytes.per_second.value_or(0),
               flops_per_s = sweep.rates.flops.per_second.value_or(0);
  const double dense_s = statistics(shape.rows.front().times.ms).median / count / ms_per_s;
  if (bytes_per_s <= 0 || flops_per_s <= 0 || dense_s <= 0) return;
  const auto seconds = [&](const UnitCost& cost, const CostRates& rates) {
    return modelled_s(cost, run.settings().area.size(first.stride_out),
                      static_cast<int>(bytes_of(run.settings().precision)), rates);
  };
  CostRates rates{bytes_per_s, flops_per_s, 1, 0};
  const double floor_s = seconds(dense_cost(unit), rates);
  rates.launch_s = sweep.device.kind == BackendKind::cuda ? gpu_launch_s : 0;
  const double launches_s = dense_cost(unit).launches * rates.launch_s;
  if (dense_s <= launches_s) return;
  rates.efficiency = floor_s / (dense_s - launches_s);
  for (BevShape::Row& row : shape.rows)
    row.modelled_ms = count * ms_per_s * seconds(cost_of(unit, row.times.plan, row.shares.computed), rates);
}

/// Returns the modelled time of all units with a setting. Shapes that cannot run it run dense.
std::optional<double> modelled_network_ms(const BevSweep& sweep, const UnitPlan& plan) {
  double sum = 0;
  for (const BevShape& shape : sweep.shapes) {
    const auto own = std::find_if(shape.rows.begin(), shape.rows.end(),
                                  [&](const BevShape::Row& row) { return row.times.plan == plan; });
    const auto& ms = (own == shape.rows.end() ? shape.rows.front() : *own).modelled_ms;
    if (!ms) return {};
    sum += *ms;
  }
  return sum;
}

/// Takes the samples, and computes the verdicts, the choices and the model.
void take_samples(BevSweep& sweep, const std::vector<BevContender>& contenders,
                  const std::vector<Samples>& walls) {
  std::vector<SettingCost> costs;
  for (std::size_t at = 0; at < contenders.size(); ++at) {
    sweep.settings[at].wall = walls[at];
    sweep.settings[at].stages = contenders[at].recorder->take();
    costs.push_back({0, walls[at].stats().median, std::ssize(walls[at].ms)});
  }
  const SettingVerdicts found = judge_settings(costs, 0, [&](std::size_t best, std::size_t other) {
    return std::optional(TimesApart{walls[best].ms, walls[other].ms});
  });
  for (std::size_t at = 0; at < contenders.size(); ++at)
    sweep.settings[at].verdict = found.verdicts[at];
  for (BevShape& shape : sweep.shapes) {
    std::vector<UnitTimes> times;
    for (std::size_t at = 0; at < contenders.size(); ++at) {
      const UnitFacts& unit = contenders[at].run->facts().units[shape.units.front()];
      if (unit.plan != sweep.settings[at].plan) continue;  // This setting runs these units dense.
      times.push_back({unit.plan, sum_of(*contenders[at].run, sweep.settings[at].stages, shape.units)});
      shape.rows.push_back({times.back(), unit.shares, {}});
    }
    shape.choice = choose_unit_plan(times);
    add_model(shape, sweep, *contenders.front().run);
  }
  for (BevSweepSetting& setting : sweep.settings)
    setting.modelled_ms = modelled_network_ms(sweep, setting.plan);
}

/// Measures all settings in interleaved rounds, without and with timers.
void sample_settings(BevSweep& sweep, const std::vector<BevContender>& contenders, Job& job) {
  Job untimed(job.stop_token());
  std::vector<Contender> walls;
  for (std::size_t at = 0; at < contenders.size(); ++at)
    walls.push_back({short_text(sweep.settings[at].plan), [&, at] { contenders[at].run->run(untimed); }});
  const auto with_timers = [&](const std::vector<Samples>&) {
    for (const BevContender& one : contenders) {
      Job timed(job.stop_token(), one.recorder.get());
      one.run->run(timed);
      one.recorder->next_repetition();
    }
  };
  take_samples(sweep, contenders, sample_interleaved(walls, sweep.protocol, job, with_timers));
}

}  // namespace

std::string short_text(const UnitPlan& plan) {
  std::string text(text_of(plan.method));
  if (plan.core > 0) text += " " + std::to_string(plan.core);
  return text;
}

BevSweep sweep_units(const BevSubject& subject, std::span<const int> cores, const SamplingProtocol& how,
                     Job& job) {
  Job quiet = job.with_recorder(nullptr);
  const std::vector<BevUnit> units = units_of(*subject.network);
  BevSweep sweep;
  sweep.network = subject.network->name;
  sweep.device = subject.backend->facts();
  sweep.protocol = how;
  sweep.precision = subject.settings.precision;
  std::vector<BevContender> contenders;
  for (const UnitPlan& plan : settings_for(units, subject.settings.area, cores)) {
    BevContender one{prepare(subject, unit_plans(units, subject.settings.area, plan), quiet),
                     std::make_unique<Recorder>(subject.backend->stages())};
    sweep.settings.push_back({plan});
    contenders.push_back(std::move(one));
  }
  sweep.rates = subject.backend->measure_rates(sweep.precision, quiet);
  sweep.facts = contenders.front().run->facts();
  sweep.shapes = shapes_of(*contenders.front().run);
  sample_settings(sweep, contenders, quiet);
  return sweep;
}

bool BevTuning::all_dense() const {
  return std::all_of(plan.units.begin(), plan.units.end(),
                     [](const UnitPlan& unit) { return unit == UnitPlan{}; });
}

std::optional<Verdict> BevTuning::verdict_over_dense() const {
  if (dense_wall.ms.empty()) return {};
  return verdict(dense_wall.ms, chosen_wall.ms);
}

BevTuning tune_units(const BevSubject& subject, std::span<const int> cores, const SamplingProtocol& how,
                     Job& job) {
  Job quiet = job.with_recorder(nullptr);
  BevTuning tuning;
  tuning.sweep = sweep_units(subject, cores, how, quiet);
  tuning.chosen.resize(units_of(*subject.network).size());
  for (const BevShape& shape : tuning.sweep.shapes) {
    for (const std::size_t unit : shape.units)
      tuning.chosen[unit] = shape.choice.plan;
  }
  tuning.plan = default_plan(*subject.network);
  tuning.plan.precision = subject.settings.precision;
  tuning.plan.units = tuning.chosen;
  const auto chosen = prepare(subject, tuning.chosen, quiet);
  if (!tuning.all_dense()) {
    const auto dense = prepare(subject, std::vector<UnitPlan>(tuning.chosen.size()), quiet);
    Job untimed(job.stop_token());
    auto found = sample_interleaved(
        {{"dense", [&] { dense->run(untimed); }}, {"chosen", [&] { chosen->run(untimed); }}}, how, quiet);
    tuning.dense_wall = std::move(found[0]);
    tuning.chosen_wall = std::move(found[1]);
    tuning.rejected = tuning.verdict_over_dense() == Verdict::slower;
  }
  if (tuning.rejected) std::fill(tuning.plan.units.begin(), tuning.plan.units.end(), UnitPlan{});
  const BevFacts& facts = chosen->facts();
  tuning.plan.tuned_mask = TunedMask{facts.mask, text_of(facts.area), {}};
  for (std::size_t unit = 0; unit < facts.units.size(); ++unit)
    tuning.plan.tuned_mask->computed.push_back(
        in_blocks(tuning.plan.units[unit]) ? facts.units[unit].shares.computed : 1.0);
  return tuning;
}

std::string bev_sweep_csv(const BevSweep& sweep) {
  std::string text =
      "network,mask,first_unit,units,rows,columns,layers,method,core,mask_share,computed_share,read_share,n,"
      "median_ms,q1_ms,q3_ms,modelled_ms,verdict\r\n";
  for (const BevShape& shape : sweep.shapes) {
    for (std::size_t at = 0; at < shape.rows.size(); ++at) {
      const BevShape::Row& row = shape.rows[at];
      const UnitPlan& plan = row.times.plan;
      const Statistics s = statistics(row.times.ms);
      text += csv_cell(sweep.network) + "," + csv_cell(sweep.facts.mask) + "," + csv_cell(shape.name) + "," +
              std::to_string(shape.units.size()) + "," + std::to_string(shape.shape.cells[0]) + "," +
              std::to_string(shape.shape.cells[1]) + "," + csv_cell(layers_text(shape.shape)) + "," +
              std::string(text_of(plan.method)) + "," + (plan.core > 0 ? std::to_string(plan.core) : "");
      for (const double share : {row.shares.mask, row.shares.computed, row.shares.read})
        text += "," + fixed(share, 6);
      text += "," + std::to_string(s.n);
      for (const double ms : {s.median, s.q1, s.q3})
        text += "," + (s.n == 0 ? std::string() : fixed(ms, 6));
      text += "," + (row.modelled_ms ? fixed(*row.modelled_ms, 6) : std::string()) + "," +
              std::string(text_of(shape.choice.verdicts.at(at))) + "\r\n";
    }
  }
  return text;
}

}  // namespace spira

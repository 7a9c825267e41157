#include "app/spira/bev_tune.hpp"

#include "app/spira/setting_lists.hpp"
#include "app/spira/table.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string_view>

namespace spira::app {
namespace {

std::string standing_text(SettingVerdict verdict) {
  return verdict == SettingVerdict::worse ? "" : std::string(text_of(verdict));
}

/// Returns the sum of the medians of the stages with one of the phases.
double phases_ms(const StageTree& stages, std::initializer_list<std::string_view> phases) {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const bool wanted = std::find(phases.begin(), phases.end(), stages.key(node).phase) != phases.end();
    if (wanted && stages.nodes[static_cast<std::size_t>(node)].parent < 0) sum += stages.median_ms(node);
  }
  return sum;
}

std::string ms_cell(const std::optional<double>& ms) {
  return ms ? fixed(*ms, 3) : "";
}

std::string settings_table(const BevSweep& sweep) {
  std::vector<std::vector<std::string>> rows{{"setting", "median ms", "IQR ms", "n", "over dense",
                                              "project, mask ms", "blocks ms", "units ms", "model ms", ""}};
  const double dense_ms = sweep.settings.front().wall.stats().median;
  for (const BevSweepSetting& setting : sweep.settings) {
    const Statistics s = setting.wall.stats();
    rows.push_back({short_text(setting.plan), fixed(s.median, 3), fixed(s.iqr(), 3), std::to_string(s.n),
                    s.median > 0 ? fixed(dense_ms / s.median, 2) + " x" : "",
                    fixed(phases_ms(setting.stages, {"project", "mask"}), 3),
                    fixed(phases_ms(setting.stages, {"blocks"}), 3),
                    fixed(phases_ms(setting.stages, {"features"}), 3), ms_cell(setting.modelled_ms),
                    standing_text(setting.verdict)});
  }
  return table_text(rows);
}

std::string shapes_table(const BevSweep& sweep) {
  std::vector<std::vector<std::string>> rows{{"units", "cells", "layers", "setting", "mask", "computed",
                                              "read", "ms a unit", "model ms", "over dense", ""}};
  for (const BevShape& shape : sweep.shapes) {
    const auto count = static_cast<double>(shape.units.size());
    const double dense_ms = statistics(shape.rows.front().times.ms).median;
    for (std::size_t at = 0; at < shape.rows.size(); ++at) {
      const BevShape::Row& row = shape.rows[at];
      const double ms = statistics(row.times.ms).median;
      const bool first = at == 0;
      const std::string more =
          shape.units.size() > 1 ? " x " + std::to_string(shape.units.size()) : std::string();
      rows.push_back(
          {first ? shape.name + more : "",
           first ? std::to_string(shape.shape.cells[0]) + "x" + std::to_string(shape.shape.cells[1]) : "",
           first ? layers_text(shape.shape) : "", short_text(row.times.plan), percent_text(row.shares.mask),
           percent_text(row.shares.computed), percent_text(row.shares.read), fixed(ms / count, 3),
           row.modelled_ms ? fixed(*row.modelled_ms / count, 3) : "",
           ms > 0 ? fixed(dense_ms / ms, 2) + " x" : "", standing_text(shape.choice.verdicts.at(at))});
    }
  }
  return table_text(rows);
}

std::string reason_text(const UnitChoice& choice) {
  if (choice.why == ChoiceReason::few_samples) return "too few samples";
  if (choice.why == ChoiceReason::only_setting) return "only setting";
  std::string text;
  for (const UnitPlan& tie : choice.ties)
    text += (text.empty() ? "tied with " : ", ") + short_text(tie);
  return text.empty() ? "fastest" : text;
}

/// Describes how the chosen plan compares with dense units.
std::string gain_text(const BevTuning& tuning) {
  if (!tuning.verdict_over_dense())
    return "dense is the choice for all units: with this mask, no unit is faster on blocks\n";
  const double dense_ms = tuning.dense_wall.stats().median, chosen_ms = tuning.chosen_wall.stats().median;
  const std::string times =
      "the network takes " + ms_text(chosen_ms) + " with the chosen plan and " + ms_text(dense_ms) +
      " with dense units (n = " + std::to_string(tuning.dense_wall.ms.size()) + ", interleaved)";
  if (tuning.rejected) return "dense is the choice for all units: measured as a whole, " + times + "\n";
  if (*tuning.verdict_over_dense() == Verdict::faster)
    return times + ": " + fixed(dense_ms / chosen_ms, 2) + " x as fast\n";
  return times + ": no difference is proven\n";
}

std::string sweep_head(const BevSweep& sweep) {
  return printable(sweep.network) + ", mask " + printable(sweep.facts.mask) + ", " +
         text_of(sweep.facts.area) + "\n";
}

}  // namespace

void BevTuneOptions::add(CLI::App& command) {
  view.add_mask(command);
  command
      .add_option("--cores", cores,
                  "For a bird's-eye view: cores of blocks to measure: all, or a list such as 8,16")
      ->type_name("all|LIST")
      ->capture_default_str();
}

void BevTuneOptions::refuse(const CLI::App& command) {
  if (command.get_option("--cores")->count() > 0)
    throw Error(ErrorKind::usage, "--cores needs a bird's-eye view network, such as --network sbnet");
  BevOptions::refuse(command);
}

std::string bev_sweep_text(const BevSweep& sweep) {
  return sweep_head(sweep) + settings_table(sweep) + "\n" + shapes_table(sweep);
}

std::string bev_tuning_text(const BevTuning& tuning) {
  std::vector<std::vector<std::string>> rows{
      {"units", "cells", "choice", "computed", "over dense", "reason"}};
  for (const BevShape& shape : tuning.sweep.shapes) {
    const auto chosen = std::find_if(shape.rows.begin(), shape.rows.end(), [&](const BevShape::Row& row) {
      return row.times.plan == shape.choice.plan;
    });
    const double ms = statistics(chosen->times.ms).median,
                 dense_ms = statistics(shape.rows.front().times.ms).median;
    const std::string more =
        shape.units.size() > 1 ? " x " + std::to_string(shape.units.size()) : std::string();
    rows.push_back({shape.name + more,
                    std::to_string(shape.shape.cells[0]) + "x" + std::to_string(shape.shape.cells[1]),
                    short_text(shape.choice.plan), percent_text(chosen->shares.computed),
                    ms > 0 ? fixed(dense_ms / ms, 2) + " x" : "", reason_text(shape.choice)});
  }
  return sweep_head(tuning.sweep) + table_text(rows) + gain_text(tuning);
}

void sweep_bev(const Context& context, const SceneOptions& scene, const RunOptions& run,
               const OutputOptions& output, Network network, const BevTuneOptions& options) {
  Job job = context.job();
  const std::vector<int> cores = parse_cores(options.cores);
  const BevSubject subject = open_bev(context, scene, run, std::move(network), options.view, job);
  const BevSweep sweep = sweep_units(subject, cores, run.protocol(), job);
  if (!run.output.empty()) write_file(run.output, bev_sweep_json(sweep), context.stop);
  if (output.json) {
    std::cout << bev_sweep_json(sweep);
  } else if (output.csv) {
    std::cout << bev_sweep_csv(sweep);
  } else {
    std::cout << bev_sweep_text(sweep) << "device  " << device_text(sweep.device) << "\n";
  }
}

void tune_bev(const Context& context, const SceneOptions& scene, const EngineOptions& engine,
              const SamplingProtocol& how, Network network, const BevTuneOptions& options,
              const std::string& plan_file, bool json) {
  Job job = context.job();
  const std::vector<int> cores = parse_cores(options.cores);
  const BevSubject subject = open_bev(context, scene, engine, std::move(network), options.view, job);
  const BevTuning tuning = tune_units(subject, cores, how, job);
  if (!plan_file.empty()) {
    write_plan(plan_file, *subject.network, tuning.plan);
    context.say("plan: " + plan_file);
  }
  std::cout << (json ? bev_tuning_json(tuning) : bev_tuning_text(tuning));
}

}  // namespace spira::app

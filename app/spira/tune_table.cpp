#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/group_table.hpp"
#include "engine/tune/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace spira::app {
namespace {

std::string shapes_text(const TuningProfile& profile) {
  std::vector<std::vector<std::string>> rows{
      {"layers", "shape", "setting", "map", "features ms", "IQR ms", "n", "t = max ms", ""}};
  const auto add = [&](const TunedShape& tuned, LayerPass pass) {
    const MeasuredCost* cost = measured_cost(tuned, tuned.choice.setting);
    const MeasuredCost* plain = cost_of_max(tuned);
    rows.push_back(
        {layers_text(tuned), tuned.shape.text(profile.levels),
         setting_text(tuned.choice.setting, KernelOffsets(tuned.shape.kernel, 1).max_threshold()),
         std::string(text_of(tuned.choice.algorithm)), cost == nullptr ? "" : fixed(cost->median_ms, 3),
         cost == nullptr ? "" : fixed(cost->iqr_ms, 3), cost == nullptr ? "" : std::to_string(cost->n),
         plain == nullptr ? "" : fixed(plain->median_ms, 3), choice_note(tuned)});
    if (profile.training) rows.back().insert(rows.back().begin() + 2, std::string(text_of(pass)));
  };
  if (profile.training) rows.front().insert(rows.front().begin() + 2, "pass");
  for (const TunedShape& tuned : profile.choices) {
    add(tuned, LayerPass::forward);
    TunedShape backward = tuned;
    for (const auto& [pass, choice] :
         {std::pair(LayerPass::dgrad, &tuned.dgrad), {LayerPass::wgrad, &tuned.wgrad}}) {
      if (!*choice) continue;
      backward.choice = **choice;
      add(backward, pass);
    }
  }
  return table_text(rows) + "each time is the median of n samples for one layer" +
         (profile.scenes.size() > 1 ? ", multiplied by the weight of the scene and summed over all scenes\n"
                                    : "\n");
}

std::string scenes_text(const TuningProfile& profile) {
  std::string text;
  for (std::size_t at = 0; at < profile.scenes.size(); ++at) {
    const TunedScene& scene = profile.scenes[at];
    text += "scene " + std::to_string(at + 1) + "       " + printable(scene.name) + ": " +
            (scene.batch > 1 ? std::to_string(scene.batch) + " frames, " : "") +
            voxels_text(scene.voxels(1), scene.voxel_m, scene.unit) + ", " + scene.pack.text() + ", weight " +
            shortest(scene.weight) + "\n";
  }
  return text;
}

std::string packing_text(const TuningProfile& profile) {
  std::string text;
  if (profile.packing.pack && profile.packing.others_ms > 0) {
    text += "packing       " + profile.packing.pack->text() + ": indexing and maps take " +
            ms_text(profile.packing.median_ms) + ", " + ms_text(profile.packing.others_ms) +
            " with the fastest other packing (medians); this packing is " +
            std::string(profile.packing.why == ChoiceReason::fastest ? "the fastest"
                        : profile.packing.why == ChoiceReason::tie_simpler
                            ? "tied with the other packing"
                            : "chosen without a decision, because there are too few samples") +
            "\n";
  }
  for (const IndexingRecord& record : profile.indexing) {
    if (!record.why_not.empty())
      text += "packing       " + record.pack.text() + " is excluded: " + printable(record.why_not) + "\n";
  }
  return text;
}

std::string regret_matrix_text(const TuningProfile& profile) {
  if (profile.scenes.size() < 2 || profile.regret.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"settings chosen for"}};
  for (std::size_t at = 0; at < profile.scenes.size(); ++at)
    rows.front().push_back("on scene " + std::to_string(at + 1));
  for (std::size_t picked = 0; picked < profile.regret.size(); ++picked) {
    std::vector<std::string> row{picked == profile.scenes.size() ? "all"
                                                                 : "scene " + std::to_string(picked + 1)};
    for (const auto& regret : profile.regret[picked])
      row.push_back(regret_text(regret));
    rows.push_back(row);
  }
  return "regret: in each cell, the scene of the column runs with the settings of the row. The number shows "
         "how\n"
         "much longer maps and features take than with the settings that were chosen for this scene "
         "(medians).\n"
         "tied: the difference is not distinguishable from zero\n" +
         table_text(rows);
}

std::string gain_line(const std::string& than, const Samples& baseline, const Samples& tuned) {
  return "  compared with " + than + " " + stats_text(baseline.stats()) + ": " + gain_text(baseline, tuned) +
         "\n";
}

/// Returns true if every shape uses the plan of default_plan_text(). A comparison with it is then not
/// necessary.
bool is_default_plan(const TuningProfile& profile) {
  return !profile.training &&
         std::all_of(profile.choices.begin(), profile.choices.end(), [](const TunedShape& tuned) {
           return tuned.choice.why == ChoiceReason::only_setting ||
                  tuned.choice.why == ChoiceReason::few_samples ||
                  tuned.choice.setting == KernelOffsets(tuned.shape.kernel, 1).max_threshold();
         });
}

/// Returns the name of the plan with which tuned plans are compared. Native layers have only t = 0.
std::string default_plan_text(const TuningProfile& profile) {
  const auto native = [](const TunedShape& tuned) { return tuned.shape.kernel.native(); };
  const auto& shapes = profile.choices;
  if (std::none_of(shapes.begin(), shapes.end(), native)) return "t = max";
  return std::all_of(shapes.begin(), shapes.end(), native) ? "t = 0" : "t = max (native layers: t = 0)";
}

std::string checks_text(const TuningProfile& profile) {
  const std::string standard = default_plan_text(profile);
  const std::string what = profile.training ? "training step" : "network";
  std::string text;
  for (const PlanCheck& check : profile.checks) {
    const std::string scene = profile.scenes.size() > 1 ? " on scene " + std::to_string(check.scene + 1) : "";
    text += "output" + scene + ": the largest difference between the outputs of the tuned plan and of " +
            standard + " is " + scientific(check.output.max_abs) + " (" + scientific(check.output.max_rel) +
            " of the largest value)" +
            (check.output.ok ? "; the output matches\n" : "; the output DIFFERS\n");
    if (!check.not_compiled.empty())
      text +=
          (check.layer_picks.ms.empty() ? "as one CUDA graph" : "single-layer settings as one CUDA graph") +
          scene + ": not compiled: " + printable(check.not_compiled) + "\n";
    if (!check.layer_picks.ms.empty()) {
      text += "network" + scene + ": as one CUDA graph " + stats_text(check.one_graph.stats()) +
              "; all layers use " + standard + "\n" +
              gain_line("single-layer settings", check.layer_picks, check.one_graph);
      continue;
    }
    if (check.tuned.ms.empty()) {
      text += what + scene +
              (is_default_plan(profile) ? ": the plan uses " + standard + " for all layers\n"
                                        : ": the time of the tuned plan was not compared with other plans\n");
      continue;
    }
    text += what + scene + ": tuned " + stats_text(check.tuned.stats()) + "\n" +
            gain_line(standard, check.all_output_stationary, check.tuned) +
            (standard == "t = 0" ? "" : gain_line("t = 0", check.all_weight_stationary, check.tuned));
    if (!check.one_graph.ms.empty())
      text += gain_line("t = max as one CUDA graph", check.one_graph, check.tuned);
  }
  return text;
}

std::string_view mark_of(SettingVerdict verdict) {
  switch (verdict) {
    case SettingVerdict::best:
      return "*";
    case SettingVerdict::tied:
      return "~";
    case SettingVerdict::undecided:
      return "?";
    case SettingVerdict::worse:
    case SettingVerdict::none:
      break;
  }
  return "";
}

/// Returns the name of a column with the smallest width of its cells.
std::string heading(const MatrixSetting& column) {
  const std::string name = column.text();
  return std::string(8 - std::min<std::size_t>(8, name.size()), ' ') + name;
}

/// Returns `text`, which ends with up to two marks, with spaces around it. All cells of a column have the
/// width of its heading, so that the digits of all rows are aligned.
std::string aligned(std::string text, const MatrixSetting& column) {
  constexpr std::size_t width_of_marks = 2;
  const std::size_t width = heading(column).size();
  const std::size_t marks = text.size() - text.find_last_of("0123456789-=x") - 1;
  text.append(width_of_marks - marks, ' ');
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string cell_text(const MatrixCell& cell, const MatrixSetting& column) {
  if (cell.state == CellState::infeasible) return {};
  const bool only = cell.state == CellState::measured && !(cell.relative > 0);
  std::string text = cell.state == CellState::unusable ? "x"
                     : cell.relative > 0               ? cell.relative_text()
                     : cell.modelled_relative > 0      ? fixed(cell.modelled_relative, 2) + "m"
                     : only                            ? "="
                                                       : "-";
  text += mark_of(cell.noisy_tie() ? SettingVerdict::undecided : cell.verdict);
  return aligned(cell.current ? "[" + text + "]" : text, column);
}

std::string totals_text(const SettingMatrix& matrix, const char* current) {
  const PicksTotal total = expected_total(matrix, current_picks(matrix), max_picks(matrix));
  if (total.layers == 0) return "expected      not known: nothing was measured\n";
  const std::string of_what =
      "\n              (maps, and features of " + counted_text(total.layers, "layer", "layers") + ")\n";
  const double saved = total.baseline_ms > 0 ? 1.0 - (total.ms / total.baseline_ms) : 0.0;
  std::string text = "expected      " + ms_text(total.ms) + " with " + current;
  if (current_picks(matrix) == max_picks(matrix)) {
    text += ", which is t = max";
  } else {
    text += ", " + ms_text(total.baseline_ms) + " with t = max: " + percent_text(std::abs(saved)) +
            (saved < 0 ? " more, " : " less, ") + std::string(text_of(total.verdict));
  }
  text += of_what;
  if (!total.missing.empty())
    text += "not included  " +
            counted_text(static_cast<std::int64_t>(total.missing.size()), "layer", "layers") +
            " with missing samples: " + printable(listed_names(total.missing)) + "\n";
  return text;
}

/// Returns the matrix as a table: one row for each layer and one column for each setting.
std::string cells_text(const SettingMatrix& matrix) {
  std::vector<std::vector<std::string>> rows{{"layer", "shape"}};
  for (const MatrixSetting& column : matrix.columns)
    rows.front().push_back(heading(column));
  for (const MatrixRow& row : matrix.rows) {
    rows.push_back({row.layer, row.shape.text(matrix.levels)});
    for (std::size_t at = 0; at < row.cells.size(); ++at)
      rows.back().push_back(cell_text(row.cells[at], matrix.columns[at]));
  }
  return table_text(rows);
}

std::string marks_text(const std::string& current) {
  return "marks         * best, ~ tied with the best, ? undecided (noisy, or fewer than " +
         std::to_string(fewest_samples_for_verdict) + " samples), [ ] " + current +
         ",\n              x output differs from t = max, - not measured\n";
}

/// Returns the 95 % intervals of ties that look clearly slower than the best setting. Layers of one shape
/// share their samples, so only the first of them is listed. Returns an empty string if no tie looks
/// clearly slower.
std::string noisy_ties_text(const SettingMatrix& matrix) {
  std::string text;
  std::set<std::pair<LayerShape, std::size_t>> listed;
  for (const MatrixRow& row : matrix.rows) {
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      const MatrixCell& cell = row.cells[at];
      if (!cell.noisy_tie()) continue;
      if (row.layers_of_shape > 1 && !listed.insert({row.shape, at}).second) continue;
      text += (text.empty() ? "noisy         " : ";\n              ") + printable(row.layer) + " " +
              matrix.columns[at].text() + ": " + cell.relative_text() +
              " (95 % interval: " + fixed(cell.relative_low, 2) + " to " + fixed(cell.relative_high, 2) + ")";
    }
  }
  return text.empty() ? text
                      : text + ";\n              with more samples, the listed settings may be decided\n";
}

/// Returns a text about the accuracy of the modelled cells, or the reason why there are none. Returns an
/// empty string if all cells are measured.
std::string models_text(const SettingMatrix& matrix) {
  std::vector<bool> needed(matrix.models.size());
  for (const MatrixRow& row : matrix.rows) {
    for (const MatrixCell& cell : row.cells) {
      if (cell.model >= 0 && cell.n == 0) needed[static_cast<std::size_t>(cell.model)] = true;
    }
  }
  std::string text;
  for (std::size_t at = 0; at < matrix.models.size(); ++at) {
    const ModelCheck& model = matrix.models[at];
    if (!needed[at]) continue;
    text += "modelled      " + model.basis + ": ";
    if (model.cells == 0) {
      text += "modelled times are not shown, because the model cannot be checked without measured times\n";
      continue;
    }
    text += "median error " + percent_text(model.median_error) + " on " +
            counted_text(model.cells, "measured cell", "measured cells") +
            (model.shown
                 ? " (m: modelled time of the features, divided by the time of the features at the best t)\n"
                 : "; modelled times are therefore not shown\n");
  }
  return text;
}

/// Returns a text with the median time of the whole network for each row of the sweep. A row has the same t
/// for all layers.
std::string one_t_text(const Sweep& sweep) {
  std::string text;
  bool undecided = false;
  for (const SweepRow& row : sweep.rows) {
    if (row.wall.ms.empty()) continue;
    const bool decided = row.standing == "fastest" || row.standing == "tied";
    undecided = undecided || row.standing == "undecided";
    text += (text.empty() ? "" : ", ") + row.label + " " + ms_text(row.wall.stats().median) +
            (decided ? " (" + row.standing + ")" : "");
  }
  return text.empty()
             ? text
             : "network       with the same t in all layers: " + text + (undecided ? "; undecided\n" : "\n");
}

/// Returns ", batch of 4" if the profile was tuned on batches, or ", batches of 1, 4" if the scenes have
/// different numbers of frames. Returns an empty string if all scenes are single frames.
std::string batches_text(const TuningProfile& profile) {
  std::set<int> batches;
  for (const TunedScene& scene : profile.scenes)
    batches.insert(scene.batch);
  if (batches.empty() || *batches.rbegin() == 1) return {};
  std::string text;
  for (const int batch : batches)
    text += (text.empty() ? (batches.size() == 1 ? ", batch of " : ", batches of ") : ", ") +
            std::to_string(batch);
  return text;
}

}  // namespace

namespace {

std::string group_cell_text(const GroupRow& row, const GroupCell& cell, const MatrixSetting& column) {
  if (!(cell.ms > 0) && cell.picked == 0) return aligned("-", column);
  const int picked = std::accumulate(row.cells.begin(), row.cells.end(), 0,
                                     [](int sum, const GroupCell& one) { return sum + one.picked; });
  const std::string text = (cell.ms > 0 ? fixed(cell.ms, 3) : "-") + std::string(mark_of(cell.verdict));
  if (cell.picked == 0) return aligned(text, column);
  return aligned(cell.picked == picked ? "[" + text + "]" : "(" + text + ")", column);
}

std::string extra_text(const std::optional<ExtraTime>& extra) {
  if (!extra) return "-";
  const bool marked = extra->verdict == SettingVerdict::tied || extra->verdict == SettingVerdict::undecided;
  return (extra->ms < 0 ? "" : "+") + fixed(extra->ms, 3) +
         (marked ? std::string(mark_of(extra->verdict)) : " ");
}

std::vector<std::string> group_cells(const GroupTable& table, const GroupRow& row) {
  std::vector<std::string> cells{
      table.map_text(row), row.layers.size() == 1 ? row.layers.front()
                                                  : row.layers.front() + " and " +
                                                        std::to_string(row.layers.size() - 1) + " more"};
  for (std::size_t at = 0; at < row.cells.size(); ++at)
    cells.push_back(group_cell_text(row, row.cells[at], table.columns[at]));
  cells.push_back(row.choice_ms ? fixed(*row.choice_ms, 3) : "-");
  cells.push_back(extra_text(row.one_dataflow));
  for (const auto& extra : row.bindings) {
    if (table.training) cells.push_back(extra_text(extra));
  }
  return cells;
}

std::string bindings_total_text(const GroupTotals& totals) {
  std::string text;
  for (std::size_t at = 0; at < all_bindings.size(); ++at) {
    if (!totals.bindings_ms.at(at)) continue;
    const double extra_ms = *totals.bindings_ms.at(at) - totals.choice_ms;
    text += (text.empty() ? "bindings      " : "\n              ") +
            std::string(text_of(all_bindings.at(at))) + ": " + ms_text(std::abs(extra_ms)) +
            (extra_ms < 0 ? " less" : " more") + " than the choices (" +
            percent_text(totals.choice_ms > 0 ? std::abs(extra_ms) / totals.choice_ms : 0) + ")";
  }
  return text.empty() ? text : text + "\n";
}

/// Returns the sums over the groups for which all times are known.
std::string groups_total_text(const GroupTotals& totals) {
  if (totals.groups == 0) return "expected      not known: nothing was measured\n";
  return "expected      " + ms_text(totals.choice_ms) + " with the chosen settings, " +
         ms_text(totals.one_dataflow_ms) + " with the best single dataflow of each group (" +
         counted_text(totals.groups, "group", "groups") + ")\n" + bindings_total_text(totals);
}

}  // namespace

std::string groups_text(const GroupTable& table, const TuningProfile& profile) {
  std::vector<std::vector<std::string>> rows{{"map", "layers"}};
  const GroupTotals totals = totals_of(table);
  for (const MatrixSetting& column : table.columns)
    rows.front().push_back(heading(column));
  rows.front().insert(rows.front().end(), {"choice", "one dataflow"});
  for (const Binding binding : all_bindings) {
    if (table.training) rows.front().emplace_back(text_of(binding));
  }
  for (const GroupRow& row : table.rows)
    rows.push_back(group_cells(table, row));
  std::string text =
      printable(profile.network) + ", " + std::string(text_of(profile.precision)) + batches_text(profile) +
      "\n" + table_text(rows) +
      "cells         median time in ms of all layers that share the map, if all of them use this setting;\n  "
      "            each map is built once; layers that support only one setting keep it\nchoice        the "
      "time in ms if each layer uses its chosen setting\none dataflow  time of the fastest cell minus the "
      "time in column choice\n" +
      std::string(table.training ? "bindings      the other columns: the passes in the heading must have the "
                                   "same setting in each layer.\n              A cell is the time with "
                                   "this restriction minus the time in column choice.\n              wgrad "
                                   "reads the map of the shared setting\n"
                                 : "") +
      "marks         * best, ~ tied with the best (to the right of column choice: tied with the choice),\n  "
      "            ? undecided (fewer than " +
      std::to_string(fewest_samples_for_verdict) +
      " samples), [ ] choice of all layers, ( ) choice of some layers,\n              - not measured\n" +
      groups_total_text(totals);
  if (!totals.missing.empty())
    text += "not included  " +
            counted_text(static_cast<std::int64_t>(totals.missing.size()), "layer", "layers") +
            " without samples: " + printable(listed_names(totals.missing)) + "\n";
  return text;
}

std::string matrix_text(const SettingMatrix& matrix, const TuningProfile& profile) {
  std::string text =
      printable(profile.network) + ", " + std::string(text_of(profile.precision)) + batches_text(profile) +
      "\n" + cells_text(matrix) +
      "cells         median time of all layers of the shape, divided by the time of the fastest setting of "
      "the "
      "row;\n"
      "              a cell includes the time of the map if no layer of another shape uses the map\n" +
      marks_text("current choice") + noisy_ties_text(matrix) + totals_text(matrix, "the current choices");
  if (const auto undecided = undecided_layers(profile); !undecided.empty())
    text += "undecided     " + printable(undecided_text(undecided)) + "\n";
  return text;
}

std::string matrix_text(const SettingMatrix& matrix, const Report& report) {
  const Sweep& sweep = *report.threshold_sweep;
  const bool whole = sweep.layer < 0;
  std::string text = printable(report.network.name) + ", " +
                     std::string(text_of(report.measurement.plan.precision)) + "\nrecorded      " +
                     printable(report.created) + " on " + printable(device_text(sweep.device)) +
                     "\nscene         " + printable(report.scene.name) + ", " +
                     (report.scene.batch > 1 ? std::to_string(report.scene.batch) + " frames, " : "") +
                     count_text(report.scene.voxels) + " voxels\nsweep         " + printable(sweep.subject) +
                     "\n" + cells_text(matrix);
  text +=
      whole ? "cells         median time of the layer, divided by the time of its fastest t;\n"
              "              a cell includes the time of the map if no other layer uses the map\n"
            : "cells         median time of the layer, divided by the time of its fastest t;\n              "
              "the cells of the swept layer include the time of its map; all other layers were measured only "
              "at\n              the t of the run\n";
  text += marks_text("t of the run") + "              = no other t of the layer was measured\n" +
          noisy_ties_text(matrix) + models_text(matrix) + (whole ? one_t_text(sweep) : std::string());
  return text + totals_text(matrix, "the t of the run");
}

std::string tune_text(const TuningProfile& profile) {
  std::string text = printable(profile.network) + ", " + std::string(text_of(profile.precision)) + "\n" +
                     shapes_text(profile) + scenes_text(profile) + packing_text(profile) +
                     regret_matrix_text(profile) + checks_text(profile);
  if (const auto undecided = undecided_layers(profile); !undecided.empty())
    text += "undecided     " + printable(undecided_text(undecided)) + "\n";
  if (!profile.undecided.empty()) {
    text += "not measured  " + std::to_string(profile.undecided.size()) + " layers; the first is " +
            printable(profile.undecided.front()) + "\n";
  }
  return text + "device        " + device_text(profile.device) + "\n";
}

}  // namespace spira::app

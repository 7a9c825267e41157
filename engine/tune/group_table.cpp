#include "engine/tune/group_table.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/run/backward.hpp"
#include "engine/tune/group_costs.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/tuner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace spira {
namespace {

/// The times of a group and the current settings. Layers of one shape are divided by their settings, because
/// the user can have changed the setting of some of them, and because a layer may have no dgrad.
struct CurrentGroup {
  GroupTimes times;
  SettingPicks picks;
};

LayerSetting setting_in(const Plan& plan, const Network& network, const Levels& levels, std::size_t layer,
                        LayerPass pass) {
  if (pass == LayerPass::forward) return setting_of(network.layers[layer], plan.layers.at(layer));
  const BackwardPlan backward = backward_of(plan, network, levels, layer);
  return setting_of(network.layers[layer], pass == LayerPass::dgrad ? backward.dgrad : backward.wgrad);
}

CurrentGroup current_group(const MeasuredTimes& measured, const MapGroup& group, const Network& network,
                           const Levels& levels, const Plan& current) {
  constexpr std::array<LayerPass, 3> passes{LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad};
  CurrentGroup result{{measured.times.maps, {}}, {}};
  const std::vector<bool> trained = trained_layers(network);
  std::size_t number = 0;
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    if (!position_of(measured, group, shape, LayerPass::forward)) continue;
    std::map<std::array<std::optional<LayerSetting>, 3>, int> parts;
    for (const std::string& name : group.layers[shape]) {
      const auto index = static_cast<std::size_t>(network.index_of(name));
      std::array<std::optional<LayerSetting>, 3> settings;
      for (std::size_t at = 0; at < passes.size(); ++at) {
        const bool exists = passes[at] == LayerPass::forward ||
                            (trained[index] &&
                             (passes[at] == LayerPass::wgrad || needs_dgrad(network, network.layers[index])));
        if (exists && position_of(measured, group, shape, passes[at]))
          settings.at(at) = setting_in(current, network, levels, index, passes[at]);
      }
      ++parts[settings];
    }
    for (const auto& [settings, layers] : parts) {
      for (std::size_t at = 0; at < passes.size(); ++at) {
        if (!settings.at(at)) continue;
        ShapeTimes times = measured.times.shapes[*position_of(measured, group, shape, passes[at])];
        times.layers = layers;
        times.shape = number;
        result.picks.push_back(*settings.at(at));
        result.times.shapes.push_back(std::move(times));
      }
      ++number;
    }
  }
  for (std::size_t at = measured.passes.size(); at < measured.times.shapes.size(); ++at) {
    ShapeTimes others = measured.times.shapes[at];
    others.shape = number++;
    result.picks.push_back(others.settings.front().setting);
    result.times.shapes.push_back(std::move(others));
  }
  return result;
}

/// Returns the time of `other` compared with `choice`. setting() must find all settings of both.
ExtraTime extra_time(const GroupCosts& costs, const SettingPicks& choice, const SettingPicks& other) {
  ExtraTime extra{costs.cost(other) - costs.cost(choice), SettingVerdict::none};
  const TimesApart apart = costs.apart(choice, other);
  const auto few = [](const std::vector<double>& ms) {
    return !ms.empty() && ms.size() < fewest_samples_for_verdict;
  };
  if (apart.one_ms.empty() && apart.other_ms.empty()) return extra;
  if (few(apart.one_ms) || few(apart.other_ms)) {
    extra.verdict = SettingVerdict::undecided;
  } else if (apart.one_ms.empty() || apart.other_ms.empty()) {
    extra.verdict = apart.one_ms.empty() ? SettingVerdict::worse : SettingVerdict::best;
  } else {
    // The faster one is the baseline, as in choose(). With few samples, the other direction can differ.
    const bool faster = extra.ms < 0;
    const Verdict found =
        faster ? verdict(apart.other_ms, apart.one_ms) : verdict(apart.one_ms, apart.other_ms);
    extra.verdict = found != Verdict::slower ? SettingVerdict::tied
                    : faster                 ? SettingVerdict::best
                                             : SettingVerdict::worse;
  }
  return extra;
}

/// Returns the column of a setting in a group whose largest threshold is `max_threshold`.
std::size_t column_of(const std::vector<MatrixSetting>& columns, const LayerSetting& setting,
                      int max_threshold) {
  const bool max = setting == max_threshold;
  return static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(),
                                               [&](const MatrixSetting& column) {
                                                 return column.of_layer(max_threshold) == setting &&
                                                        (!max || column.setting == MatrixSetting::t_max ||
                                                         max_threshold == 0);
                                               }) -
                                  columns.begin());
}

void fill_cells(GroupRow& row, const std::vector<MatrixSetting>& columns, const CurrentGroup& group,
                const std::vector<double>& weights) {
  const GroupCosts costs(group.times, weights);
  const int max_threshold = KernelOffsets(row.map.kernel, 1).max_threshold();
  const bool known = !group.picks.empty() && costs.knows(group.picks);
  if (known) row.choice_ms = costs.cost(group.picks);
  const std::vector<OneSetting> all = one_setting_for_all(group.times, costs);
  std::vector<SettingCost> of_settings;
  for (const OneSetting& one : all)
    of_settings.push_back({one.setting, one.cost_ms, one.n});
  const SettingVerdicts found =
      judge_settings(of_settings, max_threshold, [&](std::size_t best, std::size_t other) {
        return std::optional(costs.apart(all[best].settings, all[other].settings));
      });
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::size_t column = column_of(columns, all[at].setting, max_threshold);
    GroupCell& cell = row.cells.at(column);
    cell.state = CellState::measured;
    cell.ms = all[at].cost_ms;
    cell.n = all[at].n;
    cell.verdict = found.verdicts[at];
    if (static_cast<int>(at) != found.best) continue;
    row.best = static_cast<int>(column);
    if (known) row.one_dataflow = extra_time(costs, group.picks, all[at].settings);
  }
  for (std::size_t shape = 0; known && shape < group.picks.size(); ++shape) {
    const ShapeTimes& times = group.times.shapes[shape];
    if (times.settings.size() > 1)
      row.cells.at(column_of(columns, group.picks[shape], max_threshold)).picked += times.layers;
  }
}

void fill_bindings(GroupRow& row, const CurrentGroup& group, const std::vector<double>& weights) {
  const GroupCosts costs(group.times, weights);
  if (group.picks.empty() || !costs.knows(group.picks)) return;
  for (std::size_t at = 0; at < all_bindings.size(); ++at) {
    const SettingPicks settings = cheapest(group.times, costs, all_bindings.at(at));
    if (!settings.empty()) row.bindings.at(at) = extra_time(costs, group.picks, settings);
  }
}

/// Returns the state of a cell before the times are added.
CellState state_in(const MatrixSetting& column, const MapGroup& group, const MeasuredTimes& measured,
                   const Network& network) {
  const int max_threshold = KernelOffsets(group.map.kernel, 1).max_threshold();
  for (const ShapeTimes& times : measured.times.shapes) {
    for (const FeatureSetting& one : times.settings) {
      if (!one.usable && one.setting == column.of_layer(max_threshold)) return CellState::unusable;
    }
  }
  const bool feasible = std::any_of(group.layers.begin(), group.layers.end(), [&](const auto& names) {
    const auto index = static_cast<std::size_t>(network.index_of(names.front()));
    return plan_in(column, network.layers[index]).has_value();
  });
  return feasible ? CellState::not_measured : CellState::infeasible;
}

GroupRow empty_row(const MapGroup& group, const MeasuredTimes& measured, const Network& network,
                   const std::vector<MatrixSetting>& columns) {
  GroupRow row;
  row.map = group.map;
  row.cells.resize(columns.size());
  for (std::size_t column = 0; column < columns.size(); ++column)
    row.cells[column].state = state_in(columns[column], group, measured, network);
  for (std::size_t shape = 0; shape < group.shapes.size(); ++shape) {
    const auto& names = group.layers[shape];
    row.layers.insert(row.layers.end(), names.begin(), names.end());
    if (!position_of(measured, group, shape, LayerPass::forward))
      row.missing.insert(row.missing.end(), names.begin(), names.end());
  }
  for (auto* names : {&row.layers, &row.missing})
    std::sort(names->begin(), names->end(), [&](const std::string& a, const std::string& b) {
      return network.index_of(a) < network.index_of(b);
    });
  return row;
}

/// Removes the columns in which no row has a time or a choice.
void drop_empty_columns(GroupTable& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool used = std::any_of(table.rows.begin(), table.rows.end(), [&](const GroupRow& row) {
      return row.cells[column].ms > 0 || row.cells[column].picked > 0;
    });
    if (used) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (GroupRow& row : table.rows) {
      row.cells.erase(row.cells.begin() + at);
      if (row.best > static_cast<int>(column)) --row.best;
    }
  }
}

void add_extra(std::vector<std::string>& line, const std::optional<ExtraTime>& extra) {
  line.push_back(extra ? shortest(extra->ms) : "");
  line.push_back(extra ? std::string(text_of(extra->verdict)) : "");
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

std::string GroupTable::map_text(const GroupRow& row) const {
  return kernel_shape_text(row.map.kernel) + " " + level_text(levels, row.map.stride_in) + ">" +
         level_text(levels, row.map.stride_out);
}

GroupTable group_table(const TuningProfile& profile, const Network& network, const Plan& current) {
  require_network(profile, network);
  const std::vector<MapGroup> groups = groups_of(network, profile.training);
  const ScenePacks packs = packs_of(profile);
  const Levels levels = levels_of(network);
  GroupTable table;
  table.levels = levels.sets;
  table.training = profile.training;
  std::set<LayerSetting> settings;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    for (const LayerPass pass : {LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad}) {
      if (pass == LayerPass::forward || profile.training)
        settings.insert(setting_in(current, network, levels, at, pass));
    }
  }
  for (const FeatureRecord& record : profile.features)
    settings.insert(record.setting);
  table.columns = setting_columns(groups, settings);
  for (const MapGroup& group : groups) {
    const MeasuredTimes measured = measured_times(profile, group, packs);
    table.rows.push_back(empty_row(group, measured, network, table.columns));
    const auto counts = [](double weight) { return weight > 0; };
    if (std::none_of(measured.weights.begin(), measured.weights.end(), counts)) continue;
    const CurrentGroup now = current_group(measured, group, network, levels, current);
    fill_cells(table.rows.back(), table.columns, now, measured.weights);
    if (profile.training) fill_bindings(table.rows.back(), now, measured.weights);
  }
  drop_empty_columns(table);
  return table;
}

GroupTable group_table(const TuningProfile& profile, const Network& network) {
  require_network(profile, network);
  return group_table(profile, network, plan_of(profile, network));
}

GroupTotals totals_of(const GroupTable& table) {
  GroupTotals totals;
  totals.bindings_ms.fill(0.0);
  for (const GroupRow& row : table.rows) {
    totals.missing.insert(totals.missing.end(), row.missing.begin(), row.missing.end());
    if (!row.choice_ms || !row.one_dataflow) continue;
    ++totals.groups;
    totals.choice_ms += *row.choice_ms;
    totals.one_dataflow_ms += *row.choice_ms + row.one_dataflow->ms;
    for (std::size_t at = 0; at < all_bindings.size(); ++at) {
      auto& sum_ms = totals.bindings_ms.at(at);
      if (!row.bindings.at(at)) sum_ms.reset();
      if (sum_ms) *sum_ms += *row.choice_ms + row.bindings.at(at)->ms;
    }
  }
  if (!table.training || totals.groups == 0) totals.bindings_ms.fill(std::nullopt);
  return totals;
}

std::vector<GroupTerm> group_terms(const TuningProfile& profile, const Network& network, const MapKey& map,
                                   const LayerSetting& setting) {
  require_network(profile, network);
  const std::vector<MapGroup> groups = groups_of(network, profile.training);
  const auto group =
      std::find_if(groups.begin(), groups.end(), [&](const MapGroup& one) { return one.map == map; });
  if (group == groups.end()) return {};
  const MeasuredTimes measured = measured_times(profile, *group, packs_of(profile));
  const auto empty = [](const SceneSamples& scenes) {
    return std::all_of(scenes.begin(), scenes.end(), [](const auto& ms) { return ms.empty(); });
  };
  std::vector<GroupTerm> features, terms;
  if (std::none_of(measured.weights.begin(), measured.weights.end(), [](double one) { return one > 0; }))
    return terms;
  const GroupCosts costs(measured.times, measured.weights);
  std::set<LayerSetting> maps;
  for (std::size_t entry = 0; entry < measured.times.shapes.size(); ++entry) {
    const auto own = setting_like(measured.times, costs, entry, setting);
    if (!own) continue;
    maps.insert(own->of_map());
    const SceneSamples& ms = costs.setting(entry, *own)->ms;
    if (empty(ms)) continue;
    const GroupPass& pass = group->passes[measured.passes.at(entry)];
    features.push_back({group->layers[pass.shape], pass.pass, *own, {}, ms});
  }
  for (const LayerSetting& one : maps) {
    const MapSetting* found = costs.map(one);
    terms.push_back({{}, LayerPass::forward, one, found->algorithm, found->ms});
  }
  terms.insert(terms.end(), features.begin(), features.end());
  return terms;
}

std::string groups_csv(const GroupTable& table) {
  std::vector<std::string> head{
      "map",     "kernel_size", "stride_in",     "stride_out", "layers", "missing_layers",
      "setting", "verdict",     "picked_layers", "n",          "ms",     "choice_ms"};
  for (const char* name : {"one_dataflow", "all_passes_alike", "forward_dgrad", "dgrad_wgrad", "free"}) {
    head.push_back(std::string(name) + "_extra_ms");
    head.push_back(std::string(name) + "_verdict");
  }
  std::string text = csv_line(head);
  for (const GroupRow& row : table.rows) {
    const auto level = [&](int of) { return level_text(table.levels, of); };
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      const GroupCell& cell = row.cells[at];
      if (!(cell.ms > 0) && cell.picked == 0) continue;
      std::vector<std::string> line{table.map_text(row),
                                    text_of(row.map.kernel),
                                    level(row.map.stride_in),
                                    level(row.map.stride_out),
                                    joined_names(row.layers),
                                    joined_names(row.missing),
                                    table.columns[at].text(),
                                    std::string(text_of(cell.verdict)),
                                    std::to_string(cell.picked),
                                    std::to_string(cell.n),
                                    cell.ms > 0 ? shortest(cell.ms) : "",
                                    row.choice_ms ? shortest(*row.choice_ms) : ""};
      add_extra(line, row.one_dataflow);
      for (const auto& extra : row.bindings)
        add_extra(line, extra);
      text += csv_line(line);
    }
  }
  return text;
}

}  // namespace spira

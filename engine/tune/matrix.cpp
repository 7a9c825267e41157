#include "engine/tune/matrix.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/run/measurement.hpp"
#include "engine/tune/map_groups.hpp"
#include "engine/tune/sweep.hpp"
#include "engine/tune/tuner.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace spira {
namespace {

const FeatureSetting* times_with(const ShapeTimes& shape, const LayerSetting& setting) {
  for (const FeatureSetting& one : shape.settings) {
    if (one.setting == setting) return &one;
  }
  return nullptr;
}

std::int64_t fewest_samples(const SceneSamples& ms, const std::vector<double>& weights) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t scene = 0; scene < weights.size(); ++scene) {
    if (weights[scene] > 0)
      least = std::min(least, scene < ms.size() ? static_cast<std::int64_t>(ms[scene].size()) : 0);
  }
  return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

bool has_times(const ShapeTimes& shape, const LayerSetting& setting, const std::vector<double>& weights) {
  const FeatureSetting* one = times_with(shape, setting);
  return one != nullptr && one->usable && fewest_samples(one->ms, weights) > 0;
}

/// Two selections of settings for the layers of a group, in the form that compare_picks() requires.
struct Comparison {
  GroupTimes times;
  MatrixPicks one, other;
  std::vector<std::size_t> counted, missing;  // Indices into MatrixGroup::rows.
};

/// Returns the comparison of two selections. Omits the features of layers without samples. If both selections
/// give such a layer the same setting and its map was measured, the map is still included.
Comparison comparison_of(const MatrixGroup& group, const MatrixPicks& one, const MatrixPicks& other) {
  Comparison result;
  result.times.maps = group.times.maps;
  const auto has_map = [&](const LayerSetting& setting) {
    return std::any_of(group.times.maps.begin(), group.times.maps.end(), [&](const MapSetting& map) {
      return map.setting == setting.of_map() && fewest_samples(map.ms, group.weights) > 0;
    });
  };
  for (std::size_t at = 0; at < group.rows.size(); ++at) {
    const ShapeTimes& shape = group.times.shapes[at];
    const bool single = shape.settings.size() == 1;
    const bool known = has_times(shape, one[at], group.weights) &&
                       has_times(shape, other[at], group.weights) && has_map(one[at]) && has_map(other[at]);
    if (known) {
      result.counted.push_back(at);
    } else if (!single) {
      result.missing.push_back(at);
    }
    if (!known && (one[at] != other[at] || !has_map(one[at]))) continue;
    result.times.shapes.push_back(known ? shape : ShapeTimes{1, shape.max_threshold, {{one[at], {}, true}}});
    result.one.push_back(one[at]);
    result.other.push_back(other[at]);
  }
  return result;
}

MatrixPicks of_group(const MatrixGroup& group, const MatrixPicks& picks) {
  MatrixPicks own;
  for (const std::size_t row : group.rows)
    own.push_back(picks.at(row));
  return own;
}

/// Returns the cost of a selection for a group, or an empty value if a map was not measured.
std::optional<double> cost_of(const Comparison& one, const std::vector<double>& weights) {
  if (one.times.shapes.empty()) return 0.0;
  const auto found = compare_picks(one.times, one.one, one.one, weights);
  return found ? std::optional(found->one_cost_ms) : std::nullopt;
}

/// Computes the cells of the layers of one shape.
class ShapeCells {
 public:
  /// `members` contains the indices in `group` of the layers that have this shape. `picks` contains the
  /// current setting of each layer of the group.
  ShapeCells(const MatrixGroup& group, std::vector<std::size_t> members, MatrixPicks picks)
      : group_(group), members_(std::move(members)), picks_(std::move(picks)) {
    MatrixGroup others{{}, {group.times.maps, {}}, group.weights};
    MatrixPicks kept;
    for (std::size_t at = 0; at < group.rows.size(); ++at) {
      if (std::find(members_.begin(), members_.end(), at) != members_.end()) continue;
      others.rows.push_back(group.rows[at]);
      others.times.shapes.push_back(group.times.shapes[at]);
      kept.push_back(picks_[at]);
    }
    others_ms_ = cost_of(comparison_of(others, kept, kept), group.weights);
  }

  void fill(MatrixRow& row) const {
    for (MatrixCell& cell : row.cells) {
      if (cell.state != CellState::infeasible) fill(cell);
      row.measured = row.measured || cell.n > 0;
    }
    if (shape().settings.size() == 1) return;
    std::vector<SettingCost> costs;
    for (const MatrixCell& cell : row.cells)
      costs.push_back({cell.setting.dataflow(), cell.cost_ms, cell.n});
    const SettingVerdicts found = judge_settings(
        costs, shape().max_threshold,
        [&](std::size_t best, std::size_t other) { return times_apart(row.cells[best], row.cells[other]); });
    row.best = found.best;
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      MatrixCell& cell = row.cells[at];
      if (!(cell.cost_ms > 0)) continue;
      cell.relative = cell.cost_ms / row.cells[static_cast<std::size_t>(row.best)].cost_ms;
      cell.verdict = found.verdicts[at];
      if (const auto& ratio = found.ratios[at]) {
        cell.relative_low = ratio->low;
        cell.relative_high = ratio->high;
      }
      row.undecided = row.undecided || cell.verdict == SettingVerdict::undecided;
    }
  }

 private:
  [[nodiscard]] const ShapeTimes& shape() const { return group_.times.shapes[members_.front()]; }
  [[nodiscard]] MatrixPicks picks_with(const LayerSetting& setting) const {
    MatrixPicks picks = picks_;
    for (const std::size_t member : members_)
      picks[member] = setting;
    return picks;
  }

  void fill(MatrixCell& cell) const {
    const LayerSetting setting = cell.setting.dataflow();
    cell.setting.algorithm =
        algorithm_for(group_.times, setting, group_.weights).value_or(MapAlgorithm::z_delta);
    const FeatureSetting* found = times_with(shape(), setting);
    cell.n = found == nullptr ? 0 : fewest_samples(found->ms, group_.weights);
    if (cell.n == 0) return;
    const FeatureSetting& one = *found;
    cell.state = one.usable ? CellState::measured : CellState::unusable;
    for (std::size_t scene = 0; scene < one.ms.size(); ++scene) {
      const Statistics stats = statistics(one.ms[scene]);
      cell.median_ms += group_.weights[scene] * stats.median;
      cell.iqr_ms += group_.weights[scene] * stats.iqr();
    }
    cell.features_ms = cell.median_ms;
    const MatrixPicks picks = picks_with(setting);
    const auto total_ms = cost_of(comparison_of(group_, picks, picks), group_.weights);
    if (!one.usable || !total_ms || !others_ms_) return;
    cell.cost_ms = *total_ms - *others_ms_;
    const bool shared = [&] {
      for (std::size_t at = 0; at < picks_.size(); ++at) {
        const bool other = std::find(members_.begin(), members_.end(), at) == members_.end();
        if (other && picks_[at].of_map() == setting.of_map()) return true;
      }
      return false;
    }();
    if (!shared) cell.map_ms = cell.cost_ms - (static_cast<double>(members_.size()) * cell.median_ms);
  }

  [[nodiscard]] std::optional<TimesApart> times_apart(const MatrixCell& best, const MatrixCell& cell) const {
    const Comparison both =
        comparison_of(group_, picks_with(best.setting.dataflow()), picks_with(cell.setting.dataflow()));
    auto found = compare_picks(both.times, both.one, both.other, group_.weights);
    return found ? std::optional(std::move(found->apart)) : std::nullopt;
  }

  const MatrixGroup& group_;
  std::vector<std::size_t> members_;
  MatrixPicks picks_;
  std::optional<double> others_ms_;
};

/// Returns a column for each threshold that a layer supports, then one for each setting in `more`.
std::vector<MatrixSetting> columns_of(const std::vector<MapGroup>& groups, std::vector<MatrixSetting> more) {
  std::set<int> thresholds;
  bool max = false;
  for (const MapGroup& group : groups) {
    for (const GroupPass& pass : group.passes) {
      std::vector<int> feasible = pass.thresholds;
      // The only threshold of a transposed layer is 0. It belongs to the column t = 0 and not to the column t
      // = max.
      if (feasible.size() > 1) {
        max = true;
        feasible.pop_back();
      }
      thresholds.insert(feasible.begin(), feasible.end());
    }
  }
  std::vector<MatrixSetting> columns;
  for (const int t : thresholds)
    columns.push_back({t});
  if (max) columns.push_back({MatrixSetting::t_max});
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

/// Returns the columns for `settings` without the thresholds, in order of complexity. Settings that read all
/// offsets of a dense map share one column: their t = max differs only with the kernel size.
std::vector<MatrixSetting> columns_of_dataflows(const std::set<LayerSetting>& settings) {
  std::set<LayerSetting> columns;
  for (LayerSetting one : settings) {
    if (one.is_threshold()) continue;
    if (one.method == FeatureMethod::by_layout) one.threshold = MatrixSetting::t_max;
    columns.insert(one);
  }
  std::vector<MatrixSetting> sorted;
  for (const LayerSetting& one : columns)
    sorted.push_back({one});
  std::sort(sorted.begin(), sorted.end(), [](const MatrixSetting& a, const MatrixSetting& b) {
    return complexity_of(a.setting, MatrixSetting::t_max) < complexity_of(b.setting, MatrixSetting::t_max);
  });
  return sorted;
}

}  // namespace

std::optional<LayerPlan> plan_in(const MatrixSetting& column, const Layer& layer) {
  const std::vector<int> feasible = feasible_thresholds(layer);
  const int most = feasible.size() > 1 ? feasible.back() : MatrixSetting::t_max;
  const bool max = column.setting.threshold == MatrixSetting::t_max;
  if (max && most == MatrixSetting::t_max) return std::nullopt;
  // A layer with its largest threshold is in the column of t = max, and not in that of the number.
  if (column.setting.is_threshold() && !max && column.setting.threshold == most) return std::nullopt;
  LayerPlan plan;
  plan.set(column.of_layer(most));
  return why_not_plan(layer, plan).empty() ? std::optional(plan) : std::nullopt;
}

namespace {

/// Returns the cells of a row before the times are added.
std::vector<MatrixCell> empty_cells(const std::vector<MatrixSetting>& columns, const Layer& layer) {
  std::vector<MatrixCell> cells(columns.size());
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const auto plan = plan_in(columns[at], layer);
    if (!plan) continue;
    cells[at].state = CellState::not_measured;
    cells[at].setting = *plan;
  }
  return cells;
}

/// Returns the times of a group of layers, and the row of each layer in the matrix.
MatrixGroup matrix_group(const TuningProfile& profile, const Network& network, const MapGroup& group,
                         const ScenePacks& packs) {
  MeasuredTimes measured = measured_times(profile, group, packs);
  MatrixGroup result;
  result.weights = measured.weights;
  result.times.maps = std::move(measured.times.maps);
  for (std::size_t at = 0; at < group.shapes.size(); ++at) {
    const std::vector<int>& thresholds = group.passes[at].thresholds;
    ShapeTimes shape{1, thresholds.back(), {}};
    for (const int t : thresholds)
      shape.settings.push_back({t, {}, true});
    if (const auto found = position_of(measured, group, at, LayerPass::forward))
      shape.settings = measured.times.shapes[*found].settings;
    for (const std::string& layer : group.layers[at]) {
      result.rows.push_back(static_cast<std::size_t>(network.index_of(layer)));
      result.times.shapes.push_back(shape);
    }
  }
  return result;
}

/// Determines whether all layers of a shape share their times, or each layer has its own times.
enum class TimesOf : std::uint8_t { shape, layer };

void fill_group(SettingMatrix& matrix, const MatrixGroup& group, const MatrixPicks& current, TimesOf times) {
  std::set<LayerShape> done;
  for (std::size_t index = 0; index < group.rows.size(); ++index) {
    const std::size_t row = group.rows[index];
    const LayerShape shape = matrix.rows[row].shape;
    if (times == TimesOf::shape && !done.insert(shape).second) continue;
    std::vector<std::size_t> members;
    for (std::size_t at = 0; at < group.rows.size(); ++at) {
      const bool same = times == TimesOf::layer ? at == index : matrix.rows[group.rows[at]].shape == shape;
      if (same) members.push_back(at);
    }
    MatrixRow& first = matrix.rows[row];
    ShapeCells(group, members, of_group(group, current)).fill(first);
    for (const std::size_t member : members) {
      MatrixRow& same = matrix.rows[group.rows[member]];
      same.cells = first.cells;
      same.best = first.best;
      same.measured = first.measured;
      same.undecided = first.undecided;
      same.layers_of_shape = static_cast<int>(members.size());
    }
  }
}

void mark_current(MatrixRow& row, const LayerSetting& setting) {
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    MatrixCell& cell = row.cells[at];
    if (cell.state == CellState::infeasible || cell.setting.dataflow() != setting) continue;
    cell.current = true;
    row.current = static_cast<int>(at);
  }
}

/// Adds `more` to `sums`, round by round. The result has the length of the shorter list.
void add_by_round(std::vector<double>& sums, const std::vector<double>& more) {
  if (more.empty()) return;
  if (sums.empty()) sums.assign(more.size(), 0.0);
  sums.resize(std::min(sums.size(), more.size()));
  for (std::size_t round = 0; round < sums.size(); ++round)
    sums[round] += more[round];
}

/// Returns a matrix that has one row for each layer but no times. It has a column for each of the `settings`.
SettingMatrix empty_matrix(const Network& network, const std::vector<MapGroup>& groups,
                           const std::set<LayerSetting>& settings) {
  const Levels levels = levels_of(network);
  SettingMatrix matrix;
  matrix.columns = setting_columns(groups, settings);
  matrix.levels = levels.sets;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    MatrixRow row;
    row.layer = network.layers[at].name;
    row.shape = shape_of(network.layers[at], levels.layers[at]);
    row.map = levels.layers[at].map;
    row.cells = empty_cells(matrix.columns, network.layers[at]);
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

MatrixPicks settings_of(const Plan& plan, const Network& network) {
  MatrixPicks picks;
  for (std::size_t at = 0; at < network.layers.size(); ++at)
    picks.push_back(setting_of(network.layers[at], plan.layers.at(at)));
  return picks;
}

std::vector<double> samples_of(const StageTree& stages, const char* phase, const std::string& layer,
                               const char* step = "") {
  const int node = stages.find(StageKey(phase, layer, step));
  return node < 0 ? std::vector<double>() : stages.nodes[static_cast<std::size_t>(node)].samples_ms;
}

/// The stages of one layer with one setting. The first layer that needs a row order of a map computes it as a
/// part of its features. As in a profile, it counts for the map instead, because all layers of the map use
/// it.
struct LayerTimes {
  LayerPlan setting;
  std::vector<double> features_ms, map_ms, order_ms;
};

LayerTimes times_of(const StageTree& stages, const LayerPlan& setting, const std::string& layer) {
  LayerTimes times{setting, samples_of(stages, "features", layer), samples_of(stages, "map", layer),
                   samples_of(stages, "features", layer, "order")};
  if (times.order_ms.size() != times.features_ms.size()) times.order_ms.clear();
  for (std::size_t at = 0; at < times.order_ms.size(); ++at)
    times.features_ms[at] -= times.order_ms[at];
  return times;
}

void add_samples(std::vector<double>& to, const std::vector<double>& more) {
  if (to.empty()) to.assign(more.size(), 0.0);
  for (std::size_t at = 0; at < std::min(to.size(), more.size()); ++at)
    to[at] += more[at];
}

/// Returns the times of a layer in a sweep of the whole network. A layer that does not support the t of a row
/// ran with the nearest t that it supports. If the layer ran with the same t in several rows, the first of
/// these rows is used.
std::vector<LayerTimes> layer_times(const Sweep& sweep, const Plan& plan, const Network& network,
                                    std::size_t layer) {
  std::vector<LayerTimes> all;
  for (const SweepRow& row : sweep.rows) {
    if (!row.why_not.empty()) continue;
    Plan of_row = plan;
    set_threshold(of_row, network, row.threshold);
    LayerTimes times = times_of(row.stages, of_row.layers.at(layer), network.layers[layer].name);
    const auto known = std::find_if(all.begin(), all.end(), [&](const LayerTimes& one) {
      return one.setting.threshold == times.setting.threshold;
    });
    if (known == all.end()) {
      all.push_back(std::move(times));
    } else if (known->map_ms.empty()) {
      known->map_ms = std::move(times.map_ms);
    }
  }
  return all;
}

/// Adds the maps and row orders of a layer to a group. Skips maps that the group already contains.
void add_maps(MatrixGroup& group, const std::vector<LayerTimes>& all) {
  for (const LayerTimes& times : all) {
    const auto known =
        std::find_if(group.times.maps.begin(), group.times.maps.end(),
                     [&](const MapSetting& map) { return map.setting == times.setting.threshold; });
    if (known != group.times.maps.end()) {
      add_samples(known->ms.front(), times.order_ms);
    } else if (!times.map_ms.empty()) {
      group.times.maps.push_back({times.setting.threshold, times.setting.algorithm, {times.map_ms}});
      add_samples(group.times.maps.back().ms.front(), times.order_ms);
    }
  }
}

void add_features(MatrixGroup& group, std::size_t row, const std::vector<int>& feasible,
                  const std::vector<LayerTimes>& all) {
  ShapeTimes shape{1, feasible.back(), {}};
  for (const int t : feasible)
    shape.settings.push_back({t, {}, true});
  for (const LayerTimes& times : all) {
    for (FeatureSetting& setting : shape.settings) {
      if (setting.setting == times.setting.threshold && !times.features_ms.empty())
        setting.ms = {times.features_ms};
    }
  }
  group.rows.push_back(row);
  group.times.shapes.push_back(std::move(shape));
}

void sort_maps(MatrixGroup& group) {
  std::sort(group.times.maps.begin(), group.times.maps.end(),
            [](const MapSetting& a, const MapSetting& b) { return a.setting < b.setting; });
}

/// Returns the swept layer as a separate group, because its samples include the time of the map. Therefore
/// its maps take no additional time.
MatrixGroup swept_layer(const Sweep& sweep, const Plan& plan, const Network& network) {
  MatrixGroup group{{}, {}, {1.0}};
  const auto layer = static_cast<std::size_t>(sweep.layer);
  std::vector<LayerTimes> all;
  for (const SweepRow& row : sweep.rows) {
    LayerPlan setting = plan.layers.at(layer);
    setting.set_threshold(row.threshold);
    if (row.why_not.empty())
      all.push_back({setting, row.wall.ms, std::vector<double>(row.wall.ms.size(), 0.0), {}});
  }
  add_maps(group, all);
  add_features(group, layer, feasible_thresholds(network.layers[layer]), all);
  sort_maps(group);
  return group;
}

/// Sets MatrixCell::features_ms in the row of a swept layer. The samples of this row include the time of the
/// map, so the times of the features come from the stages of the sweep.
void set_features_of_swept(MatrixRow& row, const Sweep& sweep) {
  row.with_map = true;
  for (MatrixCell& cell : row.cells) {
    for (const SweepRow& one : sweep.rows) {
      if (cell.n > 0 && one.threshold == cell.setting.threshold)
        cell.features_ms = median_of(samples_of(one.stages, "features", row.layer));
    }
  }
}

std::string_view current_text(const MatrixCell& cell) {
  return cell.current ? "yes" : "";
}

}  // namespace

std::string MatrixSetting::text() const {
  return setting == t_max ? "t = max" : setting_text(setting, t_max);
}

LayerSetting MatrixSetting::of_layer(int max_threshold) const noexcept {
  LayerSetting own = setting;
  if (own.threshold == t_max) own.threshold = max_threshold;
  return own;
}

std::string_view text_of(CellState state) noexcept {
  constexpr std::array<std::string_view, 5> texts{"infeasible", "not measured", "modelled", "measured",
                                                  "unusable"};
  return texts.at(static_cast<std::size_t>(state));
}

bool MatrixCell::noisy_tie() const noexcept {
  constexpr double looks_slower = 1.05;
  return verdict == SettingVerdict::tied && relative >= looks_slower && relative_high > 0;
}

std::string MatrixCell::setting_text() const {
  return spira::setting_text(setting.dataflow(), setting.threshold);
}

std::string MatrixCell::relative_text() const {
  std::string text = fixed(relative, 2);
  if (verdict != SettingVerdict::worse || text != "1.00") return text;
  text = fixed(relative, 3);
  return text == "1.000" ? ">1.00" : text;
}

std::vector<MatrixSetting> setting_columns(const std::vector<MapGroup>& groups,
                                           const std::set<LayerSetting>& settings) {
  return columns_of(groups, columns_of_dataflows(settings));
}

SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network, const Plan& current) {
  require_network(profile, network);
  const std::vector<MapGroup> groups = groups_of(network);
  const ScenePacks packs = packs_of(profile);
  const MatrixPicks picks = settings_of(current, network);
  std::set<LayerSetting> settings(picks.begin(), picks.end());
  for (const FeatureRecord& record : profile.features) {
    if (record.pass == LayerPass::forward) settings.insert(record.setting);
  }
  SettingMatrix matrix = empty_matrix(network, groups, settings);
  for (const MapGroup& group : groups) {
    matrix.groups.push_back(matrix_group(profile, network, group, packs));
    fill_group(matrix, matrix.groups.back(), picks, TimesOf::shape);
  }
  for (std::size_t at = 0; at < matrix.rows.size(); ++at)
    mark_current(matrix.rows[at], picks[at]);
  return matrix;
}

SettingMatrix setting_matrix(const TuningProfile& profile, const Network& network) {
  return setting_matrix(profile, network, plan_of(profile, network));
}

bool has_matrix(const Sweep& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    const bool staged = std::any_of(row.stages.nodes.begin(), row.stages.nodes.end(),
                                    [](const StageNode& node) { return !node.samples_ms.empty(); });
    return row.threshold >= 0 && row.why_not.empty() && (sweep.layer < 0 ? staged : !row.wall.ms.empty());
  });
}

SettingMatrix setting_matrix(const Sweep& sweep, const Measurement& run, const Network& network,
                             const Plan& current) {
  const std::vector<MapGroup> groups = groups_of(network);
  const MatrixPicks picks = settings_of(current, network);
  SettingMatrix matrix = empty_matrix(network, groups, {picks.begin(), picks.end()});
  for (const MapGroup& group : groups) {
    MatrixGroup times{{}, {}, {1.0}};
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      if (matrix.rows[at].map != group.map || !network.layers[at].convolution()) continue;
      std::vector<LayerTimes> all;
      if (sweep.layer < 0) {
        all = layer_times(sweep, run.plan, network, at);
      } else if (at < run.layers.size() &&
                 setting_of(network.layers[at], run.plan.layers.at(at)).is_threshold()) {
        all.push_back(times_of(run.layers[at].stages, run.plan.layers.at(at), matrix.rows[at].layer));
      }
      add_maps(times, all);
      // The features of a swept layer are in a separate group, but other layers may need its map.
      if (sweep.layer != static_cast<int>(at))
        add_features(times, at, feasible_thresholds(network.layers[at]), all);
    }
    sort_maps(times);
    if (!times.rows.empty()) matrix.groups.push_back(std::move(times));
  }
  if (sweep.layer >= 0) matrix.groups.push_back(swept_layer(sweep, run.plan, network));
  for (const MatrixGroup& group : matrix.groups)
    fill_group(matrix, group, picks, TimesOf::layer);
  if (sweep.layer >= 0) set_features_of_swept(matrix.rows[static_cast<std::size_t>(sweep.layer)], sweep);
  for (std::size_t at = 0; at < matrix.rows.size(); ++at)
    mark_current(matrix.rows[at], picks[at]);
  return matrix;
}

namespace {

/// Returns the current setting of a layer. A layer that is not a convolution has none.
LayerSetting current_setting(const MatrixRow& row) {
  return row.current < 0 ? LayerSetting()
                         : row.cells.at(static_cast<std::size_t>(row.current)).setting.dataflow();
}

}  // namespace

MatrixPicks current_picks(const SettingMatrix& matrix) {
  MatrixPicks picks;
  for (const MatrixRow& row : matrix.rows)
    picks.push_back(current_setting(row));
  return picks;
}

MatrixPicks max_picks(const SettingMatrix& matrix) {
  MatrixPicks picks;
  for (const MatrixRow& row : matrix.rows) {
    int most = 0;
    for (const MatrixCell& cell : row.cells) {
      if (cell.setting.dataflow().is_threshold()) most = std::max(most, cell.setting.threshold);
    }
    picks.emplace_back(most);
  }
  return picks;
}

PicksTotal expected_total(const SettingMatrix& matrix, const MatrixPicks& picks,
                          const MatrixPicks& baseline) {
  PicksTotal total;
  TimesApart apart;
  for (const MatrixGroup& group : matrix.groups) {
    const MatrixPicks before = of_group(group, baseline), after = of_group(group, picks);
    Comparison both = comparison_of(group, before, after);
    const auto found = both.times.shapes.empty()
                           ? std::optional(PicksCompared{})
                           : compare_picks(both.times, both.one, both.other, group.weights);
    if (found) {
      total.baseline_ms += found->one_cost_ms;
      total.ms += found->other_cost_ms;
      total.layers += static_cast<int>(both.counted.size());
      for (const std::size_t at : both.counted) {
        for (const LayerSetting& setting : {before[at], after[at]}) {
          const std::int64_t n =
              fewest_samples(times_with(group.times.shapes[at], setting)->ms, group.weights);
          total.n = total.n == 0 ? n : std::min(total.n, n);
        }
      }
      add_by_round(apart.one_ms, found->apart.one_ms);
      add_by_round(apart.other_ms, found->apart.other_ms);
    } else {
      both.missing.insert(both.missing.end(), both.counted.begin(), both.counted.end());
    }
    for (const std::size_t at : both.missing)
      total.missing.push_back(matrix.rows[group.rows[at]].layer);
  }
  if (apart.one_ms.empty() && apart.other_ms.empty()) return total;
  if (apart.one_ms.empty()) {
    total.verdict = Verdict::slower;
  } else if (apart.other_ms.empty()) {
    total.verdict = Verdict::faster;
  } else {
    total.verdict = verdict(apart.one_ms, apart.other_ms);
  }
  return total;
}

namespace {

enum class Decision : std::uint8_t { none, faster, tied, undecided };

/// Returns whether the best setting of a layer is faster than its current setting.
Decision decision_on(const MatrixRow& row) {
  const auto possible = std::count_if(row.cells.begin(), row.cells.end(), [](const MatrixCell& cell) {
    return cell.state != CellState::infeasible;
  });
  // The tuner measures only one setting of a transposed layer.
  if (possible < 2 || row.current < 0 || row.shape.transposed) return Decision::none;
  if (row.best < 0 || row.cells[static_cast<std::size_t>(row.best)].verdict != SettingVerdict::best)
    return Decision::undecided;
  if (row.best == row.current) return Decision::none;
  const MatrixCell& current = row.cells[static_cast<std::size_t>(row.current)];
  if (current.verdict == SettingVerdict::worse || current.state == CellState::unusable)
    return Decision::faster;
  return current.verdict == SettingVerdict::tied ? Decision::tied : Decision::undecided;
}

/// Layers of one group and one shape that must change from one setting to another.
struct PickChange {
  double saved_ms = 0;
  std::vector<std::size_t> members;  // indices into MatrixGroup::rows
  LayerSetting setting;
};

/// Returns the changes of a group. The change that saves the most time is first.
std::vector<PickChange> changes_of(const SettingMatrix& matrix, const MatrixGroup& group) {
  std::map<std::pair<LayerShape, LayerSetting>, PickChange> changes;
  for (std::size_t at = 0; at < group.rows.size(); ++at) {
    const MatrixRow& row = matrix.rows[group.rows[at]];
    if (decision_on(row) != Decision::faster) continue;
    const MatrixCell &best = row.cells[static_cast<std::size_t>(row.best)],
                     &current = row.cells[static_cast<std::size_t>(row.current)];
    PickChange& change = changes[{row.shape, best.setting.dataflow()}];
    change.setting = best.setting.dataflow();
    change.saved_ms = current.cost_ms - best.cost_ms;
    change.members.push_back(at);
  }
  std::vector<PickChange> sorted;
  for (auto& [key, change] : changes)
    sorted.push_back(std::move(change));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PickChange& a, const PickChange& b) { return a.saved_ms > b.saved_ms; });
  return sorted;
}

}  // namespace

BestPicks best_picks(const SettingMatrix& matrix) {
  BestPicks best;
  for (const MatrixRow& row : matrix.rows) {
    best.picks.push_back(current_setting(row));
    const Decision decision = decision_on(row);
    if (decision == Decision::tied) best.tied.push_back(row.layer);
    if (decision == Decision::undecided) best.undecided.push_back(row.layer);
  }
  for (const MatrixGroup& group : matrix.groups) {
    for (const PickChange& change : changes_of(matrix, group)) {
      const MatrixPicks before = of_group(group, best.picks);
      MatrixPicks after = before;
      for (const std::size_t at : change.members)
        after[at] = change.setting;
      // An earlier change of the group can make this change useless, for example if it removed a map that
      // this setting needs.
      const Comparison both = comparison_of(group, before, after);
      const auto costs = compare_picks(both.times, both.one, both.other, group.weights);
      const bool replaced = std::any_of(change.members.begin(), change.members.end(), [&](std::size_t at) {
        const MatrixRow& row = matrix.rows[group.rows[at]];
        return row.cells[static_cast<std::size_t>(row.current)].state == CellState::unusable;
      });
      if (!replaced && !(costs && costs->other_cost_ms < costs->one_cost_ms)) continue;
      for (const std::size_t at : change.members) {
        best.picks[group.rows[at]] = change.setting;
        best.changed.push_back(group.rows[at]);
      }
    }
  }
  std::sort(best.changed.begin(), best.changed.end());
  return best;
}

namespace {

/// Returns the columns of the CSV about the time of a cell.
std::vector<std::string> csv_times(const MatrixCell& cell, const MatrixRow& row) {
  const bool costs = cell.cost_ms > 0;
  return {std::to_string(cell.n),
          cell.n > 0 ? shortest(cell.median_ms) : "",
          cell.n > 0 ? shortest(cell.iqr_ms) : "",
          std::to_string(row.layers_of_shape),
          costs ? shortest(cell.map_ms) : "",
          costs ? shortest(cell.cost_ms) : "",
          cell.relative > 0 ? shortest(cell.relative) : ""};
}

std::vector<std::string> csv_model(const MatrixCell& cell, const SettingMatrix& matrix) {
  if (cell.state != CellState::modelled) return {"", "", "", "", ""};
  const ModelCheck& model = matrix.models.at(static_cast<std::size_t>(cell.model));
  return {shortest(cell.modelled_ms), cell.modelled_relative > 0 ? shortest(cell.modelled_relative) : "",
          model.basis, shortest(model.median_error), std::to_string(model.cells)};
}

}  // namespace

std::string matrix_csv(const SettingMatrix& matrix) {
  std::string text = csv_line({"layer",
                               "kernel_size",
                               "stride_in",
                               "stride_out",
                               "in_channels",
                               "out_channels",
                               "map",
                               "setting",
                               "t",
                               "algorithm",
                               "state",
                               "verdict",
                               "current",
                               "n",
                               "median_ms",
                               "iqr_ms",
                               "layers_of_shape",
                               "map_ms",
                               "cost_ms",
                               "relative",
                               "modelled_ms",
                               "modelled_relative",
                               "model",
                               "model_error",
                               "model_cells"});
  for (const MatrixRow& row : matrix.rows) {
    const auto number = [](int value) { return std::to_string(value); };
    const auto level = [&](int of) { return level_text(matrix.levels, of); };
    const std::string map =
        kernel_shape_text(row.map.kernel) + " " + level(row.map.stride_in) + ">" + level(row.map.stride_out);
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      const MatrixCell& cell = row.cells[at];
      if (cell.state == CellState::infeasible) continue;
      std::vector<std::string> line{
          row.layer,
          text_of(row.shape.kernel),
          level(row.shape.stride_in),
          level(row.shape.stride_out),
          number(row.shape.in_channels),
          number(row.shape.out_channels),
          map,
          matrix.columns[at].text(),
          cell.setting.dataflow().is_threshold() ? number(cell.setting.threshold) : "",
          std::string(text_of(cell.setting.algorithm)),
          std::string(text_of(cell.state)),
          std::string(text_of(cell.verdict)),
          std::string(current_text(cell))};
      for (const auto& more : {csv_times(cell, row), csv_model(cell, matrix)})
        line.insert(line.end(), more.begin(), more.end());
      text += csv_line(line);
    }
  }
  return text;
}

}  // namespace spira

#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/facts/network_order.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/lesson/shuffled_level.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace spira {
namespace {

constexpr int largest_threshold = 10;  // The largest t, for K = 7.

bool is_measured(const LessonInput& input) {
  return input.run && input.run->measurement && input.run->network;
}

/// Returns, for each stage, the number of stages in the longest chain of dependencies before it.
std::map<StageKey, int> depths(const std::vector<StageNeeds>& stages) {
  std::map<StageKey, int> depth;
  for (const StageNeeds& stage : stages) {
    int& own = depth[stage.stage];
    for (const StageKey& need : stage.needs)
      own = std::max(own, depth[need] + 1);
  }
  return depth;
}

bool is_level(const StageKey& stage) {
  return stage.phase == "voxelize" || stage.phase == "downsample";
}

/// Creates one lane per stage. The box in a lane moves from the position of the stage in `before` to its
/// position in `after`.
LessonLanes moving_lanes(const std::vector<StageNeeds>& stages, const std::map<StageKey, int>& before,
                         const std::map<StageKey, int>& after) {
  LessonLanes lanes;
  lanes.unit = LessonLanes::Unit::waits;
  lanes.reveal = LessonLanes::Reveal::moving;
  for (const StageNeeds& stage : stages) {
    const auto lane = static_cast<int>(lanes.lanes.size());
    lanes.lanes.push_back(stage.stage.text());
    lanes.pieces.push_back({stage.stage, lane, static_cast<double>(before.at(stage.stage)), 1,
                            static_cast<double>(after.at(stage.stage)), true});
  }
  return lanes;
}

void append(const Timeline& timeline, int first_lane, bool lane_a_kind, LessonLanes& lanes) {
  for (const TimelineSpan& span : timeline.spans) {
    if (span.parent >= 0) continue;
    const bool indexing = is_indexing(span.stage);
    const int lane = first_lane + (lane_a_kind ? (indexing ? 0 : 1) : span.track);
    lanes.pieces.push_back({span.stage, lane, span.start_ms, span.length_ms(), span.start_ms, indexing});
  }
}

}  // namespace

LessonCurves work_curves(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  const DataflowWork work = count_work(level, level, offsets_of(input), job);
  LessonCurves curves;
  curves.curves = {{LessonCurves::Of::dense_slots, {}}, {LessonCurves::Of::sparse_pairs, {}}};
  const auto voxels = static_cast<double>(std::max<std::int64_t>(1, work.outputs));
  for (const ThresholdCount& count : work.thresholds) {
    curves.curves[0].points.push_back({count.threshold, static_cast<double>(count.dense_slots) / voxels, 0});
    curves.curves[1].points.push_back({count.threshold, static_cast<double>(count.sparse_pairs) / voxels, 0});
  }
  return curves;
}

LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job) {
  std::map<std::string, double> facts;
  for (const Fact& fact : threshold_facts(input, job))
    facts.emplace(fact.name, fact.value);
  LessonCurves curves;
  curves.unit = "ms";
  LessonCurves::Curve measured{LessonCurves::Of::measured, {}}, modelled{LessonCurves::Of::modelled, {}};
  for (int t = 0; t <= largest_threshold; ++t) {
    const std::string name = "threshold.t" + std::to_string(t) + ".";
    if (const auto time = facts.find(name + "measured_ms"); time != facts.end())
      measured.points.push_back({t, time->second, facts[name + "iqr_ms"]});
    if (const auto time = facts.find(name + "modelled_ms"); time != facts.end())
      modelled.points.push_back({t, time->second, 0});
  }
  if (!measured.points.empty()) curves.curves.push_back(std::move(measured));
  if (with_model && !modelled.points.empty()) curves.curves.push_back(std::move(modelled));
  return curves;
}

LessonCurves held_curves(const LessonInput& input) {
  LessonCurves curves;
  curves.over = LessonCurves::Over::layer;
  curves.unit = "B";
  if (!is_measured(input)) return curves;
  const MapMemory memory = map_memory(*input.run->network, *input.run->measurement);
  const auto add = [&](LessonCurves::Of of, const std::vector<std::size_t>& held) {
    LessonCurves::Curve curve{of, {}};
    for (std::size_t at = 0; at < held.size(); ++at)
      curve.points.push_back({static_cast<int>(at), static_cast<double>(held[at]), 0});
    if (!curve.points.empty()) curves.curves.push_back(std::move(curve));
  };
  add(LessonCurves::Of::held_network_wide, memory.network_wide);
  add(LessonCurves::Of::held_layer_by_layer, memory.layer_by_layer);
  return curves;
}

LessonColumns ratio_columns(const LessonInput& input) {
  LessonColumns columns;
  columns.of = LessonColumns::Of::in_situ_ratio;
  if (!is_measured(input)) return columns;
  for (const StageRatio& ratio : stage_ratios(*input.run->measurement))
    columns.columns.push_back({ratio.stage.text(), is_indexing(ratio.stage) ? 0 : 1, ratio.ratio(), -1});
  std::stable_sort(columns.columns.begin(), columns.columns.end(),
                   [](const auto& a, const auto& b) { return a.group < b.group; });
  return columns;
}

LessonLevels level_links(const LessonInput& input, Job& job) {
  LessonLevels links;
  links.levels.push_back({1, input.scene->level(1).size.value(), true});
  for (const LevelCheck& check : check_levels(*input.scene, job))
    links.levels.push_back({check.stride, check.voxels, check.closed_form && check.step_by_step});
  return links;
}

LessonLanes serial_lanes(const LessonInput& input) {
  LessonLanes lanes;
  if (!is_measured(input)) return lanes;
  lanes.lanes = {"indexing", "features"};
  append(serial_timeline(*input.run->measurement), 0, true, lanes);
  return lanes;
}

LessonLanes level_lanes(const LessonInput& input) {
  if (!is_measured(input)) return {};
  const auto& plan = input.run->measurement->plan;
  const auto steps = indexing_needs(*input.run->network, plan, LevelOrder::step_by_step);
  auto closed = indexing_needs(*input.run->network, plan, LevelOrder::closed_form);
  std::erase_if(closed, [](const StageNeeds& stage) { return !is_level(stage.stage); });
  return moving_lanes(closed, depths(steps), depths(closed));
}

LessonLanes map_lanes(const LessonInput& input) {
  if (!is_measured(input)) return {};
  const auto closed =
      indexing_needs(*input.run->network, input.run->measurement->plan, LevelOrder::closed_form);
  std::map<StageKey, int> order;
  for (const StageNeeds& stage : closed)
    order.emplace(stage.stage, static_cast<int>(order.size()));
  return moving_lanes(closed, order, depths(closed));
}

LessonLanes overlap_lanes(const LessonInput& input) {
  LessonLanes lanes;
  if (!is_measured(input)) return lanes;
  const Timeline& timeline = input.run->measurement->timeline;
  lanes.lanes = {"alone"};
  lanes.lanes.insert(lanes.lanes.end(), timeline.tracks.begin(), timeline.tracks.end());
  append(serial_timeline(*input.run->measurement), 0, false, lanes);
  append(timeline, 1, false, lanes);
  return lanes;
}

namespace {

using Of = LessonCurves::Of;

constexpr std::array<std::pair<int, Of>, 5> curve_of_stride{
    {{1, Of::stride_1}, {2, Of::stride_2}, {4, Of::stride_4}, {8, Of::stride_8}, {16, Of::stride_16}}};

Densities densities_at(const LessonInput& input, int stride, Job& job) {
  const SortedVoxels voxels = sorted_voxels(input.scene->level(stride));
  return densities_of(voxels, voxels, KernelOffsets(input.kernel_size, stride), job);
}

std::string name_of(const Voxel& offset, int stride) {
  const auto step = [&](std::size_t axis) { return std::to_string(offset.at(axis) / stride); };
  return "(" + step(0) + ", " + step(1) + ", " + step(2) + ")";
}

}  // namespace

LessonColumns norm_columns(const LessonInput& input, Job& job) {
  Densities found = densities_at(input, input.stride, job);
  std::stable_sort(found.columns.begin(), found.columns.end(), [](const auto& a, const auto& b) {
    return std::pair(a.l1, -a.matches) < std::pair(b.l1, -b.matches);
  });
  LessonColumns columns;
  for (const ColumnDensity& one : found.columns)
    columns.columns.push_back({name_of(one.offset, input.stride), one.l1, one.density, one.column});
  return columns;
}

LessonCurves stride_curves(const LessonInput& input, Job& job) {
  constexpr double percent = 100;
  LessonCurves curves;
  curves.over = LessonCurves::Over::norm;
  curves.unit = "%";
  for (const auto& [stride, of] : curve_of_stride) {
    const auto is_there = [stride = stride](const auto& level) { return level->stride == stride; };
    if (std::none_of(input.scene->levels.begin(), input.scene->levels.end(), is_there)) continue;
    LessonCurves::Curve curve{of, {}};
    for (const L1Density& norm : densities_at(input, stride, job).groups) {
      if (norm.l1 > 0) curve.points.push_back({norm.l1, percent * norm.mean, 0});
    }
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace spira

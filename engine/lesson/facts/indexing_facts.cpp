#include "engine/backend/host_read.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/facts/network_order.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/lesson/shuffled_level.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spira {
namespace {

constexpr std::array strides{2, 4, 8, 16};
constexpr std::array names_of_level{
    "voxels",    "closed_form",    "step_by_step", "closed_form_reads", "step_by_step_reads",
    "waits_for", "wrong_by_adding"};

std::string of_level(int stride, const char* name) {
  return "indexing.v" + std::to_string(stride) + "." + name;
}

/// Collects the facts of the "network" group.
class FactList {
 public:
  void count(const std::string& name, std::int64_t value) {
    facts_.push_back(count_fact("network." + name, value));
  }
  void number(const std::string& name, double value) {
    facts_.push_back(exact_fact("network." + name, value));
  }
  void ms(const std::string& name, double value) {
    facts_.push_back(exact_fact("network." + name, value, "ms"));
  }
  void bytes(const std::string& name, std::size_t value) {
    facts_.push_back(exact_fact("network." + name, static_cast<double>(value), "B"));
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::vector<Fact> facts_;
};

void add_totals(const Measurement& measured, FactList& list) {
  const Statistics wall = measured.wall.stats();
  list.count("layers", std::ssize(measured.layers));
  list.ms("sum_of_stages_ms", measured.sum_of_stages_ms());
  list.ms("wall_ms", wall.median);
  list.ms("wall_iqr_ms", wall.iqr());
  list.count("wall_samples", wall.n);
  double maps = measured.indexing.sum_of_tops_ms(), features = 0;
  for (const LayerMeasurement& layer : measured.layers) {
    for (std::size_t at = 0; at < layer.stages.nodes.size(); ++at) {
      const StageNode& node = layer.stages.nodes[at];
      if (node.parent >= 0) continue;
      (layer.stages.key(static_cast<int>(at)).phase == "map" ? maps : features) +=
          layer.stages.median_ms(static_cast<int>(at));
    }
  }
  list.ms("indexing_alone_ms", maps);
  list.ms("features_alone_ms", features);
  if (measured.compiled_wall.ms.empty()) return;
  list.ms("compiled_wall_ms", measured.compiled_wall.stats().median);
  list.count("compiled_samples", std::ssize(measured.compiled_wall.ms));
}

/// Adds the ratio of in-situ time to isolated time for a phase to `list`. Adds nothing if no stage of the
/// phase has both times.
void add_ratio(const std::vector<StageRatio>& ratios, std::string_view phase, const std::string& name,
               FactList& list) {
  std::vector<double> of_stage;
  for (const StageRatio& ratio : ratios) {
    if (ratio.stage.phase == phase) of_stage.push_back(ratio.ratio());
  }
  if (!of_stage.empty()) list.number(name, median_of(of_stage));
}

void add_timeline(const Measurement& measured, FactList& list) {
  const Timeline& timeline = measured.timeline;
  if (timeline.empty()) return;
  const TimelinePart indexing = timeline_part(timeline, true), features = timeline_part(timeline, false);
  list.count("side_by_side", timeline.mode == TimelineMode::in_situ ? 1 : 0);
  list.count("tracks", std::ssize(timeline.tracks));
  list.ms("timeline_sum_ms", indexing.sum_ms + features.sum_ms);
  list.ms("timeline_wall_ms", timeline.shown_wall_ms());
  list.count("timeline_repetitions", std::ssize(timeline.wall_ms));
  list.number("overlap_factor", timeline.overlap_factor());
  list.count("indexing.pieces", indexing.spans);
  list.ms("indexing.sum_ms", indexing.sum_ms);
  list.ms("indexing.wall_ms", indexing.wall_ms());
  list.number("indexing.overlap_factor", indexing.overlap_factor());
  if (!timeline.marked_ms.empty() && !timeline.unmarked_ms.empty()) {
    list.ms("marked_ms", median_of(timeline.marked_ms));
    list.ms("unmarked_ms", median_of(timeline.unmarked_ms));
    list.ms("mark_cost_ms", timeline.mark_cost_ms());
  }
  const auto ratios = stage_ratios(measured);
  if (ratios.empty()) return;
  add_ratio(ratios, "map", "in_situ_ratio.maps", list);
  add_ratio(ratios, "features", "in_situ_ratio.features", list);
  const auto longest = std::max_element(ratios.begin(), ratios.end(),
                                        [](const auto& a, const auto& b) { return a.ratio() < b.ratio(); });
  list.number("in_situ_ratio.largest", longest->ratio());
}

void add_memory(const LessonRun& run, FactList& list) {
  const MapMemory memory = map_memory(*run.network, *run.measurement);
  if (memory.maps.empty()) return;
  const auto peak = [](const std::vector<std::size_t>& held) {
    return *std::max_element(held.begin(), held.end());
  };
  list.count("maps", std::ssize(memory.maps));
  list.bytes("maps.total_bytes", memory.total_bytes());
  list.bytes("maps.peak_bytes.layer_by_layer", peak(memory.layer_by_layer));
  list.bytes("maps.peak_bytes.network_wide", peak(memory.network_wide));
}

void add_waits(const LessonRun& run, FactList& list) {
  const auto closed = indexing_needs(*run.network, run.measurement->plan, LevelOrder::closed_form);
  const auto steps = indexing_needs(*run.network, run.measurement->plan, LevelOrder::step_by_step);
  list.count("indexing.stages", std::ssize(closed));
  list.count("indexing.longest_wait.closed_form", longest_wait(closed));
  list.count("indexing.longest_wait.step_by_step", longest_wait(steps));
}

}  // namespace

std::vector<std::string> indexing_fact_names() {
  std::vector<std::string> names{"indexing.levels", "indexing.levels_equal", "indexing.voxels"};
  for (const int stride : strides) {
    for (const char* name : names_of_level)
      names.push_back(of_level(stride, name));
  }
  return names;
}

std::vector<Fact> indexing_facts(const LessonInput& input, Job& job) {
  std::vector<Fact> facts;
  std::int64_t equal = 0;
  const auto checks = check_levels(*input.scene, job);
  for (const LevelCheck& check : checks) {
    equal += check.closed_form && check.step_by_step ? 1 : 0;
    const std::array<std::int64_t, names_of_level.size()> values{check.voxels,
                                                                 check.closed_form ? 1 : 0,
                                                                 check.step_by_step ? 1 : 0,
                                                                 check.closed_form_reads,
                                                                 check.step_by_step_reads,
                                                                 check.waits_for,
                                                                 check.wrong_by_adding};
    for (std::size_t at = 0; at < values.size(); ++at)
      facts.push_back(count_fact(of_level(check.stride, names_of_level.at(at)), values.at(at)));
  }
  facts.push_back(count_fact("indexing.levels", std::ssize(checks)));
  facts.push_back(count_fact("indexing.levels_equal", equal));
  facts.push_back(count_fact("indexing.voxels", input.scene->level(1).size.value()));
  return facts;
}

std::vector<std::string> network_fact_names() {
  std::vector<std::string> names;
  for (const char* name : {"measured",
                           "recorded",
                           "layers",
                           "sum_of_stages_ms",
                           "wall_ms",
                           "wall_iqr_ms",
                           "wall_samples",
                           "indexing_alone_ms",
                           "features_alone_ms",
                           "compiled_wall_ms",
                           "compiled_samples",
                           "side_by_side",
                           "tracks",
                           "timeline_sum_ms",
                           "timeline_wall_ms",
                           "timeline_repetitions",
                           "overlap_factor",
                           "indexing.pieces",
                           "indexing.sum_ms",
                           "indexing.wall_ms",
                           "indexing.overlap_factor",
                           "marked_ms",
                           "unmarked_ms",
                           "mark_cost_ms",
                           "in_situ_ratio.maps",
                           "in_situ_ratio.features",
                           "in_situ_ratio.largest",
                           "maps",
                           "maps.total_bytes",
                           "maps.peak_bytes.layer_by_layer",
                           "maps.peak_bytes.network_wide",
                           "indexing.stages",
                           "indexing.longest_wait.closed_form",
                           "indexing.longest_wait.step_by_step"})
    names.push_back(std::string("network.") + name);
  return names;
}

std::vector<Fact> network_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the run", 0, 0});
  const bool measured = input.run && input.run->measurement && input.run->network;
  FactList list;
  list.count("measured", measured ? 1 : 0);
  if (!measured) return list.take();
  list.count("recorded", input.run->recorded ? 1 : 0);
  add_totals(*input.run->measurement, list);
  add_timeline(*input.run->measurement, list);
  add_memory(*input.run, list);
  add_waits(*input.run, list);
  return list.take();
}

std::vector<std::string> scene_fact_names() {
  std::vector<std::string> names{"scene.points", "scene.kept"};
  for (const char* name : {"scene.low", "scene.high", "scene.length"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job) {
  const PointCloud& cloud = *input.scene->cloud;
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % rows_per_checkpoint == 0) job.checkpoint({"measuring the extent", at, cloud.size()});
    const Point& p = cloud.positions[static_cast<std::size_t>(at)];
    if (!input.scene->grid.keeps(p)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low.at(axis) = std::min(low.at(axis), p.at(axis));
      high.at(axis) = std::max(high.at(axis), p.at(axis));
    }
  }
  std::vector<Fact> facts{count_fact("scene.points", cloud.size()),
                          count_fact("scene.kept", input.scene->kept)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(exact_fact(of_axis("scene.low", axis), low.at(axis), "m"));
    facts.push_back(exact_fact(of_axis("scene.high", axis), high.at(axis), "m"));
    facts.push_back(exact_fact(of_axis("scene.length", axis), high.at(axis) - low.at(axis), "m"));
  }
  return facts;
}

std::vector<std::string> voxel_fact_names() {
  std::vector<std::string> names{"voxels.count",  "voxels.points_per_voxel", "voxels.most_points",
                                 "voxels.merged", "voxels.with.1",           "voxels.with.2",
                                 "voxels.with.3", "voxels.with.4_or_more"};
  for (const char* name :
       {"voxels.size", "voxels.scale", "voxels.span", "voxels.shift", "voxels.lowest", "voxels.highest"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> voxel_facts(const LessonInput& input, Job& job) {
  const VoxelScene& scene = *input.scene;
  const CoordSet& level = scene.level(1);
  const std::int64_t voxels = size_of(level);
  std::array<std::int64_t, 4> with{};
  std::int32_t most = 0;
  for (const std::int32_t points : scene.points_per_voxel) {
    ++with.at(static_cast<std::size_t>(std::clamp(points, 1, 4) - 1));
    most = std::max(most, points);
  }
  Voxel lowest{INT32_MAX, INT32_MAX, INT32_MAX}, highest{INT32_MIN, INT32_MIN, INT32_MIN};
  for (std::int64_t row = 0; row < voxels; ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"examining the voxels", row, voxels});
    const Voxel voxel = voxel_at(level, row);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lowest.at(axis) = std::min(lowest.at(axis), voxel.at(axis));
      highest.at(axis) = std::max(highest.at(axis), voxel.at(axis));
    }
  }
  std::vector<Fact> facts{
      count_fact("voxels.count", voxels),
      exact_fact("voxels.points_per_voxel", static_cast<double>(scene.kept) / static_cast<double>(voxels)),
      count_fact("voxels.most_points", most),
      count_fact("voxels.merged", scene.kept - voxels),
      count_fact("voxels.with.1", with[0]),
      count_fact("voxels.with.2", with[1]),
      count_fact("voxels.with.3", with[2]),
      count_fact("voxels.with.4_or_more", with[3])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = scene.grid.voxel_m.at(axis), first = input.first_voxel_m.at(axis);
    facts.push_back(exact_fact(of_axis("voxels.size", axis), size, "m"));
    facts.push_back(exact_fact(of_axis("voxels.scale", axis), first > 0 ? size / first : 1));
    facts.push_back(count_fact(of_axis("voxels.span", axis), scene.span.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.shift", axis), scene.shift.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.lowest", axis), lowest.at(axis)));
    facts.push_back(count_fact(of_axis("voxels.highest", axis), highest.at(axis)));
  }
  return facts;
}

}  // namespace spira

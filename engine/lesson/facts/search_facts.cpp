#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/search_trace.hpp"
#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/run/replay/hash_slots.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "engine/run/voxel_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira {
namespace {

constexpr std::array all_methods{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query};
// The longest scan after a search, in keys, for K = 7.
constexpr int longest_scan = 7;

/// Collects the facts of one recorded search. The names of these facts begin with the name of the group.
class FactList {
 public:
  FactList(std::string group, const SearchReplay& replay) : group_(std::move(group)), replay_(replay) {}

  void exact(const std::string& name, double value) { facts_.push_back({group_ + name, value, 0, {}, 0, 0}); }
  void estimate(const std::string& name, const SampledMean& of) {
    if (replay_.exact()) return exact(name, of.value);
    facts_.push_back({group_ + name,
                      of.value,
                      of.error,
                      {},
                      static_cast<std::size_t>(replay_.sampled_queries),
                      static_cast<std::size_t>(replay_.queries)});
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::string group_;
  const SearchReplay& replay_;
  std::vector<Fact> facts_;
};

std::string of_method(MapAlgorithm algorithm, const std::string& name) {
  return std::string(text_of(algorithm)) + "." + name;
}

void add_methods(const SearchReplay& replay, FactList& list) {
  for (const MapAlgorithm algorithm : all_methods) {
    const MethodReplay& method = replay.of(algorithm);
    list.exact(of_method(algorithm, "searches"), static_cast<double>(method.searches));
    list.estimate(of_method(algorithm, "comparisons_per_query"), method.comparisons);
    list.estimate(of_method(algorithm, "sectors_per_query"), method.sectors);
  }
  list.estimate("walk.comparisons_per_query", replay.walk_comparisons);
  list.estimate("walk.sectors_per_query", replay.walk_sectors);
}

void add_scans(const SearchReplay& replay, FactList& list) {
  list.estimate("scan.mean", replay.scan_mean);
  for (std::size_t length = 0; length < replay.scan_lengths.size(); ++length)
    list.estimate("scan.length." + std::to_string(length), replay.scan_lengths[length]);
}

/// Returns the mean number of matches per output. Always counts all outputs. The searches, in contrast, may
/// be replayed only for a sample of the outputs.
double matches_per_output(const CoordSet& level, const KernelOffsets& offsets, Job& job) {
  const DataflowWork work = count_work(level, level, offsets, job);
  return work.outputs > 0 ? static_cast<double>(work.pairs) / static_cast<double>(work.outputs) : 0;
}

std::vector<std::string> names_of(const std::string& group, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names)
    all.push_back(group + name);
  for (const MapAlgorithm algorithm : all_methods) {
    for (const char* name : {"searches", "comparisons_per_query", "sectors_per_query"})
      all.push_back(group + of_method(algorithm, name));
  }
  all.push_back(group + "walk.comparisons_per_query");
  all.push_back(group + "walk.sectors_per_query");
  all.push_back(group + "scan.mean");
  for (int length = 0; length <= longest_scan; ++length)
    all.push_back(group + "scan.length." + std::to_string(length));
  return all;
}

}  // namespace

std::vector<std::string> search_fact_names() {
  return names_of("search.", {"kernel_size", "stride", "voxels", "columns", "groups", "queries",
                              "queries_replayed", "halvings", "matches_per_output", "hash.slots", "hash.load",
                              "hash.build_probes", "hash.build_probes_per_voxel", "sort.comparisons",
                              "sort.comparisons_per_voxel", "three_key.pairs", "three_key.side_by_side"});
}

std::vector<Fact> search_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  const KernelOffsets offsets = offsets_of(input);
  const SearchReplay replay = replay_search(level, level, offsets, {}, job);
  const auto voxels = static_cast<double>(replay.inputs);
  FactList list("search.", replay);
  list.exact("kernel_size", replay.kernel_size);
  list.exact("stride", replay.stride);
  list.exact("voxels", voxels);
  list.exact("columns", offsets.columns());
  list.exact("groups", offsets.z_groups());
  list.exact("queries", static_cast<double>(replay.queries));
  list.exact("queries_replayed", static_cast<double>(replay.sampled_queries));
  // The number of steps of a binary search that has N + 1 possible results.
  list.exact("halvings", std::ceil(std::log2(voxels + 1)));
  list.exact("matches_per_output", matches_per_output(level, offsets, job));
  list.exact("hash.slots", static_cast<double>(replay.slots));
  list.exact("hash.load", voxels / static_cast<double>(replay.slots));
  list.exact("hash.build_probes", static_cast<double>(replay.build_probes));
  list.exact("hash.build_probes_per_voxel",
             voxels > 0 ? static_cast<double>(replay.build_probes) / voxels : 0);
  const auto sorting =
      static_cast<double>(merge_comparisons(words_in_file_order(*input.scene, input.stride, job), job));
  list.exact("sort.comparisons", sorting);
  list.exact("sort.comparisons_per_voxel", voxels > 0 ? sorting / voxels : 0);
  const NeighbourCount neighbours = count_neighbours(level, job);
  list.exact("three_key.pairs", static_cast<double>(neighbours.pairs));
  list.exact("three_key.side_by_side", static_cast<double>(neighbours.side_by_side));
  add_methods(replay, list);
  add_scans(replay, list);
  return list.take();
}

std::vector<std::string> shuffled_search_fact_names() {
  return names_of("search_shuffled.", {"voxels", "matches_per_output"});
}

std::vector<Fact> shuffled_search_facts(const LessonInput& input, Job& job) {
  const CoordSet shuffled = shuffled_level(input.scene->level(input.stride), shuffle_seed, job);
  const KernelOffsets offsets = offsets_of(input);
  const SearchReplay replay = replay_search(shuffled, shuffled, offsets, {}, job);
  FactList list("search_shuffled.", replay);
  list.exact("voxels", static_cast<double>(replay.inputs));
  list.exact("matches_per_output", matches_per_output(shuffled, offsets, job));
  add_methods(replay, list);
  add_scans(replay, list);
  return list.take();
}

namespace {

constexpr std::array algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                MapAlgorithm::sorted_query};

void keep(const StageTree& stages, const char* name, std::vector<double>& samples_ms) {
  const int node = stages.find({"map", "lesson", name});
  if (node >= 0) samples_ms.push_back(stages.median_ms(node));
}

}  // namespace

std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene, int kernel_size,
                                          int stride, int rounds, Job& job) {
  require_kernel(scene, kernel_size);
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, stride);
  const CoordSet& host = scene.level(stride);
  CoordSet copy;
  if (!backend.results_are_host_memory()) copy = backend.upload(host);
  const CoordSet& level = backend.results_are_host_memory() ? host : copy;
  std::vector<SearchTimes> times;
  for (const MapAlgorithm algorithm : algorithms)
    times.push_back({algorithm, {}, {}});
  for (int round = -1; round < rounds; ++round) {
    for (SearchTimes& of : times) {
      job.checkpoint({"timing the searches", round + 1, rounds + 1});
      const MapRequest request = request_for_threshold(offsets, of.algorithm, offsets->max_threshold(), true);
      Recorder recorder(backend.stages());
      Job timed = job.with_recorder(&recorder);
      {
        const auto stage = timed.stage("map[lesson]");
        static_cast<void>(backend.build_map(level, level, request, timed));
      }
      const StageTree stages = recorder.take();
      if (round < 0) continue;  // The warm-up round is not recorded.
      keep(stages, "preprocess", of.preprocess_ms);
      keep(stages, "search", of.search_ms);
    }
  }
  return times;
}

namespace {

/// Returns the number of comparisons of a binary search: one per step, and one to check the voxel at the
/// final position.
std::int64_t comparisons_of(const BracketTrace& trace, std::int64_t inputs) {
  return std::ssize(trace.steps) + (trace.at < inputs ? 1 : 0);
}

/// Sums over all queries of one voxel.
struct Sums {
  std::int64_t hits = 0, bracket_comparisons = 0, group_comparisons = 0, probes = 0;
};

Sums sums_of(const CoordSet& level, const HashSlots& table, Voxel output, const KernelOffsets& offsets) {
  Sums sums;
  for (int column = 0; column < offsets.columns(); ++column) {
    const BracketTrace trace = trace_bracket(level, output, offsets, column);
    sums.hits += trace.found ? 1 : 0;
    sums.bracket_comparisons += comparisons_of(trace, size_of(level));
    sums.probes += std::ssize(trace_probes(level, table, output, offsets, column).steps);
  }
  for (int group = 0; group < offsets.z_groups(); ++group) {
    const GroupTrace trace = trace_group(level, output, offsets, group);
    sums.group_comparisons += std::ssize(trace.anchor.steps) + std::ssize(trace.scan);
  }
  return sums;
}

void add_norms(std::vector<Fact>& facts, const LessonInput& input, const KernelOffsets& offsets) {
  std::vector<int> norms;
  for (const int column : input.columns) {
    if (column < offsets.columns()) norms.push_back(offsets.l1(column));
  }
  if (norms.empty()) return;
  const auto [lowest, highest] = std::minmax_element(norms.begin(), norms.end());
  facts.push_back(count_fact("traced.offsets.lowest_l1", *lowest));
  facts.push_back(count_fact("traced.offsets.highest_l1", *highest));
}

void add_broken_grid(std::vector<Fact>& facts, const LessonInput& input, Job& job) {
  const int stride = std::max(input.stride, 2);
  if (!has_level(*input.scene, stride)) return;
  const CoordSet& level = input.scene->level(stride);
  const std::int64_t row = stride == input.stride ? traced_row(input) : 0;
  const auto broken = break_stride_grid(level, row, input.kernel_size, job);
  if (!broken) return;
  facts.push_back(count_fact("traced.broken.stride", stride));
  facts.push_back(count_fact("traced.broken.fires", broken->assertion.empty() ? 0 : 1));
  facts.push_back(count_fact("traced.broken.missed", std::ssize(broken->missed)));
}

}  // namespace

std::int64_t traced_row(const LessonInput& input) {
  const CoordSet& level = input.scene->level(input.stride);
  const std::int64_t middle = size_of(level) / 2;
  return input.voxel ? row_of_voxel(level, *input.voxel).value_or(middle) : middle;
}

int traced_column(const LessonInput& input) {
  const KernelOffsets offsets(input.kernel_size, input.stride);
  if (input.columns.size() == 1 && input.columns.front() < offsets.columns()) return input.columns.front();
  const int origin = offsets.centred() ? offsets.centre() : 0;
  return std::min(origin + 1, offsets.columns() - 1);
}

std::vector<std::string> traced_fact_names() {
  std::vector<std::string> names{"traced.row",
                                 "traced.hits",
                                 "traced.bsearch.comparisons",
                                 "traced.zdelta.comparisons",
                                 "traced.hash.probes",
                                 "traced.one.found",
                                 "traced.one.halvings",
                                 "traced.one.position",
                                 "traced.one.scan_keys",
                                 "traced.one.group_hits",
                                 "traced.one.probes",
                                 "traced.offsets.lowest_l1",
                                 "traced.offsets.highest_l1",
                                 "traced.broken.stride",
                                 "traced.broken.fires",
                                 "traced.broken.missed"};
  for (const char* name : {"traced.voxel", "traced.offset", "traced.anchor"})
    add_axes(names, name);
  return names;
}

std::vector<Fact> traced_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"tracing the searches of one voxel", 0, 0});
  const CoordSet& level = input.scene->level(input.stride);
  if (size_of(level) == 0) return {};
  const KernelOffsets offsets = offsets_of(input);
  const std::int64_t row = traced_row(input);
  const int column = traced_column(input);
  const Voxel output = voxel_at(level, row), offset = offsets.offset(column);
  const HashSlots table(LevelKeys(level), job);
  const Sums sums = sums_of(level, table, output, offsets);
  const BracketTrace one = trace_bracket(level, output, offsets, column);
  const GroupTrace group = trace_group(level, output, offsets, column / input.kernel_size);
  const ProbeTrace probes = trace_probes(level, table, output, offsets, column);
  std::vector<Fact> facts{
      count_fact("traced.row", row),
      count_fact("traced.hits", sums.hits),
      count_fact("traced.bsearch.comparisons", sums.bracket_comparisons),
      count_fact("traced.zdelta.comparisons", sums.group_comparisons),
      count_fact("traced.hash.probes", sums.probes),
      count_fact("traced.one.found", one.found ? 1 : 0),
      count_fact("traced.one.halvings", std::ssize(one.steps)),
      count_fact("traced.one.position", one.at),
      count_fact("traced.one.scan_keys", std::ssize(group.scan)),
      count_fact("traced.one.group_hits", input.kernel_size - std::ssize(group.misses)),
      count_fact("traced.one.probes", std::ssize(probes.steps)),
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.push_back(count_fact(of_axis("traced.voxel", axis), output.at(axis)));
    facts.push_back(count_fact(of_axis("traced.offset", axis), offset.at(axis)));
    facts.push_back(count_fact(of_axis("traced.anchor", axis), group.anchor.wanted.at(axis)));
  }
  add_norms(facts, input, offsets);
  add_broken_grid(facts, input, job);
  return facts;
}

namespace {

/// Returns the largest stride on any axis of a level of the network.
std::int64_t stride_of(const LayerResult& layer, int number) {
  return layer.scene->level(number).rule.stride().largest();
}

}  // namespace

std::vector<std::string> layer_fact_names() {
  return {"layer.chosen",     "layer.kernel_size", "layer.stride_in", "layer.stride_out",
          "layer.transposed", "layer.threshold",   "layer.hybrid",    "layer.map_shared",
          "layer.map_bytes",  "layer.outputs",     "layer.pairs",     "layer.max_threshold"};
}

std::vector<Fact> layer_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the layer", 0, 0});
  std::vector<Fact> facts{count_fact("layer.chosen", input.layer ? 1 : 0)};
  if (!input.layer) return facts;
  const LayerResult& layer = *input.layer;
  const KernelOffsets& offsets = *layer.map->offsets;
  const int threshold = layer.levels.transposed ? 0 : layer.plan.threshold;
  const bool hybrid = threshold > 0 && threshold < offsets.max_threshold();
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"kernel_size", offsets.z_cells()},
           {"stride_in", stride_of(layer, layer.levels.stride_in)},
           {"stride_out", stride_of(layer, layer.levels.stride_out)},
           {"transposed", layer.levels.transposed ? 1 : 0},
           {"threshold", threshold},
           {"max_threshold", offsets.max_threshold()},
           {"hybrid", hybrid ? 1 : 0},
           {"map_shared", layer.map_shared ? 1 : 0},
           {"outputs", layer.features->rows},
           {"pairs", layer.densities.pairs}})
    facts.push_back(count_fact(std::string("layer.") + name, value));
  facts.push_back(exact_fact("layer.map_bytes", static_cast<double>(layer.map->bytes()), "B"));
  return facts;
}

}  // namespace spira

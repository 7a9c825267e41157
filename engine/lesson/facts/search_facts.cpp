#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/search_trace.hpp"
#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/fact_list.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/run/replay/search_replay.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace spira {
namespace {

constexpr std::array all_methods{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query};
// For the largest kernel, the scan after a search reads at most 7 keys.
constexpr int longest_scan = 7;

/// Collects the facts of one recorded search. All names begin with the name of the group.
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

/// Returns the mean number of matches per output. Counts all outputs, even if the searches are sampled.
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
  // Depth of a binary search with N + 1 possible results.
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

}  // namespace spira

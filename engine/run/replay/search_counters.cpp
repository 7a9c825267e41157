#include "engine/run/replay/search_counters.hpp"

#include "engine/job/job.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cmath>

namespace spira {
namespace {

CountedSearches counted(const SearchReplay& replay) {
  CountedSearches result;
  result.queries = replay.queries;
  result.sampled_queries = replay.sampled_queries;
  for (std::size_t method = 0; method < replay.methods.size(); ++method) {
    result.comparisons.at(method) = replay.methods.at(method).comparisons;
    result.sectors.at(method) = replay.methods.at(method).sectors;
  }
  result.walk_comparisons = replay.walk_comparisons;
  return result;
}

/// Adds `share` times `mean` to `sum`. Maps are sampled independently, so the squares of their errors add up.
void add(SampledMean& sum, const SampledMean& mean, double share) {
  sum.value += share * mean.value;
  sum.error = std::hypot(sum.error, share * mean.error);
}

}  // namespace

CountedSearches SearchCounters::whole() const {
  CountedSearches all;
  for (const CountedMap& map : maps) {
    all.queries += map.counted.queries;
    all.sampled_queries += map.counted.sampled_queries;
  }
  for (const CountedMap& map : maps) {
    if (all.queries == 0) break;
    const CountedSearches& one = map.counted;
    const double share = static_cast<double>(one.queries) / static_cast<double>(all.queries);
    for (std::size_t method = 0; method < all.comparisons.size(); ++method) {
      add(all.comparisons.at(method), one.comparisons.at(method), share);
      add(all.sectors.at(method), one.sectors.at(method), share);
    }
    add(all.walk_comparisons, one.walk_comparisons, share);
  }
  return all;
}

SearchCounters count_searches(const VoxelScene& scene, const Network& network, Job& job,
                              std::int64_t max_queries) {
  SearchCounters counters;
  for (const MapKey& key : levels_of(network).maps) {
    const KernelOffsets offsets(key.kernel_size, key.stride_in);
    const ReplaySample sample{.max_queries = max_queries};
    counters.maps.push_back({key, counted(replay_search(scene.level(key.stride_in),
                                                        scene.level(key.stride_out), offsets, sample, job))});
  }
  return counters;
}

}  // namespace spira

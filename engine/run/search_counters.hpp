// What the searches of a network's kernel maps compare and read, by the replay with counters
// (search_replay.hpp). Nothing that is timed counts, and nothing here is timed.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/levels.hpp"
#include "engine/run/sampled_mean.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace spira {

class Job;
struct VoxelScene;

struct CountedSearches {
  std::int64_t queries = 0, sampled_queries = 0;
  std::array<SampledMean, 4> comparisons, sectors;  ///< a query, by MapAlgorithm
  SampledMean walk_comparisons;                     ///< as SearchReplay has them
  bool operator==(const CountedSearches&) const = default;
};

struct CountedMap {
  MapKey key;
  CountedSearches counted;
  bool operator==(const CountedMap&) const = default;
};

struct SearchCounters {
  std::vector<CountedMap> maps;  ///< each once, in the order of first use
  /// A query of all maps together: each map weighs as much as it has queries.
  [[nodiscard]] CountedSearches whole() const;
  bool operator==(const SearchCounters&) const = default;
};

/// About so many queries of each map are replayed, 30 blocks of 256 outputs at the least.
constexpr std::int64_t counted_queries = std::int64_t{1} << 16;

/// Of the levels of `scene`, which has all that `network` needs. Throws Error(cancelled).
[[nodiscard]] SearchCounters count_searches(const VoxelScene& scene, const Network& network, Job& job,
                                            std::int64_t most_queries = counted_queries);

}  // namespace spira

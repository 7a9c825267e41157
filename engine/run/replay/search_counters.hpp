// Counts the comparisons and reads of the kernel map searches of a network. The counts come from a replay
// (search_replay.hpp). Timed code contains no counters.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace spira {

class Job;
struct VoxelScene;

/// A mean per query, computed from all queries or from a sample of blocks.
struct SampledMean {
  double value = 0;
  /// Half the width of the 95 % interval. 0 if all queries were counted.
  double error = 0;
  bool operator==(const SampledMean&) const = default;
};

struct CountedSearches {
  std::int64_t queries = 0, sampled_queries = 0;
  std::array<SampledMean, 4> comparisons, sectors;  ///< Means per query, indexed by MapAlgorithm.
  /// See SearchReplay::walk_comparisons.
  SampledMean walk_comparisons;
  bool operator==(const CountedSearches&) const = default;
};

struct CountedMap {
  MapKey key;
  CountedSearches counted;
  bool operator==(const CountedMap&) const = default;
};

struct SearchCounters {
  std::vector<CountedMap> maps;  ///< Each map without native neighbours once, in the order of first use.
  /// Returns the means per query over all maps. Each map is weighted by its number of queries.
  [[nodiscard]] CountedSearches whole() const;
  bool operator==(const SearchCounters&) const = default;
};

/// The approximate number of queries that are replayed per map. At least 30 blocks of 256 outputs are
/// replayed, or the whole map if it is smaller.
constexpr std::int64_t counted_queries = std::int64_t{1} << 16;

/// Counts the searches of a network on the levels of `scene`. The scene must have all levels that the network
/// needs. Throws `Error(cancelled)`.
[[nodiscard]] SearchCounters count_searches(const VoxelScene& scene, const Network& network, Job& job,
                                            std::int64_t max_queries = counted_queries);

}  // namespace spira

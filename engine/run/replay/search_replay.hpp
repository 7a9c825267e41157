// Replays the four search methods for a kernel map on the CPU and counts their comparisons and reads. The
// replay is not timed.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/replay/search_counters.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace spira {

struct MethodReplay {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  /// Number of searches for all outputs of the level. There is one search per query or one per z-group.
  std::int64_t searches = 0;
  SampledMean comparisons, sectors;  ///< Means per query.
  /// Number of matches in the sample. It is the same for all four methods.
  std::int64_t matches = 0;
};

struct SearchReplay {
  int kernel_size = 0, stride = 1;
  std::int64_t inputs = 0, outputs = 0;
  /// `queries` is the number of outputs times K^3. `sampled_queries` is how many of them were replayed.
  std::int64_t queries = 0, sampled_queries = 0;
  std::array<MethodReplay, 4> methods;  ///< Indexed by MapAlgorithm.
  /// Comparisons per query of the z-delta search in the kernels of this program. These kernels do not search
  /// all inputs for each output; the search starts at the anchor of the previous output.
  SampledMean walk_comparisons;
  /// Sectors per query that the search of walk_comparisons reads. The search is modelled as a single thread
  /// that caches only the last sector.
  SampledMean walk_sectors;
  /// Element n is the share of z-groups in which the local scan reads n keys. Shape: `[K+1]`.
  std::vector<SampledMean> scan_lengths;
  SampledMean scan_mean;  ///< Mean number of keys that the local scan of a z-group reads.
  /// The number of slots of the hash table, and the number of probes to insert all inputs.
  std::int64_t slots = 0, build_probes = 0;

  [[nodiscard]] const MethodReplay& of(MapAlgorithm algorithm) const {
    return methods.at(static_cast<std::size_t>(algorithm));
  }
  [[nodiscard]] bool exact() const noexcept { return sampled_queries == queries; }
};

struct ReplaySample {
  /// Approximate maximum number of queries to replay. At least 30 blocks are replayed, even if they contain
  /// more queries.
  std::int64_t max_queries = std::int64_t{1} << 22;
  std::uint64_t seed = 1;  ///< Seed for the random selection of blocks.
};

/// Number of outputs per block. A sample consists of whole blocks.
constexpr std::int64_t replayed_outputs = 256;

/// Replays the searches of a map. Simulates the threads of a GPU: each thread processes one output, 32
/// neighbouring outputs run in lockstep, and the offsets or z-groups follow one after another.
/// - The z-delta search is the one-shot search of the Spira paper (section 5.2): one binary search over all
///   inputs for the anchor, then at most K keys.
/// - In the sorted search, all queries of a block search the same window of the inputs.
///
/// All queries count, including those outside the scene. If `found` is set, calls `found(output, column,
/// input)` for each match of the z-delta search.
[[nodiscard]] SearchReplay replay_search(
    const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, const ReplaySample& sample,
    Job& job, const std::function<void(std::int64_t output, int column, std::int64_t input)>& found = {});

}  // namespace spira

// Replays the four searches of a kernel map on the CPU. Counts the searches, comparisons and reads. The
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
  /// Number of searches in the whole level: one per query, or one per z-group.
  std::int64_t searches = 0;
  SampledMean comparisons, sectors;  ///< Means per query.
  /// Number of matches in the sample. It is equal for all four methods.
  std::int64_t matches = 0;
};

struct SearchReplay {
  int kernel_size = 0, stride = 1;
  std::int64_t inputs = 0, outputs = 0;
  /// `queries` is the number of outputs * K^3. `sampled_queries` is the number of replayed queries.
  std::int64_t queries = 0, sampled_queries = 0;
  std::array<MethodReplay, 4> methods;  ///< Indexed by MapAlgorithm.
  /// Comparisons per query if the z-delta search of an output starts at the anchor of the previous output
  /// instead of searching all inputs. The kernels of this program search in this way.
  SampledMean walk_comparisons;
  /// Sectors per query that the search behind walk_comparisons reads. The model is a single thread that
  /// stores only the last sector.
  SampledMean walk_sectors;
  /// Element n is the share of z-groups in which the local scan reads n keys. Shape: `[K+1]`.
  std::vector<SampledMean> scan_lengths;
  SampledMean scan_mean;  ///< Mean number of keys that the local scan reads per z-group.
  /// Number of slots of the hash table, and number of probes that inserting all inputs requires.
  std::int64_t slots = 0, build_probes = 0;

  [[nodiscard]] const MethodReplay& of(MapAlgorithm algorithm) const {
    return methods.at(static_cast<std::size_t>(algorithm));
  }
  [[nodiscard]] bool exact() const noexcept { return sampled_queries == queries; }
};

struct ReplaySample {
  /// Approximate maximum of replayed queries. At least 30 blocks are replayed, even if this exceeds the
  /// maximum.
  std::int64_t max_queries = std::int64_t{1} << 22;
  std::uint64_t seed = 1;  ///< Seed for the random selection of blocks.
};

/// Number of outputs per block. The sample consists of whole blocks.
constexpr std::int64_t replayed_outputs = 256;

/// Replays the searches of a map. The threads work as on a GPU: one thread per output, 32 neighbouring
/// outputs in lockstep, and one offset or z-group at a time.
/// - Z-delta search is the one-shot search of the Spira paper (section 5.2): one binary search over all
///   inputs for the anchor, then at most K keys.
/// - In the sorted search, all queries of a block search the same window of the inputs.
///
/// Every query counts, even if it is outside the scene. If `found` is set, calls `found(output, column,
/// input)` for each match of z-delta search.
[[nodiscard]] SearchReplay replay_search(
    const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, const ReplaySample& sample,
    Job& job, const std::function<void(std::int64_t output, int column, std::int64_t input)>& found = {});

}  // namespace spira

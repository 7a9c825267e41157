// The four searches of a kernel map replayed on the CPU with counters: what they start, compare and read.
// Nothing here is ever timed.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/sampled_mean.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace spira {

struct MethodReplay {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::int64_t searches = 0;         ///< started in the whole level: one a query, or one a z-group
  SampledMean comparisons, sectors;  ///< a query, of both
  std::int64_t matches = 0;          ///< found in the sample: the same for all four
};

struct SearchReplay {
  int kernel_size = 0, stride = 1;
  std::int64_t inputs = 0, outputs = 0;
  std::int64_t queries = 0, sampled_queries = 0;  ///< outputs * K^3, and those replayed
  std::array<MethodReplay, 4> methods;            ///< by MapAlgorithm
  /// Comparisons a query where z-delta search walks on from the anchor of the output before, as the kernels
  /// of this program do, instead of searching anew.
  SampledMean walk_comparisons;
  /// Sectors a query that this walk reads: a thread alone, of which the sector that it read last stays.
  SampledMean walk_sectors;
  std::vector<SampledMean>
      scan_lengths;       ///< [K+1]: share of the z-groups whose local scan reads so many keys
  SampledMean scan_mean;  ///< keys a z-group
  std::int64_t slots = 0, build_probes = 0;  ///< of the hash table, whole

  [[nodiscard]] const MethodReplay& of(MapAlgorithm algorithm) const {
    return methods.at(static_cast<std::size_t>(algorithm));
  }
  [[nodiscard]] bool exact() const noexcept { return sampled_queries == queries; }
};

struct ReplaySample {
  std::int64_t most_queries = std::int64_t{1} << 22;  ///< about; 30 blocks at the least
  std::uint64_t seed = 1;                             ///< of the choice of blocks
};

constexpr std::int64_t replayed_outputs = 256;  ///< of a block: the sample is of whole blocks

/// Threads are as on a GPU: one an output, 32 neighbouring outputs in lockstep, for one offset or z-group at
/// a time. Z-delta is the one-shot search of section 5.2: one binary search over all inputs for the anchor,
/// then K keys at the most; sorted queries share a window of the inputs in a block. Each query counts, also
/// those that leave the scene. `found(output, column, input)`, where given, is told each match of z-delta
/// search.
[[nodiscard]] SearchReplay replay_search(
    const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, const ReplaySample& sample,
    Job& job, const std::function<void(std::int64_t output, int column, std::int64_t input)>& found = {});

}  // namespace spira

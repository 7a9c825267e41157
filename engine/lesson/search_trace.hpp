// One search step by step, for pictures: the bracket of a binary search, the local scan of a z-group, the
// slots of a hash table, and why no key can stand between two neighbours.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// One halving: inputs [begin, end) may still be the first that is not below the wanted one.
struct BracketStep {
  std::int64_t begin = 0, end = 0, middle = 0;
  Voxel voxel{};       ///< at the middle
  bool below = false;  ///< it is below the wanted one: the search goes on behind it
};
struct BracketTrace {
  Voxel wanted{};  ///< output plus offset; components may lie outside the scene
  int column = 0;
  std::vector<BracketStep> steps;
  std::int64_t at = 0;  ///< first input that is not below; the number of inputs: none
  bool found = false;
};
[[nodiscard]] BracketTrace trace_bracket(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                         int column);

/// One key that the local scan of a z-group reads.
struct ScanStep {
  std::int64_t row = 0;  ///< of the input
  Voxel voxel{};
  /// The offset that it is the input of; -1: of none, because it is beyond the group, which ends the scan, or
  /// off the stride grid.
  int column = -1;
};
struct GroupTrace {
  int group = 0;
  BracketTrace anchor;
  std::vector<ScanStep> scan;  ///< K at the most
  std::vector<int> misses;     ///< columns of the group without an input
};
[[nodiscard]] GroupTrace trace_group(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                     int group);

struct ProbeStep {
  std::int64_t slot = 0;
  std::int64_t row = -1;  ///< of the input whose key is there; -1: free
  Voxel voxel{};          ///< of that input
  bool match = false;
};
struct ProbeTrace {
  Voxel wanted{};
  int column = 0;
  bool asked = true;             ///< false: the query leaves the packing, so no slot is looked at
  std::vector<ProbeStep> steps;  ///< the last one matches or is free
};
class HashSlots;
/// `table` is of the keys of `in`.
[[nodiscard]] ProbeTrace trace_probes(const CoordSet& in, const HashSlots& table, Voxel output,
                                      const KernelOffsets& offsets, int column);

/// (x, y, z) and (x, y, z + s) of a level of stride s, as they stand in its array.
struct Neighbours {
  std::int64_t low_row = 0, high_row = 0;
  Voxel low{}, high{};
  std::uint64_t low_key = 0, high_key = 0;  ///< they differ by s, and no multiple of s lies between
};
/// The pair whose lower row is `row` or the next one after it, else the first of all; empty: no voxel has a
/// neighbour above it.
[[nodiscard]] std::optional<Neighbours> neighbours_from(const CoordSet& level, std::int64_t row);
/// How many such pairs there are, each looked for on its own, and how many stand side by side.
struct NeighbourCount {
  std::int64_t pairs = 0, side_by_side = 0;
};
[[nodiscard]] NeighbourCount count_neighbours(const CoordSet& level, Job& job);

/// Throws Error(internal) naming the first voxel off the stride grid and the rows that it stands between:
/// z-delta search relies on there being none.
void require_on_stride_grid(const CoordSet& level);

/// What a voxel off the stride grid does, put between two neighbours of a copy of the level.
struct BrokenGrid {
  Neighbours between;
  Voxel intruder{};
  std::string assertion;    ///< what require_on_stride_grid says of the copy
  GroupTrace scan;          ///< of the middle z-group of the lower neighbour, in the copy
  std::vector<int> missed;  ///< columns of that group whose input the scan no longer reaches
};
/// At the first z-group that is full, from `row` on, where the scan has no key to spare; at any neighbours
/// where no group is. Empty: no neighbours, or a stride of 1, whose grid has no cell between.
[[nodiscard]] std::optional<BrokenGrid> break_stride_grid(const CoordSet& level, std::int64_t row,
                                                          int kernel_size, Job& job);

}  // namespace spira

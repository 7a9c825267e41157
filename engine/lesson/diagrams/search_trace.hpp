// Traces single searches step by step, for diagrams: the ranges of a binary search, the local scan of a
// z-group, and the slots of a hash table. Also shows that no key can lie between the keys of two neighbours.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// One halving of a binary search. Inputs [begin, end) may still contain the first input that is not below
/// the wanted voxel.
struct BracketStep {
  std::int64_t begin = 0, end = 0, middle = 0;
  Voxel voxel{};       ///< voxel at `middle`
  bool below = false;  ///< true if `voxel` is below the wanted voxel, so that the search continues after it
};
struct BracketTrace {
  Voxel wanted{};  ///< output plus offset; may lie outside the scene
  int column = 0;
  std::vector<BracketStep> steps;
  std::int64_t at = 0;  ///< first input that is not below `wanted`, or the number of inputs
  bool found = false;
};
[[nodiscard]] BracketTrace trace_bracket(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                         int column);

/// One key that the local scan of a z-group reads.
struct ScanStep {
  std::int64_t row = 0;  ///< input row
  Voxel voxel{};
  /// Column of the offset that this input matches. -1 if the input is beyond the z-group, which ends the
  /// scan, or off the stride grid.
  int column = -1;
};
struct GroupTrace {
  int group = 0;
  BracketTrace anchor;
  std::vector<ScanStep> scan;  ///< at most K steps
  std::vector<int> misses;     ///< columns of the group without an input
};
[[nodiscard]] GroupTrace trace_group(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                     int group);

struct ProbeStep {
  std::int64_t slot = 0;
  std::int64_t row = -1;  ///< input row whose key is in the slot; -1 if the slot is free
  Voxel voxel{};          ///< voxel of `row`
  bool match = false;
};
struct ProbeTrace {
  Voxel wanted{};
  int column = 0;
  bool asked = true;             ///< false if the query does not fit the packing; no slot is examined then
  std::vector<ProbeStep> steps;  ///< the last step finds a match or a free slot
};
class HashSlots;
/// `table` must contain the keys of `in`.
[[nodiscard]] ProbeTrace trace_probes(const CoordSet& in, const HashSlots& table, Voxel output,
                                      const KernelOffsets& offsets, int column);

/// Voxels (x, y, z) and (x, y, z + s) of a level of stride s, with their rows in its array.
struct Neighbours {
  std::int64_t low_row = 0, high_row = 0;
  Voxel low{}, high{};
  std::uint64_t low_key = 0, high_key = 0;  ///< the keys differ by s, so no multiple of s lies between them
};
/// Returns the first pair of neighbours whose lower row is at least `row`. If there is none, returns the
/// first pair of the level. Returns an empty value if no voxel has a neighbour above it.
[[nodiscard]] std::optional<Neighbours> neighbours_from(const CoordSet& level, std::int64_t row);
/// Number of neighbour pairs, each searched independently, and number of pairs in adjacent rows.
struct NeighbourCount {
  std::int64_t pairs = 0, side_by_side = 0;
};
[[nodiscard]] NeighbourCount count_neighbours(const CoordSet& level, Job& job);

/// Throws `Error(internal)` with the first voxel off the stride grid and its row. z-delta search
/// requires all voxels to be on the grid.
void require_on_stride_grid(const CoordSet& level);

/// Effect of a voxel off the stride grid that is inserted between two neighbours in a copy of the level.
struct BrokenGrid {
  Neighbours between;
  Voxel intruder{};
  std::string assertion;    ///< message of require_on_stride_grid() about the copy
  GroupTrace scan;          ///< middle z-group of the lower neighbour, in the copy
  std::vector<int> missed;  ///< columns of that group whose input the scan no longer reaches
};
/// Inserts the voxel into the first full z-group at or after `row`, whose scan cannot read more keys. If
/// there is none, uses any two neighbours. Returns an empty value if no voxels are neighbours, or if the
/// stride is 1: that grid has no cells between neighbours.
[[nodiscard]] std::optional<BrokenGrid> break_stride_grid(const CoordSet& level, std::int64_t row,
                                                          int kernel_size, Job& job);

}  // namespace spira

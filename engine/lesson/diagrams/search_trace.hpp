// Records single searches step by step for the diagrams of the lessons: the ranges of a binary search, the
// scan of a z-group, and the examined slots of a hash table. Also shows that no key can lie between the keys
// of two neighbours.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// One step of a binary search. Before the step, the inputs [begin, end) can contain the first input that is
/// not less than the wanted voxel.
struct BracketStep {
  std::int64_t begin = 0, end = 0, middle = 0;
  Voxel voxel{};  ///< the voxel at `middle`
  /// True if `voxel` is less than the wanted voxel, so that the search continues after `middle`.
  bool below = false;
};
struct BracketTrace {
  Voxel wanted{};  ///< position of the output plus the offset; may lie outside the scene
  int column = 0;
  std::vector<BracketStep> steps;
  std::int64_t at = 0;  ///< row of the first input that is not less than `wanted`, or the number of inputs
  bool found = false;
};
[[nodiscard]] BracketTrace trace_bracket(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                         int column);

/// One key that the scan of a z-group reads.
struct ScanStep {
  std::int64_t row = 0;
  Voxel voxel{};
  /// Column of the offset that this input matches. -1 if the input is beyond the z-group (the scan ends
  /// there) or off the stride grid.
  int column = -1;
};
struct GroupTrace {
  int group = 0;
  BracketTrace anchor;
  std::vector<ScanStep> scan;  ///< at most K steps
  std::vector<int> misses;     ///< columns of the z-group for which no input was found
};
[[nodiscard]] GroupTrace trace_group(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                     int group);

struct ProbeStep {
  std::int64_t slot = 0;
  std::int64_t row = -1;  ///< row of the input whose key is in the slot; -1 if the slot is free
  Voxel voxel{};
  bool match = false;
};
struct ProbeTrace {
  Voxel wanted{};
  int column = 0;
  bool asked = true;  ///< false if the position does not fit the packing, so that no slot is examined
  std::vector<ProbeStep> steps;  ///< the last step finds the key or a free slot
};
class HashSlots;
/// Returns the slots that the query of one output and offset examines. `table` must contain the keys of
/// `in`.
[[nodiscard]] ProbeTrace trace_probes(const CoordSet& in, const HashSlots& table, Voxel output,
                                      const KernelOffsets& offsets, int column);

/// Voxels at (x, y, z) and (x, y, z + s) of a level of stride s, with their rows in the level.
struct Neighbours {
  std::int64_t low_row = 0, high_row = 0;
  Voxel low{}, high{};
  /// The keys differ by s, so no key of a voxel on the stride grid lies between them.
  std::uint64_t low_key = 0, high_key = 0;
};
/// Returns the first pair of neighbours whose `low_row` is at least `row`. If there is no such pair, returns
/// the first pair of the level. Returns an empty value if no voxels of the level are neighbours.
[[nodiscard]] std::optional<Neighbours> neighbours_from(const CoordSet& level, std::int64_t row);
/// `pairs` is the number of pairs of neighbours, each found by a search. `side_by_side` is the number of
/// these pairs in adjacent rows.
struct NeighbourCount {
  std::int64_t pairs = 0, side_by_side = 0;
};
[[nodiscard]] NeighbourCount count_neighbours(const CoordSet& level, Job& job);

/// Throws `Error(internal)` if a voxel is off the stride grid, because z-delta search requires all voxels to
/// be on this grid. The message names the first such voxel and its row.
void require_on_stride_grid(const CoordSet& level);

/// Result of inserting a voxel off the stride grid between two neighbours, in a copy of the level.
struct BrokenGrid {
  Neighbours between;
  Voxel intruder{};
  std::string assertion;    ///< message of require_on_stride_grid() for the copy
  GroupTrace scan;          ///< scan of the middle z-group of the lower neighbour, in the copy
  std::vector<int> missed;  ///< columns of this z-group whose input the scan does not reach any more
};
/// Inserts a voxel into the first full z-group at or after `row`. A full z-group is used because its scan
/// cannot read one more key. If there is no full z-group, uses any two neighbours. Returns an empty value if
/// no voxels are neighbours. Also returns an empty value if the stride is 1, because that grid has no cells
/// between neighbours.
[[nodiscard]] std::optional<BrokenGrid> break_stride_grid(const CoordSet& level, std::int64_t row,
                                                          int kernel_size, Job& job);

}  // namespace spira

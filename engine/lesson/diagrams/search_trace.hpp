// Records single searches step by step for the diagrams of the lessons: the ranges of a binary search, the
// scan of a z-group, and the probed slots of a hash table. Also checks that no other key lies between the
// keys of two voxels that are neighbours in z.
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

/// One step of a binary search for the first input that is not less than the wanted voxel. Before the step,
/// this input can be any of the inputs [begin, end).
struct BracketStep {
  std::int64_t begin = 0, end = 0, middle = 0;
  Voxel voxel{};  ///< The voxel at `middle`.
  /// True if `voxel` is less than the wanted voxel. The search then continues after `middle`.
  bool below = false;
};
struct BracketTrace {
  Voxel wanted{};  ///< The position of the output plus the offset. Can be outside the scene.
  int column = 0;
  std::vector<BracketStep> steps;
  /// Row of the first input that is not less than `wanted`, or the number of inputs if all are less.
  std::int64_t at = 0;
  bool found = false;
};
[[nodiscard]] BracketTrace trace_bracket(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                         int column);

/// One step of the scan of a z-group: the input key that it reads.
struct ScanStep {
  std::int64_t row = 0;
  Voxel voxel{};
  /// The column of the offset that this input matches. -1 if the input is off the stride grid or beyond the
  /// z-group. In the latter case, the scan ends.
  int column = -1;
};
struct GroupTrace {
  int group = 0;
  BracketTrace anchor;
  std::vector<ScanStep> scan;  ///< At most K steps.
  std::vector<int> misses;     ///< Columns of the z-group for which no input exists.
};
[[nodiscard]] GroupTrace trace_group(const CoordSet& in, Voxel output, const KernelOffsets& offsets,
                                     int group);

struct ProbeStep {
  std::int64_t slot = 0;
  std::int64_t row = -1;  ///< Row of the input whose key is in the slot. -1 if the slot is empty.
  Voxel voxel{};
  bool match = false;
};
struct ProbeTrace {
  Voxel wanted{};
  int column = 0;
  /// False if the position does not fit the packing. In this case, no slot is probed.
  bool asked = true;
  std::vector<ProbeStep> steps;  ///< The last step finds the key or an empty slot.
};
class HashSlots;
/// Returns the slots that are probed for one output and offset. `table` must contain the keys of `in`.
[[nodiscard]] ProbeTrace trace_probes(const CoordSet& in, const HashSlots& table, Voxel output,
                                      const KernelOffsets& offsets, int column);

/// Two voxels at (x, y, z) and (x, y, z + s) of a level of stride s, with their rows in the level.
struct Neighbours {
  std::int64_t low_row = 0, high_row = 0;
  Voxel low{}, high{};
  /// The keys differ by the stride s, so no voxel of this level can have a key between them.
  std::uint64_t low_key = 0, high_key = 0;
};
/// Returns the first pair of neighbours whose `low_row` is at least `row`. If no pair has such a row, returns
/// the first pair of the level. Returns an empty value if no voxels of the level are neighbours.
[[nodiscard]] std::optional<Neighbours> neighbours_from(const CoordSet& level, std::int64_t row);
/// Counts the pairs of neighbours on a level. `pairs` is the number of all pairs. `side_by_side` is the
/// number of pairs whose voxels are in adjacent rows.
struct NeighbourCount {
  std::int64_t pairs = 0, side_by_side = 0;
};
[[nodiscard]] NeighbourCount count_neighbours(const CoordSet& level, Job& job);

/// Throws `Error(internal)` if a voxel is not on the stride grid, which the z-delta search requires. The
/// message contains the first such voxel and its row.
void require_on_stride_grid(const CoordSet& level);

/// The result of inserting a voxel off the stride grid between two neighbours in a copy of the level.
struct BrokenGrid {
  Neighbours between;
  Voxel intruder{};
  std::string assertion;    ///< The message of require_on_stride_grid() for the copy.
  GroupTrace scan;          ///< The scan of the middle z-group of the lower neighbour in the copy.
  std::vector<int> missed;  ///< Columns of this z-group whose input the scan no longer reaches.
};
/// Inserts a voxel into the first full z-group at or after `row`. The scan of a full z-group reads K keys and
/// cannot read one more, so it misses one of them after the insertion. If no z-group is full, uses any two
/// neighbours. Returns an empty value if no voxels are neighbours, or if the stride is 1, because there are
/// no cells between neighbours then.
[[nodiscard]] std::optional<BrokenGrid> break_stride_grid(const CoordSet& level, std::int64_t row,
                                                          int kernel_size, Job& job);

}  // namespace spira

// Defines the data of the animations in the lesson on search: the cells in the order in which they are
// marked, and the number of comparisons so far. Views draw this data.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class SearchMotionKind : std::uint8_t {
  queries,   ///< All queries of one voxel, with hits and misses. The z-groups follow one after another.
  bracket,   ///< One query by binary search.
  searches,  ///< All queries of one voxel by binary search, one after another.
  anchors,   ///< The searches for the anchors of all z-groups.
  scan,      ///< The search for the anchor of one z-group, then the scan of the z-group, then its misses.
  /// A voxel off the stride grid between two neighbours, and the inputs that the search therefore misses.
  grid,
  probes,  ///< Building the hash table, then one query in it.
  /// The memory that 32 neighbouring outputs read for one offset: with the z-delta search, and with a hash
  /// table.
  sectors
};

enum class SearchMark : std::uint8_t {
  compared,  ///< The word of the cell was compared with the wanted word and is different.
  wanted,
  hit,        ///< The query for this cell found a voxel.
  miss,       ///< The query for this cell found no voxel, because the cell is empty.
  intruder,   ///< A voxel off the stride grid. The scene does not contain it.
  asks,       ///< An output whose query runs at the same time as the queries of the other marked outputs.
  read,       ///< The word is in an array sector that was read, even if no thread needed the word.
  read_slot,  ///< The slot of the voxel is in a hash table sector that was read.
  stored      ///< The voxel was stored in the hash table.
};

struct MarkedCell {
  SearchMark mark = SearchMark::compared;
  Voxel cell{};           ///< Can be outside the scene.
  std::int64_t row = -1;  ///< The row of the voxel in the cell. -1 if the cell is empty.
};

/// A step of an animation. Its marks stay visible until a later step marks the same cell.
struct SearchMoment {
  std::vector<MarkedCell> cells;
  /// The rows [begin, end) that can still contain the result. If `begin` and `end` are equal, no range is
  /// shown.
  std::int64_t begin = 0, end = 0;
  /// The number of comparisons so far, or the number of probed slots while the hash table is built.
  std::int64_t comparisons = 0;
  std::int64_t built = 0;  ///< Number of voxels in the hash table so far. 0 if no table is built.
  /// The positions that this step reads: rows of the array, or slots of the hash table. For `sectors`, the
  /// first position of each sector.
  std::vector<std::int64_t> positions;
  bool in_table = false;  ///< True if `positions` contains slots of the hash table.
  std::int64_t sectors =
      0;  ///< Number of 32-byte sectors that 32 threads read in this step. 0 if not counted.
};

struct SearchMotion {
  SearchMotionKind kind = SearchMotionKind::queries;
  int stride = 1;
  /// The voxel whose queries are shown: the selected voxel, or the voxel in the middle of the array if no
  /// voxel is selected.
  MarkedCell output;
  std::vector<SearchMoment> moments;
  std::int64_t rows = 0;   ///< Number of rows of the array.
  std::int64_t table = 0;  ///< Number of slots of the hash table. 0 if the animation has no table.
};

/// Returns the animation of this kind for the level and kernel of `input`, for the voxel of traced_row() and
/// the offset of traced_column(). It has no moments if the level has no voxels. The `grid` animation also has
/// no moments if no voxels are neighbours or if the stride is 1.
[[nodiscard]] SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job);

}  // namespace spira

// Data of the animations in the lesson on search: the marked cells, the order of the marks, and the number
// of comparisons so far. A view draws the data.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class SearchMotionKind : std::uint8_t {
  queries,   ///< all queries of one voxel, one z-group after another, with hits and misses
  bracket,   ///< one query by binary search
  searches,  ///< all queries of one voxel by binary search, one after another
  anchors,   ///< the anchor searches of all z-groups
  scan,      ///< the anchor search of one z-group, then its scan, then its misses
  /// A voxel off the stride grid between two neighbours, and the inputs that the search misses because of
  /// this voxel.
  grid,
  probes,  ///< the construction of the hash table, then one query in the table
  /// The memory reads of 32 neighbouring outputs for one offset, by z-delta search and in a hash table.
  sectors
};

enum class SearchMark : std::uint8_t {
  compared,  ///< the word of the cell was compared with the wanted word and differs
  wanted,
  hit,        ///< the query of this cell found a voxel
  miss,       ///< the query of this cell found no voxel, because the cell is empty
  intruder,   ///< a voxel off the stride grid; the scene does not contain it
  asks,       ///< one of the outputs whose queries run together
  read,       ///< the word is in an array sector that was read, even if no thread needed this word
  read_slot,  ///< the slot of the voxel is in a hash table sector that was read
  stored      ///< the voxel was stored in the hash table
};

struct MarkedCell {
  SearchMark mark = SearchMark::compared;
  Voxel cell{};           ///< may lie outside the scene
  std::int64_t row = -1;  ///< row of the voxel in the cell; -1 if the cell is empty
};

/// A step of an animation. Marks of earlier steps remain visible, until a later mark of the same cell
/// replaces them.
struct SearchMoment {
  std::vector<MarkedCell> cells;
  /// Range of rows [begin, end) that can still contain the result in this step. If both are equal, no range
  /// is shown.
  std::int64_t begin = 0, end = 0;
  /// Number of comparisons so far; while the hash table is built, number of examined slots so far.
  std::int64_t comparisons = 0;
  std::int64_t built = 0;  ///< number of voxels stored in the hash table so far; 0 if no table is built
  /// Positions that this step reads: rows of the array, or slots of the hash table. For `sectors`, the first
  /// position of each sector.
  std::vector<std::int64_t> places;
  bool in_table = false;  ///< true if `places` contains slots of the hash table
  std::int64_t sectors =
      0;  ///< number of 32-byte sectors that 32 threads read in this step; 0 if not counted
};

struct SearchMotion {
  SearchMotionKind kind = SearchMotionKind::queries;
  int stride = 1;
  /// The voxel whose queries are shown: the selected voxel, or the voxel in the middle of the array if none
  /// is selected.
  MarkedCell output;
  std::vector<SearchMoment> moments;
  std::int64_t rows = 0;   ///< number of rows of the searched array
  std::int64_t table = 0;  ///< slots of the hash table; 0 if the animation has no table
};

/// Returns the animation of this kind for the level and kernel of `input`, and for the voxel and offset of
/// traced_row() and traced_column(). Returns an animation without moments if the level has no voxels. For
/// `grid`, also returns no moments if no voxels are neighbours or the stride is 1.
[[nodiscard]] SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job);

}  // namespace spira

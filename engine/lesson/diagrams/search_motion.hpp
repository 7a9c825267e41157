// Animations of the lesson on search as plain data: the marked cells, their order, and the number of
// comparisons so far. A view draws them.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class SearchMotionKind : std::uint8_t {
  queries,   ///< all offsets of the voxel, one z-group after another: hits and misses
  bracket,   ///< one query by binary search
  searches,  ///< all queries of the voxel by binary search, one after another
  anchors,   ///< the anchors of all z-groups
  scan,      ///< the anchor search of one z-group, then its scan, then its misses
  grid,      ///< two neighbours with a voxel off the stride grid between them, and the inputs that the search
             ///< then misses
  probes,    ///< the construction of the hash table, then one query in it
  sectors    ///< reads of 32 neighbouring outputs for one offset, by z-delta search and in the hash table
};

enum class SearchMark : std::uint8_t {
  compared,   ///< its word was read and compared, and differs from the wanted word
  wanted,     ///< the cell that is searched for
  hit,        ///< a query that found a voxel
  miss,       ///< a query that found no voxel, because the cell is empty
  intruder,   ///< a voxel off the stride grid, which is not in the scene
  asks,       ///< one of the outputs that are searched together
  read,       ///< its word is in a sector of the array that was read, even if no thread needed the word
  read_slot,  ///< its slot is in a sector of the hash table that was read
  stored      ///< it was stored in the hash table
};

struct MarkedCell {
  SearchMark mark = SearchMark::compared;
  Voxel cell{};           ///< may lie outside the scene
  std::int64_t row = -1;  ///< row of the voxel in the cell; -1 if the cell is empty
};

/// A step of an animation. Earlier marks stay; a later mark of the same cell replaces the earlier mark.
struct SearchMoment {
  std::vector<MarkedCell> cells;
  /// Rows [begin, end) may still contain the answer; valid for this moment only. No range is shown if they
  /// are equal.
  std::int64_t begin = 0, end = 0;
  std::int64_t comparisons = 0;  ///< comparisons so far; while the table is built, slots examined so far
  std::int64_t built = 0;        ///< voxels stored so far; 0 if the table is not being built
  /// Positions that this moment reads: rows of the array, or slots of the hash table. For sectors, the first
  /// position of each sector.
  std::vector<std::int64_t> places;
  bool in_table = false;     ///< true if `places` are slots
  std::int64_t sectors = 0;  ///< sectors of 32 bytes that 32 threads read in this moment; 0 if not counted
};

struct SearchMotion {
  SearchMotionKind kind = SearchMotionKind::queries;
  int stride = 1;
  /// The voxel of the queries: the selected voxel, or the voxel in the middle of the array.
  MarkedCell output;
  std::vector<SearchMoment> moments;
  std::int64_t rows = 0;   ///< rows of the searched array
  std::int64_t table = 0;  ///< slots of the hash table; 0 without a table
};

/// Returns the animation for the voxel, offset, level and kernel of `input` (traced_row(), traced_column()).
/// Returns an animation without moments if the level has no voxels. For `grid`, the same applies if no
/// voxels are neighbours or the stride is 1.
[[nodiscard]] SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job);

}  // namespace spira

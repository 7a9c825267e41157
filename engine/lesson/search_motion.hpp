// The moving pictures of the lesson on search as plain data: which cells are marked, in which order, and how
// many comparisons there were by then. A view draws them; nothing here knows how.
#pragma once

#include "engine/lesson/facts.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class SearchMotionKind : std::uint8_t {
  queries,   ///< all offsets of the voxel, z-group by z-group: hits and misses
  bracket,   ///< one query by halving
  searches,  ///< all queries of the voxel, each by halving, one after the other
  anchors,   ///< the anchors of all z-groups
  scan,      ///< anchor search of one z-group, then its scan, then its misses
  grid,      ///< two neighbours, the voxel off the stride grid between them, and what is missed then
  probes,    ///< the hash table is built, then one query in it
  sectors    ///< what 32 neighbouring outputs read for one offset: by z-delta search, and in the hash table
};

enum class SearchMark : std::uint8_t {
  compared,   ///< its word was read and compared, and is not the wanted one
  wanted,     ///< the cell that is searched for
  hit,        ///< a query that found a voxel
  miss,       ///< a query that found none: the cell is empty
  intruder,   ///< a voxel off the stride grid, which the scene does not have
  asks,       ///< one of the outputs that ask together
  read,       ///< its word lies in a sector of the array that was read, wanted or not
  read_slot,  ///< the same of the hash table
  stored      ///< it takes its slot in the hash table
};

struct MarkedCell {
  SearchMark mark = SearchMark::compared;
  Voxel cell{};           ///< may lie outside the scene
  std::int64_t row = -1;  ///< of the voxel there; -1: none
};

/// What is added to the picture; earlier marks stay, and a later mark of the same cell takes the place of
/// them.
struct SearchMoment {
  std::vector<MarkedCell> cells;
  std::int64_t begin = 0,
               end = 0;  ///< rows that may still be the answer, in this moment only; equal: none shown
  std::int64_t comparisons = 0;  ///< up to and with this moment; while the table is built, slots looked at
  std::int64_t built = 0;        ///< voxels that have their slot by then; 0: the table is not being built
  /// Positions that this moment reads: rows of the array, or slots of the hash table; of sectors their first.
  std::vector<std::int64_t> places;
  bool in_table = false;     ///< `places` are slots
  std::int64_t sectors = 0;  ///< of 32 bytes that 32 threads read in this moment; 0: not counted
};

struct SearchMotion {
  SearchMotionKind kind = SearchMotionKind::queries;
  int stride = 1;
  MarkedCell output;  ///< the voxel that asks: the chosen one, or that in the middle of the array
  std::vector<SearchMoment> moments;
  std::int64_t rows = 0;   ///< of the array that is searched
  std::int64_t table = 0;  ///< slots of the hash table; 0: there is none
};

/// Of the voxel, offset, level and kernel of the input (traced_row(), traced_column()). Without moments where
/// there is nothing to show: no voxels, or for `grid` no neighbours or a stride of 1.
[[nodiscard]] SearchMotion search_motion(SearchMotionKind kind, const LessonInput& input, Job& job);

}  // namespace spira

// An occupancy grid stores the voxels of a level as one bit per cell of the bounding box. For each word of
// cells, it also stores the number of voxels before the word. A single read then shows whether a cell is
// occupied and which row its voxel has. The K cells of a z-group are K neighbouring bits. Therefore sorting,
// down-sampling and searching only read and write this grid (docs/cuda.md).
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/voxels/points.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int max_levels = 7;

/// Coordinates of a cell, in steps of the level's stride.
struct Cell {
  int x, y, z;
};

/// One number per axis.
struct Axes {
  int x, y, z;
};

constexpr int cells_per_word = 26;
constexpr std::uint32_t own_bits = (1U << cells_per_word) - 1U;
/// The upper bits of a word repeat the first cells of the next word. One word therefore contains all K <= 7
/// cells of a z-group, at any start position of the group.
constexpr int repeated_cells = 32 - cells_per_word;
/// Number of empty cells on each side of the box in x and y. Kernel offsets never reach beyond these cells.
constexpr int margin = 4;

/// Returns the number of words in a tile. One thread block ranks the words of one tile. Small grids have
/// smaller tiles, because most of their words contain voxels and a thread block would otherwise take a long
/// time. Large grids have larger tiles, so that the thread blocks of all tiles run at once.
[[nodiscard]] constexpr int words_of_tile(std::int64_t words) {
  return words <= std::int64_t{1} << 20U ? 2048 : 8192;
}
/// The state of a tile of words. 0 means that the tile has not been counted yet. Otherwise, the state is
/// (voxels of the tile << 2 | sum_of_tile) or (voxels of the tile and all earlier tiles << 2 |
/// sum_up_to_tile).
using TileSum = unsigned long long;
constexpr TileSum sum_of_tile = 1, sum_up_to_tile = 2;

/// The grid of one level. Cell (x, y, z) is bit z % 26 of the word with the number (x * ny + y) * nw + z /
/// 26, where x and y include the margin. Word numbers are in the order of the keys. In memory, the words of
/// four neighbours in y are adjacent: [x][y / 4][z / 26][y % 4]. A search therefore reads the words of K
/// neighbours in one or two sectors of 32 bytes.
struct OccupancyLevel {
  /// For each position in memory: the bits of the word at this position, and the number of voxels in all
  /// words with lower numbers.
  uint2* words;
  /// For each word number: 1 if any bit of the word is set. The size is rounded up to whole tiles.
  std::uint8_t* used;
  TileSum* tiles;
  void* keys;  ///< Sorted keys of 32 or 64 bits, depending on the packing.
  std::int64_t* count;
  std::int64_t capacity;  ///< Maximum number of keys in `keys`.
  int nx, ny, nw;         ///< Dimensions in words, including margins. ny is a multiple of 4.
  Axes shift;             ///< Base-2 logarithm of the stride on each axis.
  /// The first tile of this level among the tiles of all levels, the number of its tiles, and the words per
  /// tile.
  int first_tile, tile_count, tile_words;
  /// Used only for levels with the reached rule. For each axis and each coordinate of level 0, the first and
  /// the last cell that the coordinate reaches. `nullptr` for levels with the floor rule.
  const int2* reach[3];

  // Returns the number of a word. The number fits in 32 bits, because a grid has at most 2^31 words
  // (why_not_one_graph() and suits_grid() check this).
  [[nodiscard]] __device__ std::uint32_t number_of(int x, int y, int word) const {
    return (static_cast<std::uint32_t>(((x + margin) * ny) + y + margin) * static_cast<std::uint32_t>(nw)) +
           static_cast<std::uint32_t>(word);
  }
  [[nodiscard]] __device__ std::uint32_t place_of(int x, int y, int word) const {
    return place_of(static_cast<std::uint32_t>(((x + margin) * ny) + y + margin), word);
  }
  [[nodiscard]] __device__ std::uint32_t place_of(std::uint32_t column, int word) const {
    return ((((column >> 2U) * static_cast<std::uint32_t>(nw)) + static_cast<std::uint32_t>(word)) << 2U) +
           (column & 3U);
  }
  [[nodiscard]] __device__ RowCount rows() const { return {capacity, count}; }
};

/// The location of a word, found from its number: its column (x, y) and its position in memory.
struct WordPlace {
  std::uint32_t column, place;
  int word;

  __device__ WordPlace(const OccupancyLevel& level, std::uint32_t number)
      : column(number / static_cast<std::uint32_t>(level.nw)), place(0), word(0) {
    word = static_cast<int>(number - (column * static_cast<std::uint32_t>(level.nw)));
    place = level.place_of(column, word);
  }
  /// Returns the cell of the word's lowest bit.
  [[nodiscard]] __device__ Cell first_cell(const OccupancyLevel& level) const {
    const auto deep = static_cast<std::uint32_t>(level.ny);
    return {static_cast<int>(column / deep) - margin, static_cast<int>(column % deep) - margin,
            word * cells_per_word};
  }
};

/// The location of a cell: the word that contains the cell, and the bit of the cell in this word.
struct CellPlace {
  std::uint32_t number, place;
  int word, bit;

  __device__ CellPlace(const OccupancyLevel& level, const Cell& cell)
      : number(0), place(0), word(cell.z / cells_per_word), bit(cell.z - (word * cells_per_word)) {
    number = level.number_of(cell.x, cell.y, word);
    place = level.place_of(cell.x, cell.y, word);
  }
  [[nodiscard]] __device__ std::uint32_t mask() const { return 1U << bit; }
  /// Returns true if the cell is also one of the repeated cells in the previous word of the column. In
  /// memory, the previous word is four positions earlier.
  [[nodiscard]] __device__ bool repeated() const { return bit < repeated_cells && word > 0; }
  [[nodiscard]] __device__ std::uint32_t mask_below() const { return 1U << (bit + cells_per_word); }
  /// Returns the row of the cell's voxel. The cell must be occupied.
  [[nodiscard]] __device__ std::int64_t row(const uint2& words) const {
    return std::int64_t{words.y} + __popc(words.x & (mask() - 1U));
  }
};
/// Distance in memory between consecutive words of a column, in words.
constexpr int places_between_words = 4;

/// The status of a run, in memory that both host and device can access. Kernels write to it only if an error
/// occurs.
struct RunStatus {
  int outside = 0;  ///< Nonzero if a point lies outside the box.
  /// For each level: its number of voxels if this exceeds the capacity, otherwise 0.
  int overfull[max_levels] = {};
  int outside_grid = 0;  ///< Nonzero if a voxel lies outside the cells of a dense output.
};

struct Occupancy {
  /// The levels in the order of Levels::sets: first the levels with the floor rule in ascending order of
  /// strides, then the other levels. levels[0] has stride 1 if the grid has several levels.
  OccupancyLevel levels[max_levels];
  int level_count = 0;
  bool all_floor = true;  ///< True if all levels have the floor rule and one stride for all axes.
  int extent[3] = {};     ///< Extent of the bounding box, in voxels.
  PackSpec pack;
  RunStatus* status = nullptr;
};

/// Returns the cell of a packed coordinate, in steps of `1 << shift`. In a batch, the frames are one after
/// another along x.
template <class Key> [[nodiscard]] __device__ Cell cell_of(const PackSpec& pack, Key key, const Axes& shift) {
  const auto field = [&](int first, int bits, int down) {
    return static_cast<int>(static_cast<Key>(key >> first) & static_cast<Key>((Key{1} << bits) - Key{1})) >>
           down;
  };
  return {field(pack.y_bits + pack.z_bits, pack.batch_bits + pack.x_bits, shift.x),
          field(pack.z_bits, pack.y_bits, shift.y), field(0, pack.z_bits, shift.z)};
}

/// Finds the cell of a point. Returns false if the point lies outside the box, or outside its frame in a
/// batch.
__device__ inline bool locate(const PointsOnDevice& points, std::int64_t point, const int (&extent)[3],
                              int (&cell)[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t at = points.cell(point, axis);
    if (at < 0 || at >= extent[axis]) return false;
    cell[axis] = static_cast<int>(at);
  }
  if (points.frames != nullptr) {
    if (cell[0] >= points.frame_cells) return false;
    cell[0] += static_cast<int>(points.first_cell(point));
  }
  return true;
}

/// Returns true if the bit of a cell is set. Most points find the bit already set, and this read is cheaper
/// than an atomic operation.
__device__ inline bool is_marked(const OccupancyLevel& level, const CellPlace& cell) {
  const volatile std::uint32_t& bits = level.words[cell.place].x;
  return (bits & cell.mask()) != 0;
}

/// Sets the bit of a cell. Returns true only for the first caller that sets the bit. A thread that ignores
/// the result does not wait for the atomic operation.
__device__ inline bool mark(const OccupancyLevel& level, const CellPlace& cell) {
  const std::uint32_t before = atomicOr(&level.words[cell.place].x, cell.mask());
  level.used[cell.number] = 1;
  if (cell.repeated()) {
    atomicOr(&level.words[cell.place - places_between_words].x, cell.mask_below());
    level.used[cell.number - 1] = 1;
  }
  return (before & cell.mask()) == 0;
}

__device__ inline void unmark(const OccupancyLevel& level, const CellPlace& cell) {
  level.words[cell.place] = {0, 0};
  level.used[cell.number] = 0;
  if (!cell.repeated()) return;
  level.words[cell.place - places_between_words] = {0, 0};
  level.used[cell.number - 1] = 0;
}

}  // namespace spira::cuda

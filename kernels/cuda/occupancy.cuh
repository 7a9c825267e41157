// The voxels of a level as bits of its box, with the number of voxels before each word of cells: whether a
// cell is taken and which row it has is then one read away, and the K cells of a z-group are K neighbouring
// bits. Sorting, down-sampling and searching all become reads and writes of this grid (docs/cuda.md).
#pragma once

#include "engine/voxel/features.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "kernels/cuda/launch.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int most_levels = 5;

/// In steps of a level's stride.
struct Cell {
  int x, y, z;
};

constexpr int cells_per_word = 26;
constexpr std::uint32_t own_bits = (1U << cells_per_word) - 1U;
/// The bits above a word's own repeat the first cells of the next word, so that the K <= 7 cells of a z-group
/// stand in one word wherever it starts.
constexpr int repeated_cells = 32 - cells_per_word;
/// Cells around the box in x and y that no voxel takes: no kernel reaches beyond.
constexpr int margin = 4;

/// A block of threads ranks the words of a tile. Small grids, whose words are mostly used, are cut into more
/// tiles, so that no block has long to do; of large ones all tiles shall still fit on the device at once.
[[nodiscard]] constexpr int words_of_tile(std::int64_t words) {
  return words <= std::int64_t{1} << 20U ? 2048 : 8192;
}
/// Of a tile of words: its voxels << 2 | sum_of_tile, or the voxels up to and with it << 2 | sum_up_to_tile;
/// 0: not counted yet.
using TileSum = unsigned long long;
constexpr TileSum sum_of_tile = 1, sum_up_to_tile = 2;

/// Cell (x, y, z) is bit z % 26 of a word whose number is (x * ny + y) * nw + z / 26, with the margin added
/// to x and y: in the order of the keys. In memory the words of four neighbours in y stand together, [x][y /
/// 4][z / 26][y % 4], so that a search fetches K of them in one or two sectors of 32 bytes.
struct OccupancyLevel {
  uint2* words;        ///< bits, and voxels in all words before (by number)
  std::uint8_t* used;  ///< by number, 1: the word has bits; room for whole tiles
  TileSum* tiles;
  void* keys;  ///< sorted: 32 or 64 bits, as the packing says
  std::int64_t* count;
  std::int64_t capacity;                   ///< of `keys`
  int nx, ny, nw;                          ///< margins included; ny: a multiple of 4
  int shift;                               ///< log2 of the stride
  int first_tile, tile_count, tile_words;  ///< tiles among those of all levels

  // There are no more than 2^31 words (network_limits.hpp, suits_grid()).
  [[nodiscard]] __device__ std::uint32_t number_of(int x, int y, int word) const {
    return (static_cast<std::uint32_t>(((x + margin) * ny) + y + margin) * static_cast<std::uint32_t>(nw)) +
           static_cast<std::uint32_t>(word);
  }
  /// Where in memory the word stands.
  [[nodiscard]] __device__ std::uint32_t place_of(int x, int y, int word) const {
    return place_of(static_cast<std::uint32_t>(((x + margin) * ny) + y + margin), word);
  }
  [[nodiscard]] __device__ std::uint32_t place_of(std::uint32_t column, int word) const {
    return ((((column >> 2U) * static_cast<std::uint32_t>(nw)) + static_cast<std::uint32_t>(word)) << 2U) +
           (column & 3U);
  }
  [[nodiscard]] __device__ RowCount rows() const { return {capacity, count}; }
};

/// Of the word of a number.
struct WordPlace {
  std::uint32_t column, place;
  int word;

  __device__ WordPlace(const OccupancyLevel& level, std::uint32_t number)
      : column(number / static_cast<std::uint32_t>(level.nw)), place(0), word(0) {
    word = static_cast<int>(number - (column * static_cast<std::uint32_t>(level.nw)));
    place = level.place_of(column, word);
  }
  /// Of the word's own ones.
  [[nodiscard]] __device__ Cell first_cell(const OccupancyLevel& level) const {
    const auto deep = static_cast<std::uint32_t>(level.ny);
    return {static_cast<int>(column / deep) - margin, static_cast<int>(column % deep) - margin,
            word * cells_per_word};
  }
};

/// A cell's word and its bit there.
struct CellPlace {
  std::uint32_t number, place;
  int word, bit;

  __device__ CellPlace(const OccupancyLevel& level, const Cell& cell)
      : number(0), place(0), word(cell.z / cells_per_word), bit(cell.z - (word * cells_per_word)) {
    number = level.number_of(cell.x, cell.y, word);
    place = level.place_of(cell.x, cell.y, word);
  }
  [[nodiscard]] __device__ std::uint32_t mask() const { return 1U << bit; }
  /// Whether the word below, four places before, has the cell, too.
  [[nodiscard]] __device__ bool repeated() const { return bit < repeated_cells && word > 0; }
  [[nodiscard]] __device__ std::uint32_t mask_below() const { return 1U << (bit + cells_per_word); }
  /// Row of the cell's voxel.
  [[nodiscard]] __device__ std::int64_t row(const uint2& words) const {
    return std::int64_t{words.y} + __popc(words.x & (mask() - 1U));
  }
};
constexpr int places_between_words = 4;  ///< of a column

/// In memory that host and device see; written in the rare cases only.
struct RunStatus {
  int outside = 0;                 ///< a point lies outside the box
  int overfull[most_levels] = {};  ///< voxels of a level with too many
};

struct Occupancy {
  OccupancyLevel levels[most_levels];  ///< ascending strides, [0] is stride 1
  int level_count = 0;
  int extent[3] = {};  ///< in voxels
  PackSpec pack;
  RunStatus* status = nullptr;
};

/// Of a packed coordinate, in steps of `1 << shift`.
template <class Key> [[nodiscard]] __device__ Cell cell_of(const PackSpec& pack, Key key, int shift) {
  const auto field = [&](int first, int bits) {
    return static_cast<int>(static_cast<Key>(key >> first) & static_cast<Key>((Key{1} << bits) - Key{1})) >>
           shift;
  };
  return {field(pack.y_bits + pack.z_bits, pack.x_bits), field(pack.z_bits, pack.y_bits),
          field(0, pack.z_bits)};
}

}  // namespace spira::cuda

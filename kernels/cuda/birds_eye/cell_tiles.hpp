// The tiles of a layer of a bird's-eye view, and the functions that compute which cells a tile reads and
// writes. The functions run on the host and on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace spira::cuda {

/// Returns a / b for b above 0. On the device, the compiler must not know that `b` is the same in each
/// iteration of a loop. Otherwise, it would compute 1 / b before the loop and keep it in a register.
__host__ __device__ inline int quotient(int a, int b) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(b));
#endif
  return a / b;
}
/// Returns a / b for b below 2^31. Divisions of 64 bits take several times as long as divisions of 32 bits,
/// and most numbers are small.
__host__ __device__ inline std::int64_t wide_quotient(std::int64_t a, std::int64_t b) {
  return a >> 31 == 0 ? quotient(static_cast<int>(a), static_cast<int>(b)) : a / b;
}

/// A block of a list: its index in the list, and its coordinates in the grid. An image that is not divided
/// into blocks is one block.
struct BlockAt {
  std::int64_t slot = 0, x = 0, y = 0;
};

/// The blocks that a kernel processes: the first get() numbers of a list, or one block without a list.
struct BlocksOnDevice {
  const std::int32_t* numbers = nullptr;  ///< `nullptr` for one block.
  const std::int64_t* count = nullptr;
  std::int64_t grid_columns = 1;
  std::int64_t max = 1;  ///< At most this number of blocks.

  [[nodiscard]] __host__ __device__ std::int64_t get() const {
    return count == nullptr ? max : *count < max ? *count : max;
  }
  [[nodiscard]] __host__ __device__ BlockAt at(std::int64_t slot) const {
    if (numbers == nullptr) return {slot, 0, 0};
    const std::int64_t number = numbers[slot], x = wide_quotient(number, grid_columns);
    return {slot, x, number - (x * grid_columns)};
  }
};

/// A rectangle of cells of an image for each block: block (x, y) of the grid begins at cell
/// advance * (x, y) - halo, and can reach outside the image. For a whole image, `advance` and `halo` are 0.
struct CellRegion {
  std::int64_t rows = 0, columns = 0;
  int advance = 0, halo = 0;

  [[nodiscard]] __host__ __device__ std::int64_t cells() const { return rows * columns; }
  [[nodiscard]] __host__ __device__ std::int64_t first_x(const BlockAt& block) const {
    return (advance * block.x) - halo;
  }
  [[nodiscard]] __host__ __device__ std::int64_t first_y(const BlockAt& block) const {
    return (advance * block.y) - halo;
  }
};

/// Where the cells of a region are in memory.
struct CellStore {
  CellRegion region;
  std::int64_t block_cells = 0;  ///< Cells from the start of one block to the next. 0 for an image.

  /// Returns the position of cell (x, y) of the image, or -1 if the region does not contain it.
  [[nodiscard]] __host__ __device__ std::int64_t cell(const BlockAt& block, std::int64_t x,
                                                      std::int64_t y) const {
    const std::int64_t row = x - region.first_x(block), column = y - region.first_y(block);
    if (row < 0 || row >= region.rows || column < 0 || column >= region.columns) return -1;
    return (block.slot * block_cells) + (row * region.columns) + column;
  }
};
/// Returns the store of an image.
[[nodiscard]] __host__ __device__ inline CellStore image_store(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns, 0, 0}, 0};
}
/// Returns the store of square images of blocks that are one after another.
[[nodiscard]] __host__ __device__ inline CellStore block_store(int edge, int advance, int halo) {
  return {{edge, edge, advance, halo}, std::int64_t{edge} * edge};
}

/// Divides the output cells of a layer into tiles for the thread blocks. A tile consists of `group`
/// rectangles of rows x columns cells, which can be in different blocks. The input cells of a rectangle are
/// its patch. All numbers of cells of a rectangle are powers of two.
struct CellTiles {
  CellRegion region;                           ///< The output cells of a block, in cells of the output image.
  std::int64_t out_rows = 0, out_columns = 0;  ///< Size of the output image.
  std::int64_t in_rows = 0, in_columns = 0;    ///< Size of the input image.
  int kernel_size = 1, step = 1;
  int rows = 1, columns = 1, group = 1;
  std::int64_t across = 1, rectangles = 1;  ///< Rectangles of a block along y, and all of them.

  [[nodiscard]] __host__ __device__ int cells() const { return rows * columns * group; }
  [[nodiscard]] __host__ __device__ int patch_rows() const { return (step * (rows - 1)) + kernel_size; }
  [[nodiscard]] __host__ __device__ int patch_columns() const { return (step * (columns - 1)) + kernel_size; }
  /// Returns the number of input cells of a tile.
  [[nodiscard]] __host__ __device__ int patch_cells() const { return patch_rows() * patch_columns() * group; }
  /// Returns the number of tiles of all blocks.
  [[nodiscard]] __host__ __device__ std::int64_t count(std::int64_t blocks) const {
    return wide_quotient((rectangles * blocks) + group - 1, group);
  }

  /// A rectangle: its block, and its first cell in the output image. `slot` is -1 if it does not exist.
  struct Rectangle {
    BlockAt block;
    std::int64_t x = 0, y = 0;
  };
  [[nodiscard]] __host__ __device__ Rectangle rectangle(const BlocksOnDevice& blocks, std::int64_t number,
                                                        std::int64_t block_count) const {
    const std::int64_t slot = wide_quotient(number, rectangles);
    if (slot >= block_count) return {{-1, 0, 0}, 0, 0};
    const std::int64_t at = number - (slot * rectangles), row = wide_quotient(at, across);
    const BlockAt block = blocks.at(slot);
    return {block, region.first_x(block) + (row * rows),
            region.first_y(block) + ((at - (row * across)) * columns)};
  }
  /// Returns the position of input cell number `at` of the patches of a tile in `store`, or -1 if the cell
  /// counts as 0.
  [[nodiscard]] __host__ __device__ std::int64_t input(const CellStore& store, const BlocksOnDevice& blocks,
                                                       std::int64_t block_count, std::int64_t tile,
                                                       int at) const {
    const int of_patch = patch_rows() * patch_columns(), number = quotient(at, of_patch),
              rest = at - (number * of_patch);
    const Rectangle from = rectangle(blocks, (tile * group) + number, block_count);
    if (from.block.slot < 0) return -1;
    const int halo = (kernel_size - 1) / 2, row = quotient(rest, patch_columns());
    const std::int64_t x = (step * from.x) - halo + row,
                       y = (step * from.y) - halo + (rest - (row * patch_columns()));
    if (x < 0 || x >= in_rows || y < 0 || y >= in_columns) return -1;
    return store.cell(from.block, x, y);
  }
  /// The output cell number `at` of a tile: its block, and its coordinates in the output image. The slot of
  /// the block is -1 if no cell must be computed.
  [[nodiscard]] __host__ __device__ Rectangle output(const BlocksOnDevice& blocks, std::int64_t block_count,
                                                     std::int64_t tile, int at) const {
    const int of_rectangle = rows * columns, number = quotient(at, of_rectangle);
    const int rest = at - (number * of_rectangle), row = quotient(rest, columns);
    Rectangle cell = rectangle(blocks, (tile * group) + number, block_count);
    cell.x += row;
    cell.y += rest - (row * columns);
    const bool there = cell.block.slot >= 0 && cell.x >= 0 && cell.x < out_rows && cell.y >= 0 &&
                       cell.y < out_columns && cell.x < region.first_x(cell.block) + region.rows &&
                       cell.y < region.first_y(cell.block) + region.columns;
    if (!there) cell.block.slot = -1;
    return cell;
  }
  /// Returns the number of the first input cell of output cell `at` within the patches of its tile.
  [[nodiscard]] __host__ __device__ int first_input(int at) const {
    const int of_rectangle = rows * columns, rest = at % of_rectangle;
    return (at / of_rectangle * patch_rows() * patch_columns()) + (rest / columns * step * patch_columns()) +
           (rest % columns * step);
  }
};

/// Sets the size of the rectangles. The tiles have `cells` cells.
inline void set_rectangles(CellTiles& tiles, int rows, int columns, int cells) {
  tiles.rows = rows;
  tiles.columns = columns;
  tiles.group = cells / (rows * columns);
  tiles.across = (tiles.region.columns + columns - 1) / columns;
  tiles.rectangles = (tiles.region.rows + rows - 1) / rows * tiles.across;
}

/// Chooses the rectangles for tiles of `cells` cells: those with the fewest input and output cells.
inline void choose_rectangles(CellTiles& tiles, int cells) {
  // With K = 1, patches do not overlap, and single cells fill the tiles best.
  set_rectangles(tiles, 1, 1, cells);
  if (tiles.kernel_size == 1) return;
  struct Size {
    int rows, columns;
  };
  constexpr Size sizes[] = {{8, 16}, {8, 8}, {4, 8}, {4, 4}};
  std::int64_t best = -1;
  for (const Size& size : sizes) {
    if (size.rows * size.columns > cells) continue;
    CellTiles one = tiles;
    set_rectangles(one, size.rows, size.columns, cells);
    const std::int64_t cost = one.rectangles * (one.cells() + one.patch_cells()) / one.group;
    if (best >= 0 && cost >= best) continue;
    best = cost;
    tiles = one;
  }
}

}  // namespace spira::cuda

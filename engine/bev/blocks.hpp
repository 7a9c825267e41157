// Defines the blocks of a mask: squares of cells that are computed together if the mask needs one of their
// cells (SBNet paper, sections 3.1 and 3.2).
#pragma once

#include "engine/bev/mask.hpp"
#include "engine/memory/buffer.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spira {

constexpr std::array<int, 4> block_cores{4, 8, 16, 32};

/// Divides an image into square cores without overlap, and determines which are active. A core is active if
/// at least `min_cells` cells of the mask at `stride` are in the core enlarged by `reach` cells on each side.
struct BlockShape {
  int stride = 1;              ///< Stride of the image that the blocks compute.
  int core = 16;               ///< Edge of a core in cells of this image. One of block_cores.
  int reach = 0;               ///< In cells of this image.
  std::int64_t min_cells = 1;  ///< At least 1.
  auto operator<=>(const BlockShape&) const = default;
};
/// Returns the number of cores along x and along y. The last ones can reach outside the image.
[[nodiscard]] std::array<std::int64_t, 2> grid_of(const BlockShape& shape, const Area& area) noexcept;

/// The active blocks of a mask. Block (x, y) of the grid has the number x * grid[1] + y.
struct BlockList {
  BlockShape shape;
  std::array<std::int64_t, 2> grid{};  ///< Number of cores along x and along y.
  Buffer numbers;                      ///< int32, ascending. Has space for all blocks of the grid.
  Buffer count;  ///< The number of active blocks as one int64, in the memory of `numbers`.
  std::optional<std::int64_t> size{};  ///< The number of active blocks, if the host knows it.
};

/// Returns the numbers of the active blocks in ascending order. Back ends must return the same list.
[[nodiscard]] std::vector<std::int32_t> active_blocks(const Mask& mask, const BlockShape& shape);

/// What a block list costs, relative to the cells of the image.
struct BlockShares {
  std::int64_t blocks = 0;
  double mask = 0;     ///< Cells of the mask at the stride of the image.
  double covered = 0;  ///< Share of the mask that is in an active core. Below 1 only if min_cells is above 1.
  /// Cells of active cores, at most 1. Cells of the last cores outside the image count too.
  double computed = 0;
  double read = 0;  ///< Cells that the gathered blocks contain, with their halos. Can exceed 1.
};
/// `gathered_edge` is the edge of the input of a block in cells, and `step` the stride of the unit (see
/// engine/bev/unit.hpp).
[[nodiscard]] BlockShares shares_of(const Mask& mask, const BlockShape& shape,
                                    std::span<const std::int32_t> active, int gathered_edge, int step);

}  // namespace spira

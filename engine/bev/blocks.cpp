#include "engine/bev/blocks.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira {
namespace {

/// Counts the set cells of each core enlarged by `reach`, in the order of the block numbers.
std::vector<std::int64_t> counts_of(const std::vector<std::uint8_t>& cells, const BlockShape& shape,
                                    const Area& area, int reach) {
  const std::int64_t rows = area.rows(shape.stride), columns = area.columns(shape.stride);
  const auto grid = grid_of(shape, area);
  const auto range_of = [&](std::int64_t block, std::int64_t size) {
    return std::pair{std::max<std::int64_t>(0, block * shape.core - reach),
                     std::min(size, (block + 1) * shape.core + reach)};
  };
  std::vector<std::int64_t> counts;
  counts.reserve(static_cast<std::size_t>(grid[0] * grid[1]));
  // First add the rows of a row of blocks, because whole rows are adjacent in memory.
  std::vector<std::int32_t> sums(static_cast<std::size_t>(columns));
  for (std::int64_t x = 0; x < grid[0]; ++x) {
    std::fill(sums.begin(), sums.end(), 0);
    const auto [first_row, last_row] = range_of(x, rows);
    for (std::int64_t at = first_row; at < last_row; ++at) {
      const std::uint8_t* const row = cells.data() + at * columns;
      for (std::size_t y = 0; y < sums.size(); ++y)
        sums[y] += row[y];
    }
    for (std::int64_t y = 0; y < grid[1]; ++y) {
      const auto [begin, end] = range_of(y, columns);
      counts.push_back(std::accumulate(sums.begin() + begin, sums.begin() + end, std::int64_t{0}));
    }
  }
  return counts;
}

}  // namespace

std::array<std::int64_t, 2> grid_of(const BlockShape& shape, const Area& area) noexcept {
  return {(area.rows(shape.stride) + shape.core - 1) / shape.core,
          (area.columns(shape.stride) + shape.core - 1) / shape.core};
}

std::vector<std::int32_t> active_blocks(const Mask& mask, const BlockShape& shape) {
  SPIRA_ASSERT(std::find(block_cores.begin(), block_cores.end(), shape.core) != block_cores.end() &&
                   shape.min_cells >= 1 && shape.reach >= 0,
               "the shape of the blocks is not valid");
  const auto counts = counts_of(cells_at(mask, shape.stride), shape, mask.area, shape.reach);
  std::vector<std::int32_t> active;
  for (std::size_t block = 0; block < counts.size(); ++block) {
    if (counts[block] >= shape.min_cells) active.push_back(static_cast<std::int32_t>(block));
  }
  return active;
}

BlockShares shares_of(const Mask& mask, const BlockShape& shape, std::span<const std::int32_t> active,
                      int gathered_edge, int step) {
  const auto cells = cells_at(mask, shape.stride);
  const auto counts = counts_of(cells, shape, mask.area, 0);
  std::int64_t covered = 0;
  for (const std::int32_t block : active)
    covered += counts[static_cast<std::size_t>(block)];
  const auto all = static_cast<double>(mask.area.size(shape.stride));
  const std::int64_t wanted = count_cells(cells);
  BlockShares shares;
  shares.blocks = std::ssize(active);
  const auto blocks = static_cast<double>(shares.blocks);
  shares.mask = static_cast<double>(wanted) / all;
  shares.covered = wanted == 0 ? 1 : static_cast<double>(covered) / static_cast<double>(wanted);
  shares.computed = std::min(1.0, blocks * shape.core * shape.core / all);
  shares.read = blocks * gathered_edge * gathered_edge / (all * step * step);
  return shares;
}

}  // namespace spira

#include "engine/bev/blocks.hpp"

#include "engine/base/error.hpp"

#include <algorithm>

namespace spira {
namespace {

/// A range of cells along one axis, [begin, end).
struct CoreRange {
  std::int64_t begin = 0, end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// Returns the cells of a core that are in an image of `cells` cells, enlarged by `reach` on each side.
CoreRange range_of(std::int64_t block, int core, int reach, std::int64_t cells) {
  return {std::max<std::int64_t>(0, block * core - reach), std::min(cells, (block + 1) * core + reach)};
}

std::int64_t count_in(const std::vector<std::uint8_t>& cells, std::int64_t columns, CoreRange x,
                      CoreRange y) {
  std::int64_t count = 0;
  for (std::int64_t at = x.begin; at < x.end; ++at) {
    const auto line = cells.begin() + at * columns;
    count += std::count(line + y.begin, line + y.end, std::uint8_t{1});
  }
  return count;
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
  const auto cells = cells_at(mask, shape.stride);
  const std::int64_t rows = mask.area.rows(shape.stride), columns = mask.area.columns(shape.stride);
  const auto grid = grid_of(shape, mask.area);
  std::vector<std::int32_t> active;
  for (std::int64_t x = 0; x < grid[0]; ++x) {
    for (std::int64_t y = 0; y < grid[1]; ++y) {
      const auto wanted = count_in(cells, columns, range_of(x, shape.core, shape.reach, rows),
                                   range_of(y, shape.core, shape.reach, columns));
      if (wanted >= shape.min_cells) active.push_back(static_cast<std::int32_t>(x * grid[1] + y));
    }
  }
  return active;
}

BlockShares shares_of(const Mask& mask, const BlockShape& shape, std::span<const std::int32_t> active,
                      int gathered_edge, int step) {
  const auto cells = cells_at(mask, shape.stride);
  const std::int64_t rows = mask.area.rows(shape.stride), columns = mask.area.columns(shape.stride);
  const auto grid = grid_of(shape, mask.area);
  std::int64_t computed = 0, covered = 0;
  for (const std::int32_t block : active) {
    const CoreRange x = range_of(block / grid[1], shape.core, 0, rows),
                    y = range_of(block % grid[1], shape.core, 0, columns);
    computed += x.size() * y.size();
    covered += count_in(cells, columns, x, y);
  }
  const auto all = static_cast<double>(mask.area.size(shape.stride));
  const std::int64_t wanted = count_cells(cells);
  BlockShares shares;
  shares.blocks = std::ssize(active);
  shares.mask = static_cast<double>(wanted) / all;
  shares.covered = wanted == 0 ? 1 : static_cast<double>(covered) / static_cast<double>(wanted);
  shares.computed = static_cast<double>(computed) / all;
  shares.read = static_cast<double>(shares.blocks) * gathered_edge * gathered_edge / (all * step * step);
  return shares;
}

}  // namespace spira

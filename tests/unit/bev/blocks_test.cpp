// Tests active blocks and their shares against naive code, on random masks.
#include "engine/bev/blocks.hpp"

#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace spira {
namespace {

using test::area_of_cells;
using test::random_mask;
using testing::ElementsAre;

/// Returns true if the core of a block, enlarged by `reach`, contains the cell.
bool contains(const BlockShape& shape, std::int64_t x, std::int64_t y, std::int64_t reach, std::int64_t u,
              std::int64_t v) {
  return u >= x * shape.core - reach && u < (x + 1) * shape.core + reach && v >= y * shape.core - reach &&
         v < (y + 1) * shape.core + reach;
}

/// Counts the cells of the mask in each block, by visiting all cells for each block.
std::vector<std::int32_t> naive_blocks(const Mask& mask, const BlockShape& shape) {
  const auto cells = cells_at(mask, shape.stride);
  const std::int64_t rows = mask.area.rows(shape.stride), columns = mask.area.columns(shape.stride);
  std::vector<std::int32_t> active;
  std::int32_t number = 0;
  for (std::int64_t x = 0; x * shape.core < rows; ++x) {
    for (std::int64_t y = 0; y * shape.core < columns; ++y, ++number) {
      std::int64_t count = 0;
      for (std::int64_t at = 0; at < rows * columns; ++at) {
        if (cells[static_cast<std::size_t>(at)] != 0 &&
            contains(shape, x, y, shape.reach, at / columns, at % columns))
          ++count;
      }
      if (count >= shape.min_cells) active.push_back(number);
    }
  }
  return active;
}

void check_shares(const Mask& mask, const BlockShape& shape, const std::vector<std::int32_t>& active) {
  const auto cells = cells_at(mask, shape.stride);
  const std::int64_t columns = mask.area.columns(shape.stride);
  const auto grid = grid_of(shape, mask.area);
  std::vector<int> owners(cells.size());
  for (const std::int32_t block : active) {
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const auto row = static_cast<std::int64_t>(at);
      owners[at] +=
          contains(shape, block / grid[1], block % grid[1], 0, row / columns, row % columns) ? 1 : 0;
    }
  }
  std::int64_t computed = 0, wanted = 0, covered = 0;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    ASSERT_LE(owners[at], 1) << "cores must not overlap";
    computed += owners[at];
    wanted += cells[at];
    covered += cells[at] * owners[at];
  }
  const auto all = static_cast<double>(cells.size());
  const int step = 2, edge = (2 * (shape.core - 1)) + 1 + (2 * 3);
  const BlockShares shares = shares_of(mask, shape, active, edge, step);
  EXPECT_EQ(shares.blocks, std::ssize(active));
  EXPECT_DOUBLE_EQ(shares.mask, static_cast<double>(wanted) / all);
  // The last cores compute cells outside the image too.
  const double in_cores = static_cast<double>(active.size()) * shape.core * shape.core / all;
  EXPECT_DOUBLE_EQ(shares.computed, std::min(1.0, in_cores));
  EXPECT_LE(static_cast<double>(computed) / all, shares.computed);
  EXPECT_DOUBLE_EQ(shares.covered,
                   wanted == 0 ? 1 : static_cast<double>(covered) / static_cast<double>(wanted));
  EXPECT_DOUBLE_EQ(shares.read, static_cast<double>(active.size()) * edge * edge / (all * 4));
  // BlockTrap4: every cell of the mask is in exactly one active core.
  if (shape.min_cells == 1) {
    EXPECT_EQ(covered, wanted);
  }
}

void check_all_shapes(const Mask& mask, int stride) {
  for (const int core : block_cores) {
    for (const int reach : {0, 1, 4}) {
      for (const std::int64_t min_cells : {1, 2, 7}) {
        const BlockShape shape{stride, core, reach, min_cells};
        SCOPED_TRACE(testing::Message()
                     << mask.area.rows() << " x " << mask.area.columns() << ", stride " << stride << ", core "
                     << core << ", reach " << reach << ", at least " << min_cells);
        const auto active = active_blocks(mask, shape);
        ASSERT_EQ(active, naive_blocks(mask, shape));
        check_shares(mask, shape, active);
      }
    }
  }
}

TEST(Blocks, BlockTrap4EveryCellOfTheMaskIsInOneActiveCore) {
  std::uint64_t seed = 40;
  for (const double density : {0.003, 0.05, 0.4}) {
    check_all_shapes(random_mask(64, 96, density, ++seed), 1);
    check_all_shapes(random_mask(64, 96, density, ++seed), 2);
    check_all_shapes(random_mask(128, 64, density, ++seed), 8);
  }
}

TEST(Blocks, BlockTrap4WithMoreCellsTheCoverageIsReported) {
  Mask mask = random_mask(8, 8, 0, 1);
  mask.cells[0] = mask.cells[1] = mask.cells[63] = 1;
  const BlockShape shape{1, 4, 0, 2};
  const auto active = active_blocks(mask, shape);
  EXPECT_THAT(active, ElementsAre(0));
  EXPECT_DOUBLE_EQ(shares_of(mask, shape, active, 6, 1).covered, 2.0 / 3);
}

TEST(Blocks, BlockTrap5SizesThatAreNoMultiplesOfTheCore) {
  std::uint64_t seed = 50;
  for (const auto& [rows, columns] :
       std::vector<std::pair<int, int>>{{1, 1}, {1, 70}, {70, 1}, {3, 5}, {33, 31}, {37, 65}}) {
    for (const double density : {0.0, 0.05, 1.0})
      check_all_shapes(random_mask(rows, columns, density, ++seed), 1);
  }
  EXPECT_EQ(grid_of({1, 32, 0, 1}, area_of_cells(33, 31)), (std::array<std::int64_t, 2>{2, 1}));
  EXPECT_EQ(grid_of({16, 4, 0, 1}, area_of_cells(704, 800)), (std::array<std::int64_t, 2>{11, 13}));
}

TEST(Blocks, BlockTrap5OfEmptyAndFullMasks) {
  const Mask empty = random_mask(40, 56, 0, 1), full = random_mask(40, 56, 1, 1);
  for (const int core : block_cores) {
    const BlockShape shape{1, core, 1, 1};
    const auto none = active_blocks(empty, shape);
    EXPECT_TRUE(none.empty());
    const BlockShares nothing = shares_of(empty, shape, none, core + 2, 1);
    EXPECT_EQ(nothing.blocks, 0);
    EXPECT_EQ(nothing.computed, 0);
    EXPECT_EQ(nothing.read, 0);
    EXPECT_EQ(nothing.covered, 1) << "no cell is left out";
    const auto all = active_blocks(full, shape);
    const auto grid = grid_of(shape, full.area);
    EXPECT_EQ(std::ssize(all), grid[0] * grid[1]);
    EXPECT_EQ(shares_of(full, shape, all, core + 2, 1).computed, 1);
  }
  EXPECT_GT(shares_of(full, {1, 4, 1, 1}, active_blocks(full, {1, 4, 1, 1}), 6, 1).read, 1)
      << "blocks read the cells of their halos twice";
}

TEST(Blocks, BlockTrap5ACellInACornerActivatesTheBlocksThatReachIt) {
  for (const int core : block_cores) {
    Mask mask = random_mask(3 * core, 3 * core, 0, 1);
    mask.cells.front() = 1;
    EXPECT_THAT(active_blocks(mask, {1, core, 3, 1}), ElementsAre(0));
    mask.cells.front() = 0;
    mask.cells.back() = 1;
    EXPECT_THAT(active_blocks(mask, {1, core, 3, 1}), ElementsAre(8));
    mask.cells.back() = 0;
    // The last cell of the first core is one cell away from three other cores.
    mask.cells[static_cast<std::size_t>((core - 1) * 3 * core + core - 1)] = 1;
    EXPECT_THAT(active_blocks(mask, {1, core, 0, 1}), ElementsAre(0));
    EXPECT_THAT(active_blocks(mask, {1, core, 1, 1}), ElementsAre(0, 1, 3, 4));
  }
}

TEST(Blocks, AReachBeyondTheImageActivatesEveryBlock) {
  Mask mask = random_mask(40, 70, 0, 1);
  mask.cells[1'234] = 1;
  EXPECT_EQ(active_blocks(mask, {1, 8, 1'000, 1}).size(), 5U * 9);
}

TEST(Blocks, BlockTrap12OtherCoresCannotBeAskedFor) {
  const Mask mask = random_mask(8, 8, 1, 1);
  for (const BlockShape& shape : {BlockShape{1, 3, 0, 1}, BlockShape{1, 2, 0, 1}, BlockShape{1, 64, 0, 1},
                                  BlockShape{1, 4, -1, 1}, BlockShape{1, 4, 0, 0}})
    EXPECT_EQ(test::error_of(ErrorKind::internal, [&] { return active_blocks(mask, shape); }),
              "the shape of the blocks is not valid");
}

TEST(Blocks, BlockTrap13TheDensityOfTheMaskIsNotThatOfItsBlocks) {
  const Mask mask = random_mask(256, 256, 0.01, 9);
  const BlockShape shape{1, 16, 1, 1};
  const BlockShares shares = shares_of(mask, shape, active_blocks(mask, shape), 18, 1);
  EXPECT_NEAR(shares.mask, 0.01, 0.003);
  EXPECT_GT(shares.computed, 0.9);
}

}  // namespace
}  // namespace spira

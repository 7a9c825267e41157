// Tests group_columns(), which groups columns of different lengths for batched matrix products. The tests
// require no GPU.
#include "kernels/cuda/baseline/gather_groups.hpp"

#include <gtest/gtest.h>

namespace spira::cuda {
namespace {

std::vector<GatherColumn> columns_of(const std::vector<std::int64_t>& pairs) {
  std::vector<GatherColumn> columns;
  for (std::size_t at = 0; at < pairs.size(); ++at)
    columns.push_back({static_cast<int>(at), 0, 0, pairs[at], 0});
  return columns;
}

/// Expects that the rows of different groups do not overlap, that every group is large enough for its
/// columns, and that every column is in a group.
void expect_sound(const GatherGroups& groups, std::size_t columns) {
  EXPECT_EQ(groups.columns.size(), columns);
  std::int64_t row = 0;
  int at = 0;
  for (const GatherGroup& group : groups.groups) {
    EXPECT_EQ(group.first, at);
    for (int member = 0; member < group.count; ++member, ++at) {
      const GatherColumn& column = groups.columns.at(static_cast<std::size_t>(at));
      EXPECT_EQ(column.first_row, row);
      EXPECT_LE(column.pairs, group.rows);
      row += group.rows;
    }
  }
  EXPECT_EQ(at, static_cast<int>(columns));
  EXPECT_EQ(groups.rows, row);
}

TEST(GatherGroups, AloneEachColumnIsAGroupWithoutPadding) {
  const GatherGroups groups = group_columns(columns_of({3, 9, 9, 0, 1}), alone);
  expect_sound(groups, 4);
  EXPECT_EQ(groups.groups.size(), 4U);
  EXPECT_EQ(groups.rows, 22);
}
TEST(GatherGroups, WithoutSlackOnlyEqualColumnsJoin) {
  const GatherGroups groups = group_columns(columns_of({3, 9, 9, 3, 1}), 0.0);
  expect_sound(groups, 5);
  ASSERT_EQ(groups.groups.size(), 3U);
  EXPECT_EQ(groups.groups[0].count, 2);
  EXPECT_EQ(groups.groups[1].count, 2);
  EXPECT_EQ(groups.rows, 25);
}
TEST(GatherGroups, SlackJoinsColumnsThatAreALittleShorter) {
  const GatherGroups groups = group_columns(columns_of({100, 80, 79, 10}), 0.25);
  expect_sound(groups, 4);
  ASSERT_EQ(groups.groups.size(), 3U);
  EXPECT_EQ(groups.groups[0].count, 2)
      << "the first group must have the columns of 100 and 80 pairs, but not the column of 79";
  EXPECT_EQ(groups.rows, 200 + 79 + 10);
}
TEST(GatherGroups, NoPairsGiveNoGroups) {
  const GatherGroups groups = group_columns(columns_of({0, 0}), 1.0);
  expect_sound(groups, 0);
  EXPECT_EQ(groups.rows, 0);
}

}  // namespace
}  // namespace spira::cuda

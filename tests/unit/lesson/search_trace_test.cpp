// Tests the traces of single searches, which the animations of the search lesson show. The expected traces
// come from a separate look-up of each voxel, key or slot.
#include "engine/lesson/diagrams/search_trace.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/replay/hash_slots.hpp"
#include "tests/support/coord_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns five voxels. Column (1, 1) has z = 1, 2, 4. The rows are 0 (1,1,1), 1 (1,1,2), 2 (1,1,4), 3
// (1,2,2), 4 (3,1,1).
CoordSet five() {
  return test::coord_set(PackSpec::bits32(), {{1, 1, 1}, {1, 1, 2}, {1, 1, 4}, {1, 2, 2}, {3, 1, 1}});
}

CoordSet crowd(int stride) {
  return test::coord_set(
      PackSpec::bits32(),
      test::box_voxels({std::int64_t{9} * stride, std::int64_t{8} * stride, std::int64_t{7} * stride}, stride,
                       150, 4),
      stride);
}

TEST(BracketTrace, HalvesTheBracketUntilOnePositionIsLeft) {
  // Column 14 is the offset (0, 0, +1).
  const BracketTrace trace = trace_bracket(five(), {1, 1, 1}, KernelOffsets(3, 1), 14);
  EXPECT_EQ(trace.wanted, (Voxel{1, 1, 2}));
  ASSERT_EQ(trace.steps.size(), 3U);
  EXPECT_EQ(trace.steps[0].middle, 2);
  EXPECT_EQ(trace.steps[0].voxel, (Voxel{1, 1, 4}));
  EXPECT_FALSE(trace.steps[0].below);
  EXPECT_EQ(trace.steps[1].end, 2);
  EXPECT_EQ(trace.at, 1);
  EXPECT_TRUE(trace.found);
}

TEST(BracketTrace, EndsWhereTheVoxelIsOrWouldBe) {
  const CoordSet level = crowd(2);
  const auto voxels = all_voxels(level);
  const KernelOffsets offsets(3, 2);
  for (std::size_t row = 0; row < voxels.size(); row += 7) {
    for (int column = 0; column < offsets.columns(); ++column) {
      const BracketTrace trace = trace_bracket(level, voxels[row], offsets, column);
      const auto at = std::lower_bound(voxels.begin(), voxels.end(), trace.wanted);
      EXPECT_EQ(trace.at, at - voxels.begin());
      EXPECT_EQ(trace.found, at != voxels.end() && *at == trace.wanted);
      EXPECT_LE(static_cast<double>(trace.steps.size()), std::log2(static_cast<double>(voxels.size())) + 1);
      for (const BracketStep& step : trace.steps) {
        EXPECT_LE(step.begin, trace.at);
        EXPECT_GE(step.end, trace.at);
        EXPECT_EQ(step.below, step.voxel < trace.wanted);
      }
    }
  }
}

TEST(GroupTrace, ReadsAtMostKKeysAndFillsTheColumn) {
  for (const int stride : {1, 4}) {
    const CoordSet level = crowd(stride);
    const KernelOffsets offsets(5, stride);
    for (std::int64_t row = 0; row < size_of(level); row += 11) {
      for (int group = 0; group < offsets.z_groups(); ++group) {
        const Voxel output = voxel_at(level, row);
        const GroupTrace trace = trace_group(level, output, offsets, group);
        EXPECT_LE(trace.scan.size(), 5U);
        std::vector<int> hits;
        for (const ScanStep& step : trace.scan) {
          EXPECT_EQ(voxel_at(level, step.row), step.voxel);
          if (step.column >= 0) hits.push_back(step.column);
        }
        std::vector<int> expected, misses;
        for (int column = group * 5; column < (group * 5) + 5; ++column) {
          const Voxel d = offsets.offset(column);
          const bool there =
              row_of_voxel(level, {output[0] + d[0], output[1] + d[1], output[2] + d[2]}).has_value();
          (there ? expected : misses).push_back(column);
        }
        EXPECT_EQ(hits, expected);
        EXPECT_EQ(trace.misses, misses);
      }
    }
  }
}

TEST(ProbeTrace, EndsAtTheVoxelOrAtAFreeSlot) {
  const CoordSet level = crowd(1);
  const LevelKeys keys(level);
  Job job;
  const HashSlots table(keys, job);
  const KernelOffsets offsets(3, 1);
  for (std::int64_t row = 0; row < size_of(level); row += 5) {
    for (int column = 0; column < offsets.columns(); ++column) {
      const Voxel output = voxel_at(level, row), d = offsets.offset(column);
      const Voxel wanted{output[0] + d[0], output[1] + d[1], output[2] + d[2]};
      const ProbeTrace trace = trace_probes(level, table, output, offsets, column);
      const auto there = row_of_voxel(level, wanted);
      if (!trace.asked) {
        EXPECT_LT(wanted, (Voxel{0, 0, 0})) << "a query may be skipped only if it lies below the first cell";
        continue;
      }
      ASSERT_FALSE(trace.steps.empty());
      EXPECT_EQ(trace.steps.back().match, there.has_value());
      EXPECT_EQ(trace.steps.back().row, there.value_or(-1));
      for (std::size_t step = 1; step < trace.steps.size(); ++step)
        EXPECT_EQ(trace.steps[step].slot, (trace.steps[step - 1].slot + 1) % table.slots());
    }
  }
}

TEST(ThreeKeys, NeighboursHaveConsecutiveKeys) {
  const auto pair = neighbours_from(five(), 1);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->low, (Voxel{1, 1, 1})) << "the search must wrap around to the only voxel with a neighbour";
  EXPECT_EQ(pair->high_row, pair->low_row + 1);
  Job job;
  for (const int stride : {1, 2, 16}) {
    const CoordSet level = crowd(stride);
    std::int64_t pairs = 0;
    const auto voxels = all_voxels(level);
    for (const Voxel& low : voxels) {
      for (const Voxel& high : voxels)
        pairs += high == Voxel{low[0], low[1], low[2] + stride} ? 1 : 0;
    }
    const NeighbourCount count = count_neighbours(level, job);
    EXPECT_EQ(count.pairs, pairs);
    EXPECT_EQ(count.side_by_side, pairs);
    EXPECT_NO_THROW(require_on_stride_grid(level));
  }
  EXPECT_FALSE(neighbours_from(test::coord_set(PackSpec::bits32(), {{1, 1, 1}, {1, 1, 3}}), 0).has_value());
}

TEST(ThreeKeys, AVoxelOffTheGridFiresTheAssertionAndHidesAMatch) {
  // The level is a full column of voxels at stride 2, so the scan reads all K = 3 keys.
  const CoordSet level = test::coord_set(
      PackSpec::bits32(), {{2, 4, 2}, {2, 4, 4}, {4, 4, 2}, {4, 4, 4}, {4, 4, 6}, {4, 4, 8}}, 2);
  Job job;
  const auto broken = break_stride_grid(level, 0, 3, job);
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->intruder, (Voxel{4, 4, 5}));
  EXPECT_THAT(broken->assertion, HasSubstr("voxel (4, 4, 5) in row 4 is off the grid of stride 2"));
  EXPECT_THAT(broken->missed, ElementsAre(14))
      << "the match at (0, 0, +2), behind the added voxel, must be missed";
  ASSERT_EQ(broken->scan.scan.size(), 3U);
  EXPECT_EQ(broken->scan.scan[2].column, -1);
  EXPECT_FALSE(break_stride_grid(five(), 0, 3, job).has_value())
      << "stride 1 must be refused, because it has no cells between voxels";
}

}  // namespace
}  // namespace spira

#include "engine/map/kernel_offsets.hpp"

#include "engine/base/error.hpp"
#include "engine/map/kernel_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace spira {
namespace {

TEST(KernelOffsets, OddKernelsAreCentredAndEvenOnesAreNot) {
  // The offsets are {-4, -2, 0, 2, 4}^3.
  const KernelOffsets odd(5, 2);
  EXPECT_EQ(odd.columns(), 125);
  EXPECT_EQ(odd.offset(0), (Voxel{-4, -4, -4}));
  EXPECT_EQ(odd.offset(odd.centre()), (Voxel{0, 0, 0}));
  EXPECT_EQ(odd.offset(124), (Voxel{4, 4, 4}));
  // Tests trap 6 in docs/architecture.md: even kernels are not centred.
  const KernelOffsets even(2, 4);
  EXPECT_FALSE(even.centred());
  EXPECT_EQ(even.offset(0), (Voxel{0, 0, 0}));
  EXPECT_EQ(even.offset(7), (Voxel{4, 4, 4}));
  EXPECT_EQ(even.max_l1(), 3);
}

TEST(KernelOffsets, AGroupSharesDxAndDyAndItsAnchorHasTheSmallestDz) {
  const KernelOffsets offsets(3, 1);
  for (int group = 0; group < offsets.z_groups(); ++group) {
    for (int iz = 0; iz < 3; ++iz) {
      const Voxel d = offsets.offset((group * 3) + iz), a = offsets.anchor(group);
      EXPECT_EQ(d, (Voxel{a[0], a[1], a[2] + iz}));
    }
  }
}

TEST(KernelOffsets, ThePartnerIsTheNegatedOffset) {
  const KernelOffsets offsets(7, 8);
  for (int column = 0; column < offsets.columns(); ++column) {
    const Voxel d = offsets.offset(column), p = offsets.offset(offsets.partner(column));
    EXPECT_EQ(p, (Voxel{-d[0], -d[1], -d[2]}));
  }
}

TEST(KernelOffsets, NormsOfK5HaveTheCountsOfThePaper) {
  const KernelOffsets offsets(5, 4);
  std::vector<int> count(static_cast<std::size_t>(offsets.max_l1()) + 1, 0);
  for (int column = 0; column < offsets.columns(); ++column)
    ++count.at(static_cast<std::size_t>(offsets.l1(column)));
  EXPECT_EQ(count, (std::vector<int>{1, 6, 18, 32, 36, 24, 8}));
}

TEST(KernelOffsets, TheThresholdCutsColumnsInTwo) {
  const KernelOffsets offsets(3, 1);
  EXPECT_TRUE(offsets.dense_columns(0).empty());
  EXPECT_EQ(offsets.dense_columns(1), std::vector<int>{13});
  EXPECT_EQ(offsets.dense_columns(2).size(), 7U);
  EXPECT_TRUE(offsets.sparse_columns(offsets.max_threshold()).empty());
  EXPECT_EQ(offsets.dense_columns(2).size() + offsets.sparse_columns(2).size(), 27U);
}

TEST(KernelOffsets, OtherSizesAndStridesAreUsageErrors) {
  EXPECT_THROW(KernelOffsets(8, 1), Error);
  EXPECT_THROW(KernelOffsets(0, 1), Error);
  EXPECT_THROW(KernelOffsets(PerAxis(3, 3, 9), 1), Error);
  EXPECT_THROW(KernelOffsets(3, 3), Error);
  EXPECT_THROW(KernelOffsets(3, 128), Error);
}

TEST(KernelOffsets, CountTheirNormFromTheCellNearestToTheOutput) {
  const KernelOffsets flat({PerAxis(1, 3, 1), PerAxis(0, 0, 0)}, 2);
  ASSERT_EQ(flat.columns(), 3);
  EXPECT_EQ(flat.offset(2), (Voxel{0, 4, 0}));
  EXPECT_EQ(flat.l1(0), 0);
  EXPECT_EQ(flat.l1(2), 2);
  EXPECT_EQ(flat.max_l1(), 2);
  EXPECT_FALSE(flat.centred());
  EXPECT_TRUE(KernelOffsets(PerAxis(1, 3, 5), 1).centred());
}

TEST(RequestForThreshold, DenseColumnsFirstThenPairLists) {
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const MapRequest both = request_for_threshold(offsets, MapAlgorithm::hash, 2, true);
  ASSERT_EQ(both.parts.size(), 2U);
  EXPECT_EQ(both.parts[0].layout, MapLayout::z_runs);
  EXPECT_EQ(both.parts[0].columns.size(), 7U);
  EXPECT_EQ(both.parts[1].layout, MapLayout::pair_lists);
  EXPECT_TRUE(both.half);
  EXPECT_FALSE(request_for_threshold(offsets, MapAlgorithm::hash, 2, false).half);
  EXPECT_EQ(request_for_threshold(offsets, MapAlgorithm::hash, 4, true).parts.size(), 1U);
}

TEST(MapAlgorithmNames, ReadBack) {
  for (const auto algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash, MapAlgorithm::sorted_query})
    EXPECT_EQ(parse_map_algorithm(text_of(algorithm)), algorithm);
  EXPECT_THROW(static_cast<void>(parse_map_algorithm("magic")), Error);
}

}  // namespace
}  // namespace spira

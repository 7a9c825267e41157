// Tests the functions of map_view.hpp on maps in all layouts. The naive reference builds the maps. The
// expected pairs were derived by hand.
#include "engine/map/map_view.hpp"

#include "engine/backend/backend.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/weights.hpp"
#include "kernels/reference/reference_backend.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace spira {
namespace {

using test::Pairs;

// Five voxels in sorted order. Their rows are 0 (1,1,1), 1 (1,1,2), 2 (1,1,4), 3 (1,2,2), 4 (3,1,1).
const std::vector<Voxel> five{{1, 1, 1}, {1, 1, 2}, {1, 1, 4}, {1, 2, 2}, {3, 1, 1}};
// For K = 3, the column of an offset is (dx+1)*9 + (dy+1)*3 + (dz+1). Column 13 is the centre, 14 is +z, 12
// is -z, 16 is +y, 10 is -y, 17 is (0,+1,+1), 9 is (0,-1,-1).
const Pairs by_hand{{0, 13, 0}, {1, 13, 1}, {2, 13, 2}, {3, 13, 3}, {4, 13, 4}, {0, 14, 1},
                    {1, 12, 0}, {1, 16, 3}, {3, 10, 1}, {0, 17, 3}, {3, 9, 0}};

class MapView : public testing::TestWithParam<MapLayout> {
 protected:
  KernelMap map(bool half = false) {
    const CoordSet coords = test::coord_set(PackSpec::bits32(), five);
    const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
    const MapPartRequest part{GetParam(), test::all_columns(*offsets),
                              GetParam() == MapLayout::mask_sorted ? 4 : 0};
    return backend_->build_map(coords, coords, {offsets, MapAlgorithm::z_delta, {part}, half}, job_);
  }
  Job job_;
  std::shared_ptr<Backend> backend_ = reference_backend().make({});
};

TEST_P(MapView, PairsAreThoseWorkedOutByHand) {
  EXPECT_EQ(test::pairs_of(map()), by_hand);
}

TEST_P(MapView, RowsColumnsAndCountsAgreeWithThePairs) {
  const KernelMap made = map(GetParam() == MapLayout::pair_lists);
  std::vector<std::vector<std::int32_t>> matrix(5, std::vector<std::int32_t>(27, -1));
  for (const auto& [output, column, input] : by_hand)
    matrix.at(static_cast<std::size_t>(output)).at(static_cast<std::size_t>(column)) = input;
  for (std::int32_t output = 0; output < 5; ++output)
    EXPECT_EQ(row_of(made, output), matrix.at(static_cast<std::size_t>(output)));
  const auto per_column = matches_per_column(made);
  for (std::size_t column = 0; column < 27; ++column) {
    std::vector<std::int32_t> expected;
    for (const auto& row : matrix)
      expected.push_back(row.at(column));
    EXPECT_EQ(column_of(made, static_cast<int>(column)), expected);
    EXPECT_EQ(per_column.at(column), 5 - std::count(expected.begin(), expected.end(), -1));
  }
  EXPECT_EQ(matches_per_output(made), (std::vector<std::uint16_t>{3, 3, 1, 3, 1}));
  EXPECT_THROW(static_cast<void>(row_of(made, 5)), Error);
}

TEST_P(MapView, SomeOutputsHaveTheirOwnMatchesAndDensities) {
  for (const bool half : {false, GetParam() == MapLayout::pair_lists}) {
    const KernelMap made = map(half);
    const std::vector<std::int32_t> some{1, 3};
    std::vector<std::int64_t> expected(27, 0);
    for (const auto& [output, column, input] : by_hand)
      expected.at(static_cast<std::size_t>(column)) += output == 1 || output == 3 ? 1 : 0;
    EXPECT_EQ(matches_per_column(made, some), expected);
    const Densities found = densities(made, some);
    EXPECT_EQ(found.outputs, 2);
    EXPECT_EQ(found.pairs, 6);
    EXPECT_DOUBLE_EQ(found.columns.at(10).density, 0.5);
    EXPECT_EQ(densities(made, {}).pairs, 0);
    EXPECT_THROW(static_cast<void>(matches_per_column(made, std::vector<std::int32_t>{5})), Error);
  }
}

TEST_P(MapView, CountsTheMatchesOfSomeColumnsOfEachOutput) {
  for (const bool half : {false, GetParam() == MapLayout::pair_lists}) {
    const KernelMap made = map(half);
    for (const std::vector<int>& columns :
         {std::vector{14}, std::vector{9, 14, 10}, std::vector{13, 10, 16, 12, 14}, std::vector<int>{}}) {
      std::vector<std::uint16_t> expected(5, 0);
      for (const auto& [output, column, input] : by_hand) {
        if (std::find(columns.begin(), columns.end(), column) != columns.end())
          ++expected.at(static_cast<std::size_t>(output));
      }
      EXPECT_EQ(matches_per_output(made, columns), expected);
    }
  }
}

TEST_P(MapView, AGroupHasTheColumnsOfItsOutputs) {
  for (const bool half : {false, GetParam() == MapLayout::pair_lists}) {
    const KernelMap made = map(half);
    const std::vector<std::int32_t> groups{0, 1, -1, 0, 1};
    const auto words = columns_of_groups(made, groups, 2);
    ASSERT_EQ(words.size(), 18U);
    std::vector<std::uint32_t> expected(18, 0);
    for (std::int32_t output = 0; output < 5; ++output) {
      const auto inputs = row_of(made, output);
      const std::int32_t group = groups.at(static_cast<std::size_t>(output));
      for (std::size_t column = 0; group >= 0 && column < inputs.size(); ++column) {
        if (inputs.at(column) >= 0)
          expected.at((static_cast<std::size_t>(group) * 9) + (column / 3)) |= 1U << (column % 3);
      }
    }
    EXPECT_EQ(words, expected);
    EXPECT_THROW(static_cast<void>(columns_of_groups(made, {}, 2)), Error);
  }
}

TEST_P(MapView, DensitiesAreSharesOfTheOutputs) {
  const Densities found = densities(map());
  EXPECT_EQ(found.pairs, 11);
  ASSERT_EQ(found.groups.size(), 4U);
  EXPECT_DOUBLE_EQ(found.groups[0].mean, 1.0);
  EXPECT_DOUBLE_EQ(found.groups[1].mean, 4.0 / 5.0 / 6.0);   // Columns 14, 12, 16 and 10 have one match each.
  EXPECT_DOUBLE_EQ(found.groups[2].mean, 2.0 / 5.0 / 12.0);  // Columns 17 and 9 have one match each.
  EXPECT_DOUBLE_EQ(found.groups[3].mean, 0.0);
  EXPECT_DOUBLE_EQ(found.groups[1].max, 0.2);
  EXPECT_DOUBLE_EQ(found.groups[1].min, 0.0);
}

/// Returns a native map of three outputs and four inputs. Output 0 has three inputs in column 13, and output
/// 1 has two in column 14.
KernelMap native_map() {
  KernelShape kernel(3);
  kernel.neighbourhood.shape = NeighbourShape::ball;
  KernelMap map;
  map.offsets = std::make_shared<const KernelOffsets>(kernel, 1);
  map.outputs = 3;
  map.inputs = 4;
  KernelMap::Part& part = map.parts.emplace_back();
  part.layout = MapLayout::pair_lists;
  part.columns = test::all_columns(*map.offsets);
  part.counts = Buffer(make_host_pool(), 27 * sizeof(std::int32_t));
  const auto counts = part.counts.host_span<std::int32_t>();
  std::fill(counts.begin(), counts.end(), 0);
  counts[13] = 5;
  counts[14] = 2;
  const std::vector<std::array<std::int32_t, 2>> pairs{{0, 0}, {0, 1}, {0, 3}, {1, 1},
                                                       {2, 2}, {1, 2}, {1, 3}};
  part.entries = Buffer(make_host_pool(), pairs.size() * sizeof(pairs[0]));
  std::copy(pairs.begin(), pairs.end(), part.entries.host_span<std::array<std::int32_t, 2>>().begin());
  return map;
}

TEST(NativeMapView, AnOutputCanHaveSeveralInputsInAColumn) {
  const KernelMap map = native_map();
  EXPECT_EQ(inputs_of(map, 0, 13), (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(inputs_of(map, 1, 14), (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(inputs_of(map, 2, 14), std::vector<std::int32_t>{});
  EXPECT_THROW(static_cast<void>(inputs_of(map, 3, 13)), Error);
  EXPECT_EQ(row_of(map, 0).at(13), 0) << "the lowest input";
  EXPECT_EQ(column_of(map, 14), (std::vector<std::int32_t>{-1, 2, -1}));
  EXPECT_EQ(matches_per_output(map), (std::vector<std::uint16_t>{3, 3, 1}));
  EXPECT_EQ(matches_per_output(map, std::vector{14}), (std::vector<std::uint16_t>{0, 2, 0}));
}

// Trap 12 of native layers: a density above 1.
TEST(NativeMapView, DensitiesCountGroups) {
  const KernelMap map = native_map();
  const Densities all = densities(map);
  EXPECT_EQ(all.pairs, 4);
  EXPECT_EQ(all.triplets, 7);
  EXPECT_EQ(all.columns.at(13).matches, 3);
  EXPECT_EQ(all.columns.at(13).triplets, 5);
  EXPECT_DOUBLE_EQ(all.columns.at(13).density, 1.0);
  EXPECT_DOUBLE_EQ(all.columns.at(14).density, 1.0 / 3.0);
  const Densities some = densities(map, std::vector<std::int32_t>{0, 1});
  EXPECT_EQ(some.columns.at(13).matches, 2);
  EXPECT_EQ(some.columns.at(13).triplets, 4);
  EXPECT_DOUBLE_EQ(some.columns.at(14).density, 0.5);
}

TEST_P(MapView, InputsOfAColumnAgreeWithTheRows) {
  for (const bool half : {false, GetParam() == MapLayout::pair_lists}) {
    const KernelMap made = map(half);
    EXPECT_EQ(inputs_of(made, 3, 9), std::vector<std::int32_t>{0});
    EXPECT_EQ(inputs_of(made, 4, 9), std::vector<std::int32_t>{});
    EXPECT_EQ(densities(made).triplets, 11);
  }
}

TEST_P(MapView, TheReferenceConvolvesTheHandMadeMap) {
  LayerWeights weights{27, 1, 1, std::vector<float>(27), {0.5F}};
  for (std::size_t k = 0; k < 27; ++k)
    weights.weight[k] = static_cast<float>(k);
  const auto uploaded = backend_->upload_weights(weights, Precision::fp32);
  Features in{5, 1, Precision::fp32, Buffer(make_host_pool(), 5 * sizeof(float))};
  const std::array<float, 5> x{1, 10, 100, 1000, -1};
  std::copy(x.begin(), x.end(), in.data.host_span<float>().begin());
  const Features out = backend_->convolve(map(), in, uploaded, {false, true, nullptr}, job_);
  const auto y = out.data.host_span<float>();
  EXPECT_FLOAT_EQ(y[0], 13.0F * 1 + 14.0F * 10 + 17.0F * 1000 + 0.5F);
  EXPECT_FLOAT_EQ(y[1], 13.0F * 10 + 12.0F * 1 + 16.0F * 1000 + 0.5F);
  EXPECT_FLOAT_EQ(y[2], 13.0F * 100 + 0.5F);
  EXPECT_FLOAT_EQ(y[3], 13.0F * 1000 + 10.0F * 10 + 9.0F * 1 + 0.5F);
  EXPECT_FLOAT_EQ(y[4], 0.0F) << "ReLU must turn -13 + 0.5 into 0";
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, MapView,
                         testing::Values(MapLayout::output_major, MapLayout::offset_major,
                                         MapLayout::pair_lists, MapLayout::z_runs, MapLayout::mask_sorted),
                         [](const auto& info) { return test::case_name(text_of(info.param)); });

}  // namespace
}  // namespace spira

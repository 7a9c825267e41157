// Tests redundancy() against a naive count on generated maps, and on real scenes against numbers that an
// independent program counted.
#include "engine/map/redundancy.hpp"

#include "app/common/backends.hpp"
#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "kernels/reference/reference_backend.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/real_scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace spira {
namespace {

KernelMap map_of(const std::vector<Voxel>& voxels, int kernel_size, MapLayout layout, bool half) {
  Job job;
  const auto backend = reference_backend().make({});
  const CoordSet coords = test::coord_set(PackSpec::bits32(), voxels);
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
  const MapRequest request{offsets, MapAlgorithm::z_delta, {{layout, test::all_columns(*offsets)}}, half};
  return backend->build_map(coords, coords, request, job);
}

std::vector<Voxel> random_voxels(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::set<Voxel> voxels;
  while (voxels.size() < count)
    voxels.insert({8 + static_cast<int>(random() % 14), 8 + static_cast<int>(random() % 14),
                   8 + static_cast<int>(random() % 14)});
  return {voxels.begin(), voxels.end()};
}

/// Counts the active columns with rows of booleans that are sorted as texts.
std::int64_t naive_active(const KernelMap& map, const RowSorting& sorting) {
  const int columns = map.offsets->columns(), parts = std::max(1, sorting.splits);
  const int length = (columns + parts - 1) / parts;
  std::int64_t active = 0;
  for (int part = 0; part < parts; ++part) {
    std::vector<std::string> rows;
    for (std::int32_t output = 0; output < map.outputs; ++output) {
      const std::vector<std::int32_t> inputs = row_of(map, output);
      std::string row;
      // Bit b of a mask is column b of the part. The highest bit comes first in the text.
      for (int column = std::min((part + 1) * length, columns) - 1; column >= part * length; --column)
        row += inputs[static_cast<std::size_t>(column)] >= 0 ? '1' : '0';
      rows.push_back(row);
    }
    if (sorting.splits > 0) std::sort(rows.rbegin(), rows.rend());
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
      for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(sorting.tile_rows)) {
        const std::size_t end = std::min(begin + static_cast<std::size_t>(sorting.tile_rows), rows.size());
        bool any = false;
        for (std::size_t row = begin; row < end; ++row)
          any = any || rows[row][column] == '1';
        active += any ? 1 : 0;
      }
    }
  }
  return active;
}

TEST(Redundancy, EqualsANaiveCountForEveryLayoutTileAndSplit) {
  unsigned seed = 0;
  for (const int kernel_size : {1, 2, 3, 5, 7}) {
    for (const std::size_t count : {1U, 15U, 16U, 17U, 127U, 129U, 600U}) {
      const auto voxels = random_voxels(count, ++seed);
      std::vector<RowSorting> wanted;
      for (const int splits : {0, 1, 2, 3, 4, 5, 6, 8}) {
        if (splits > 0 && !why_not_splits(kernel_size * kernel_size * kernel_size, splits).empty()) continue;
        for (const int rows : {1, 16, 64, 128})
          wanted.push_back({splits, rows});
      }
      const KernelMap dense = map_of(voxels, kernel_size, MapLayout::output_major, false);
      const auto found = redundancy(dense, wanted);
      ASSERT_EQ(found.size(), wanted.size());
      for (std::size_t at = 0; at < wanted.size(); ++at)
        EXPECT_EQ(found[at].active, naive_active(dense, wanted[at]))
            << "K " << kernel_size << ", " << count << " voxels, " << wanted[at].splits
            << " splits, tiles of " << wanted[at].tile_rows;
      if (kernel_size % 2 == 0) continue;
      const auto of_half = redundancy(map_of(voxels, kernel_size, MapLayout::pair_lists, true), wanted);
      for (std::size_t at = 0; at < wanted.size(); ++at) {
        EXPECT_EQ(of_half[at].active, found[at].active);
        EXPECT_EQ(of_half[at].pairs, found[at].pairs);
      }
    }
  }
}

/// The shares of a picture, multiplied by the rows of their bins, must add up to the counts of redundancy().
TEST(RowsPicture, HasThePairsAndTheActiveTilesOfItsMap) {
  for (const int kernel_size : {3, 5}) {
    const KernelMap map = map_of(random_voxels(640, 3), kernel_size, MapLayout::output_major, false);
    for (const int splits : {0, 2, 3}) {
      const RowSorting sorting{splits, 64};
      const RowsPicture picture = rows_picture(map, sorting, 100);
      EXPECT_EQ(picture.bins, 100);
      double filled = 0, multiplied = 0;
      for (int bin = 0; bin < picture.bins; ++bin) {
        const auto rows = static_cast<double>(picture.first_position(bin + 1) - picture.first_position(bin));
        EXPECT_EQ(picture.bin_of(picture.first_position(bin)), bin);
        for (int column = 0; column < picture.columns; ++column) {
          const auto cell = static_cast<std::size_t>((bin * picture.columns) + column);
          EXPECT_LE(picture.filled[cell], picture.multiplied[cell] + 1e-6);
          filled += rows * picture.filled[cell];
          multiplied += rows * picture.multiplied[cell];
        }
      }
      const Redundancy counted = redundancy(map, std::vector{sorting}).front();
      EXPECT_NEAR(filled, static_cast<double>(counted.pairs), 0.5);
      EXPECT_NEAR(multiplied, 64.0 * static_cast<double>(counted.active), 0.5) << "640 is a multiple of 64";
    }
  }
}

TEST(RowsPicture, FindsTheOutputsOfALineAndTheLineOfAnOutput) {
  const KernelMap map = map_of(random_voxels(333, 5), 3, MapLayout::output_major, false);
  for (const int splits : {0, 1, 2}) {
    const RowsPicture picture = rows_picture(map, {splits, 16}, 20);
    for (int split = 0; split < std::max(1, splits); ++split) {
      const int column = split * picture.split_columns;
      std::vector<std::int32_t> all;
      for (int bin = 0; bin < picture.bins; ++bin) {
        for (const std::int32_t output : picture.outputs_of(bin, column)) {
          all.push_back(output);
          EXPECT_EQ(picture.bins_of(output).at(static_cast<std::size_t>(split)), bin);
        }
      }
      std::sort(all.begin(), all.end());
      ASSERT_EQ(all.size(), 333U) << "each output must be in one line";
      EXPECT_EQ(all.back(), 332);
    }
  }
  EXPECT_THROW(static_cast<void>(rows_picture(map, {8, 16}, 20)), Error);
}

TEST(Redundancy, TilesOfOneRowMultiplyOnlyPairs) {
  const KernelMap map = map_of(random_voxels(300, 7), 3, MapLayout::output_major, false);
  for (const int splits : {0, 1, 4}) {
    const Redundancy one = redundancy(map, std::vector{RowSorting{splits, 1}}).front();
    EXPECT_EQ(one.active, one.pairs);
    EXPECT_DOUBLE_EQ(one.slots_per_pair(), 1.0);
  }
}

TEST(Redundancy, Trap12RefusesPartsWithoutColumnsAndMasksOfMoreThan64Bits) {
  for (const int splits : {1, 2, 3, 4, 5})
    EXPECT_EQ(why_not_splits(27, splits), "") << splits;
  EXPECT_EQ(why_not_splits(125, 1),
            "125 offsets cannot be divided into 1 split of 1 to 64 offsets; possible: "
            "2, 3, 4, 5, 6, 7, 8");
  EXPECT_EQ(why_not_splits(125, 2), "");
  for (const int splits : {1, 2, 3, 4, 5})
    EXPECT_NE(why_not_splits(343, splits), "") << splits;
  EXPECT_EQ(why_not_splits(343, 6), "");
  EXPECT_EQ(why_not_splits(8, 4), "");
  EXPECT_NE(why_not_splits(8, 5), "") << "the fifth part would be empty";
  EXPECT_NE(why_not_splits(27, 0), "");
  EXPECT_NE(why_not_splits(27, -1), "");
  const KernelMap map = map_of(random_voxels(20, 1), 5, MapLayout::output_major, false);
  EXPECT_THROW(static_cast<void>(redundancy(map, std::vector{RowSorting{1, 16}})), Error);
}

struct Counted {
  const char* file;
  double voxel_m;
  int kernel_size;
  std::int64_t voxels, pairs;
  /// For each number of splits, the active columns of tiles of 16 and 128 rows.
  std::vector<std::tuple<int, std::int64_t, std::int64_t>> active;
};

TEST(Redundancy, OfRealScenesEqualsTheCountsOfAnIndependentProgram) {
  const std::vector<Counted> all{
      {"formats/spconv_benchmark-pc.npz",
       0.1,
       3,
       125'565,
       788'961,
       {{0, 168'852, 26'177},
        {1, 84'284, 13'531},
        {2, 55'992, 8'778},
        {3, 50'479, 7'121},
        {4, 49'653, 6'505},
        {5, 49'513, 6'375}}},
      {"formats/spconv_benchmark-pc.npz",
       0.1,
       5,
       125'565,
       2'201'765,
       {{0, 615'371, 119'706}, {2, 402'402, 70'920}, {5, 252'280, 43'212}, {8, 179'705, 30'580}}},
      {"kitti/semantickitti_00_000000.bin",
       0.05,
       3,
       91'767,
       346'221,
       {{0, 80'644, 15'552}, {1, 32'698, 5'814}, {3, 22'523, 3'254}, {5, 21'851, 2'904}}},
      {"kitti/object_000001.bin",
       0.1,
       3,
       64'048,
       330'650,
       {{0, 71'468, 12'520}, {1, 34'378, 5'717}, {2, 24'734, 3'953}, {4, 20'999, 2'900}}}};
  Job job;
  const auto backend = app::make_registry().make("cpu");
  for (const Counted& counted : all) {
    const auto file = test::data_folder() / counted.file;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "the real scenes are missing";
    const auto cloud = load_scene(file, {}, job);
    const Grid grid{{counted.voxel_m, counted.voxel_m, counted.voxel_m}, {}};
    const PackNeeds needs{counted.kernel_size, 1};
    const auto pack = packings_that_fit(voxel_range(*cloud, grid, job).extent(1), needs).at(0);
    const auto scene = voxelize_scene(*backend, cloud, grid, pack, needs, job);
    const auto map = map_of_scene(*backend, *scene, {counted.kernel_size, 1, 1}, job);
    ASSERT_EQ(map->outputs, counted.voxels) << counted.file;
    std::vector<RowSorting> wanted;
    for (const auto& [splits, of_16, of_128] : counted.active)
      wanted.insert(wanted.end(), {RowSorting{splits, 16}, RowSorting{splits, 128}});
    const auto found = redundancy(*map, wanted);
    for (std::size_t at = 0; at < counted.active.size(); ++at) {
      const auto& [splits, of_16, of_128] = counted.active[at];
      EXPECT_EQ(found[2 * at].pairs, counted.pairs) << counted.file;
      EXPECT_EQ(found[2 * at].active, of_16) << counted.file << ", " << splits << " splits";
      EXPECT_EQ(found[(2 * at) + 1].active, of_128) << counted.file << ", " << splits << " splits";
    }
  }
}

}  // namespace
}  // namespace spira

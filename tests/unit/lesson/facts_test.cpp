// Tests the facts of lessons on small scenes. The expected values come from an independent brute-force
// calculation with sets of unpacked triplets.
#include "app/common/backends.hpp"
#include "engine/base/error.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/pack_facts.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

using Set = std::set<Voxel>;

std::map<std::string, double> values(std::string_view group, const LessonInput& input) {
  Job job;
  std::map<std::string, double> found;
  for (const Fact& fact : compute_facts(group, input, job)) {
    EXPECT_TRUE(found.emplace(fact.name, fact.value).second) << fact.name << " must be listed only once";
    EXPECT_EQ(fact.error, 0) << "facts that are not sampled must have no error";
  }
  return found;
}

class Facts : public testing::TestWithParam<const char*> {
 protected:
  Facts() {
    Job job;
    const auto cloud = generate_scene(GetParam(), 4000, 7, job);
    const auto backend = app::make_registry().make("cpu");
    const double voxel_m = cloud->name == "room" ? 0.1 : 0.5;
    const Grid grid{{voxel_m, voxel_m, voxel_m}, {}};
    input.scene = voxelize_scene(*backend, cloud, grid, PackSpec::bits32(), {5, 16}, job);
    input.kernel_size = 5;
    for (const Point& p : cloud->positions) {
      Voxel v{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto index = static_cast<std::int64_t>(std::floor(p.at(axis) / voxel_m));
        v.at(axis) = static_cast<std::int32_t>(index - input.scene->shift.at(axis));
      }
      ++points[v];
      voxels.insert(v);
    }
  }
  [[nodiscard]] double density(const Set& from, const Voxel& d) const {
    std::int64_t found = 0;
    for (const Voxel& q : from)
      found += from.contains({q[0] + d[0], q[1] + d[1], q[2] + d[2]}) ? 1 : 0;
    return static_cast<double>(found) / static_cast<double>(from.size());
  }
  /// Returns the mean density of all offsets with one L1 norm. The kernel reaches `reach` steps of `stride`.
  [[nodiscard]] double mean_density(const Set& from, int reach, int l1, int stride) const {
    double sum = 0;
    int offsets = 0;
    for (int x = -reach; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          if (std::abs(x) + std::abs(y) + std::abs(z) != l1) continue;
          sum += density(from, {x * stride, y * stride, z * stride});
          ++offsets;
        }
      }
    }
    return sum / offsets;
  }
  [[nodiscard]] Set level(int stride) const {
    Set coarse;
    for (const Voxel& v : voxels)
      coarse.insert({v[0] / stride * stride, v[1] / stride * stride, v[2] / stride * stride});
    return coarse;
  }

  LessonInput input;
  Set voxels;
  std::map<Voxel, int> points;
};

TEST_P(Facts, VoxelsArePointsCountedOnce) {
  const auto found = values("voxels", input);
  EXPECT_EQ(found.at("voxels.count"), static_cast<double>(voxels.size()));
  int most = 0, alone = 0, pairs = 0;
  for (const auto& [voxel, count] : points) {
    most = std::max(most, count);
    alone += count == 1 ? 1 : 0;
    pairs += count == 2 ? 1 : 0;
  }
  EXPECT_EQ(found.at("voxels.most_points"), most);
  EXPECT_EQ(found.at("voxels.with.1"), alone);
  EXPECT_EQ(found.at("voxels.with.2"), pairs);
  EXPECT_EQ(found.at("voxels.merged"), static_cast<double>(input.scene->kept) - found.at("voxels.count"));
  EXPECT_EQ(found.at("voxels.lowest.x"), (*voxels.begin())[0]);
  const auto scene = values("scene", input);
  EXPECT_EQ(scene.at("scene.points"), static_cast<double>(input.scene->cloud->size()));
  EXPECT_EQ(scene.at("scene.low.z"), bounds(*input.scene->cloud).low[2]);
}

TEST_P(Facts, AFieldThatIsTooShortMisreadsWhatLiesAboveIt) {
  for (const int bits : {0, 3, 4, 8}) {
    input.trial.pack.reset();
    if (bits > 0) input.trial.pack = PackSpec{12, 12, bits};
    const auto found = values("overflow", input);
    const int cells = 1 << static_cast<int>(found.at("overflow.z_bits"));
    std::int64_t misread = 0;
    for (const Voxel& v : voxels) {
      const int x = v[0], y = v[1] | (v[2] / cells), z = v[2] % cells;
      const int x_read = x | (y >> 12);
      misread += Voxel{x_read, y & 4095, z} != v ? 1 : 0;
    }
    EXPECT_EQ(found.at("overflow.voxels"), static_cast<double>(misread)) << bits << " bits";
    EXPECT_EQ(found.count("overflow.example.z"), misread > 0 ? 1U : 0U);
    EXPECT_EQ(misread > 0, bits != 8) << "8 bits must hold the scene, and a shorter field (0: one bit less "
                                         "than needed) must misread voxels";
  }
}

/// 300 is 0x12C, which needs nine bits. If the z field has 8 bits, z is decoded as 44 and the lowest bit of y
/// is set.
TEST(LessonFacts, TheNinthBitLeaksIntoY) {
  Job job;
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "two";
  cloud->positions = {{0.5, 6.5, 0.5}, {0.5, 6.5, 300.5}};
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = voxelize_scene(*backend, cloud, Grid{{1, 1, 1}, {}}, PackSpec::bits64(), {3, 16}, job);
  input.trial.pack = PackSpec{24, 24, 8};
  const auto found = values("overflow", input);
  EXPECT_EQ(found.at("overflow.voxels"), 1);
  EXPECT_EQ(found.at("overflow.example.z"), 300);
  EXPECT_EQ(found.at("overflow.example.read_z"), 44);
  EXPECT_EQ(found.at("overflow.example.y"), 6);
  EXPECT_EQ(found.at("overflow.example.read_y"), 7);
}

TEST_P(Facts, OffsetsThatLeaveTheFieldHitOtherRows) {
  const auto found = values("border", input);
  const int cells = static_cast<int>(found.at("border.tight.cells"));
  int lowest = voxels.begin()->at(2), highest = 0;
  for (const Voxel& v : voxels) {
    lowest = std::min(lowest, v[2]);
    highest = std::max(highest, v[2]);
  }
  EXPECT_TRUE(cells <= highest - lowest + 1 && 2 * cells > highest - lowest + 1);
  Set from_zero;
  for (const Voxel& v : voxels) {
    if (v[2] - lowest < cells) from_zero.insert({v[0], v[1], v[2] - lowest});
  }
  for (const int kernel : {3, 5}) {
    const int reach = kernel / 2;
    std::int64_t leaving = 0, wrong = 0;
    for (const Voxel& q : from_zero) {
      for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
          for (int z = -reach; z <= reach; ++z) {
            const int query = q[2] + z;
            if (query >= 0 && query < cells) continue;
            ++leaving;
            const int borrow = query < 0 ? -1 : 1;
            wrong += from_zero.contains({q[0] + x, q[1] + y + borrow, query - (borrow * cells)}) ? 1 : 0;
          }
        }
      }
    }
    const std::string k = std::to_string(kernel);
    EXPECT_EQ(found.at("border.tight.leaving." + k), static_cast<double>(leaving));
    EXPECT_EQ(found.at("border.tight.wrong." + k), static_cast<double>(wrong));
  }
  EXPECT_EQ(found.at("border.floor"),
            std::count_if(voxels.begin(), voxels.end(), [&](const Voxel& v) { return v[2] == lowest; }));
}

TEST_P(Facts, LevelsAreRoundedDown) {
  const auto found = values("levels", input);
  for (const int stride : {1, 2, 4, 8, 16})
    EXPECT_EQ(found.at("levels.s" + std::to_string(stride)), static_cast<double>(level(stride).size()));
  EXPECT_EQ(found.at("levels.rounded"), static_cast<double>(voxels.size()));
  const auto pack = values("pack", input);
  EXPECT_EQ(pack.at("pack.in_order"), pack.at("pack.neighbours"));
  EXPECT_EQ(pack.at("pack.free.z"), 256 - pack.at("pack.extent.z"));
}

TEST_P(Facts, DensitiesAreThoseOfTwoCopiesLaidOverEachOther) {
  for (const int stride : {1, 4}) {
    input.stride = stride;
    const auto found = values("density", input);
    const Set at = level(stride);
    for (int l1 = 0; l1 <= 6; ++l1)
      EXPECT_NEAR(found.at("density.l1." + std::to_string(l1)), mean_density(at, 2, l1, stride), 1e-12);
    EXPECT_NEAR(found.at("density.axis.z"), density(at, {0, 0, stride}), 1e-12);
    EXPECT_EQ(found.count("density.l1.7"), 0U);
  }
  input.stride = 1;
  const auto strides = values("strides", input), here = values("density", input);
  EXPECT_NEAR(strides.at("strides.s4.neighbours"), mean_density(level(4), 1, 1, 4), 1e-12);
  EXPECT_EQ(strides.at("strides.s1.k5.rank_correlation"), here.at("density.rank_correlation"));
}

TEST_P(Facts, ShuffledVoxelsKeepNumberAndBoxAndHaveFlatDensities) {
  Job job;
  const auto shuffled = sorted_voxels(shuffled_level(input.scene->level(1), shuffle_seed, job));
  const Set at(shuffled.begin(), shuffled.end());
  EXPECT_EQ(at.size(), voxels.size());
  EXPECT_NE(at, voxels);
  const auto found = values("shuffled", input);
  for (int l1 = 1; l1 <= 4; ++l1)
    EXPECT_NEAR(found.at("shuffled.l1." + std::to_string(l1)), mean_density(at, 2, l1, 1), 1e-12);
  EXPECT_LT(std::abs(found.at("shuffled.l1.1") - found.at("shuffled.l1.4")), 0.05);
}

TEST_P(Facts, TheSelectionIsDescribed) {
  const auto nothing = values("selection", input);
  EXPECT_EQ(nothing.at("selection.voxels"), 0);
  EXPECT_EQ(nothing.count("selection.voxel.x"), 0U);
  const Voxel v = *std::next(voxels.begin(), static_cast<std::ptrdiff_t>(voxels.size() / 2));
  input.voxel = v;
  const KernelOffsets offsets(5, 1);
  for (int column = 0; column < offsets.columns(); ++column) {
    if (offsets.offset(column) == Voxel{0, 1, -1}) input.columns = {column};
  }
  input.rows = {0, 1, 2};
  const auto found = values("selection", input);
  EXPECT_EQ(found.at("selection.voxel.y"), v[1]);
  EXPECT_EQ(found.at("selection.points"), points.at(v));
  EXPECT_EQ(std::floor(found.at("selection.point.y") / input.scene->grid.voxel_m[1]),
            found.at("selection.unshifted.y"));
  EXPECT_EQ(found.at("selection.l1"), 2);
  EXPECT_NEAR(found.at("selection.density"), density(voxels, {0, 1, -1}), 1e-12);
  EXPECT_EQ(found.at("selection.voxels"), 3);
}

INSTANTIATE_TEST_SUITE_P(SweepAndRoom, Facts, testing::Values("street", "room"), test::PrintedName{});

TEST(LessonFacts, EveryFactIsDeclaredExactlyOnce) {
  const auto names = fact_names();
  const std::set<std::string> known(names.begin(), names.end());
  EXPECT_EQ(known.size(), names.size());
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
  for (const FactGroup& group : fact_groups()) {
    for (const Fact& fact : compute_facts(group.name, input, job)) {
      EXPECT_TRUE(known.contains(fact.name)) << fact.name;
      EXPECT_EQ(group_of_fact(fact.name), group.name);
    }
  }
  EXPECT_THROW(static_cast<void>(compute_facts("none", input, job)), Error);
}

TEST(LessonFacts, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  Job running, stopped(stop.get_token());
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, running);
  EXPECT_THROW(static_cast<void>(compute_facts("density", input, stopped)), Error);
}

/// Returns a scene with one point in each of these cells, which are 1 m wide. The scene is packed for K = 3.
LessonInput scene_of(const std::vector<Voxel>& cells, PackSpec pack) {
  auto cloud = std::make_shared<PointCloud>();
  for (const Voxel& cell : cells)
    cloud->positions.push_back({cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5});
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = voxelize_scene(*backend, std::move(cloud), {{1, 1, 1}, {}}, pack, {3, 16}, job);
  return input;
}

TEST(LessonFacts, AKernelThatNeedsMoreGuardCellsIsRefused) {
  std::vector<Voxel> cells;
  // 255 cells are the maximum for 8 bits and K = 3.
  for (int z = 0; z < 255; ++z)
    cells.push_back({0, 0, z});
  LessonInput input = scene_of(cells, PackSpec::bits32());
  input.voxel = Voxel{0, 0, 0};
  constexpr std::array groups{"search", "search_shuffled", "work", "work_shuffled", "traced"};
  for (const char* group : groups) {
    EXPECT_FALSE(values(group, input).empty()) << group;
  }
  input.kernel_size = 5;
  for (const char* group : groups) {
    try {
      static_cast<void>(values(group, input));
      ADD_FAILURE() << group << " must be refused: it would confuse (0, 0, -2) with (0, -1, 254)";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::does_not_fit) << group;
      EXPECT_THAT(error.what(), testing::HasSubstr("packings that fit: ")) << group;
    }
  }
  EXPECT_EQ(values("density", input)["density.outputs"], 255)
      << "density facts must not depend on the packing";
  EXPECT_EQ(values("selection", input)["selection.matches"], 3);
}

TEST(LessonFacts, AWordThatADoubleCannotRepresentIsOmitted) {
  LessonInput input = scene_of({{1, 2, 3}, {9000, 0, 0}}, PackSpec::bits64());
  input.voxel = Voxel{1, 2, 3};
  EXPECT_EQ(values("selection", input)["selection.key"],
            static_cast<double>(PackSpec::bits64().pack(*input.voxel)));
  input.voxel = Voxel{9000, 0, 0};
  EXPECT_EQ(values("selection", input).count("selection.key"), 0U);
  EXPECT_EQ(values("selection", input).count("selection.ones"), 1U);
}

TEST(RankCorrelation, IsSpearmansWithMeanRanksForTies) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 20, 90}), 1.0);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {9, 4, 1}), -1.0);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {9, 4, 1}), 0.0);
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12);
}

TEST(FactsOfLevels, DoNotChangeWithTheLevelsOfANetwork) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  const Levels levels = levels_of(test::reached_network());
  PackNeeds needs(5, 16);
  for (const SceneLevel& set : levels.sets)
    needs.levels.add(set.rule);
  std::vector<SceneLevel> plain{1, 2, 4, 8, 16}, more = plain;
  more.insert(more.end(), levels.sets.begin() + 1, levels.sets.end());
  LessonInput without, with;
  without.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), needs, job, plain);
  with.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), needs, job, more);
  ASSERT_EQ(with.scene->levels.size(), 7U);
  for (const char* group : {"levels", "strides", "border", "indexing"})
    EXPECT_EQ(values(group, with), values(group, without)) << group;
}

}  // namespace
}  // namespace spira

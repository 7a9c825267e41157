// Tests the lesson facts about guard cells and merged voxels. The expected values are computed with unpacked
// triplets.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/run/voxel_scene.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace spira {
namespace {

std::map<std::string, double> values(const char* group, const LessonInput& input) {
  Job job;
  std::map<std::string, double> found;
  for (const Fact& fact : compute_facts(group, input, job))
    found[fact.name] = fact.value;
  return found;
}

/// Returns a scene with one point in each of these cells, which are 1 m wide.
LessonInput scene_of(const std::vector<Voxel>& cells, PackSpec pack, int kernel_size) {
  auto cloud = std::make_shared<PointCloud>();
  for (const Voxel& cell : cells)
    cloud->positions.push_back({cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5});
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = voxelize_scene(*backend, std::move(cloud), {{1, 1, 1}, {}}, pack, {kernel_size, 16}, job);
  return input;
}

LessonInput made_scene(const char* name, PackSpec pack = PackSpec::bits32()) {
  Job job;
  const auto cloud = generate_scene(name, 3000, 13, job);
  const double voxel_m = cloud->name == "room" ? 0.1 : 0.5;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = voxelize_scene(*backend, cloud, {{voxel_m, voxel_m, voxel_m}, {}}, pack, {5, 16}, job);
  return input;
}

class Guards : public testing::TestWithParam<const char*> {
 protected:
  LessonInput input_ = made_scene(GetParam());
  std::map<std::string, double> found_ = values("border", input_);
};

TEST_P(Guards, FreeCellsAreThoseBesideTheOutermostVoxels) {
  const auto voxels = all_voxels(input_.scene->level(1));
  const std::array bits{input_.scene->pack.x_bits, input_.scene->pack.y_bits, input_.scene->pack.z_bits};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    int lowest = voxels.front().at(axis), highest = lowest;
    for (const Voxel& v : voxels) {
      lowest = std::min(lowest, v.at(axis));
      highest = std::max(highest, v.at(axis));
    }
    int free = 0;
    for (int cell = highest + 1; cell < 1 << bits.at(axis); ++cell)
      ++free;
    EXPECT_EQ(found_.at(std::string("border.free.") + "xyz"[axis]), free) << "xyz"[axis];
    if (axis < 2) continue;
    EXPECT_EQ(found_.at("border.free_below"), lowest);
    EXPECT_EQ(found_.at("border.free_above"), free);
  }
}

/// Runs every query on every level twice: with unpacked triplets and with packed words. If the facts say that
/// the kernel is safe, both searches must find the same voxels.
TEST_P(Guards, ASafeKernelNeverTakesAnotherVoxelForItsNeighbour) {
  for (const int kernel : {3, 5}) {
    if (found_.at("border.safe." + std::to_string(kernel)) == 0) continue;
    for (const auto& level : input_.scene->levels) {
      const auto voxels = all_voxels(*level);
      const std::set<Voxel> there(voxels.begin(), voxels.end());
      std::set<std::uint64_t> words;
      for (const Voxel& v : voxels)
        words.insert(input_.scene->pack.pack(v));
      const KernelOffsets offsets(kernel, level->stride);
      int wrong = 0;
      for (const Voxel& v : voxels) {
        for (int column = 0; column < offsets.columns(); ++column) {
          const Voxel d = offsets.offset(column), q{v[0] + d[0], v[1] + d[1], v[2] + d[2]};
          wrong += there.contains(q) != words.contains(input_.scene->pack.pack(q)) ? 1 : 0;
        }
      }
      EXPECT_EQ(wrong, 0) << "K = " << kernel << ", stride " << level->stride;
    }
  }
}

TEST_P(Guards, TheVerdictIsThatOfTheRuleThatRefuses) {
  for (const int kernel : {3, 5, 7}) {
    const std::string k = std::to_string(kernel);
    bool refused = false;
    try {
      require_kernel(*input_.scene, kernel);
    } catch (const Error&) {
      refused = true;
    }
    EXPECT_EQ(found_.at("border.safe." + k), refused ? 0 : 1);
    EXPECT_EQ(found_.at("border.needed." + k + ".z"), kernel / 2);
    double least = 1e9;
    for (const char axis : {'x', 'y', 'z'})
      least = std::min(least, found_.at(std::string("border.free.") + axis) -
                                  found_.at("border.needed." + k + "." + axis));
    EXPECT_EQ(found_.at("border.tightest." + k + ".free") - found_.at("border.tightest." + k + ".needed"),
              least);
    EXPECT_EQ(found_.at("border.safe." + k), least >= 0 ? 1 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(SweepAndRoom, Guards, testing::Values("street", "room"), test::PrintedName{});

TEST(GuardsOfAFullField, AreSafeForOneKernelAndNotForTheNext) {
  std::vector<Voxel> cells;
  // 255 cells are the maximum for 8 bits and K = 3.
  for (int z = 0; z < 255; ++z)
    cells.push_back({0, 0, z});
  const auto found = values("border", scene_of(cells, PackSpec::bits32(), 3));
  EXPECT_EQ(found.at("border.safe.3"), 1);
  EXPECT_EQ(found.at("border.safe.5"), 0);
  EXPECT_EQ(found.at("border.tightest.5.needed"), 2);
  EXPECT_EQ(found.at("border.tightest.5.free"), 1);
}

/// Computes the words of all voxels with divisions, and counts the voxels whose words are equal.
TEST(OverflowMerged, IsTheNumberOfVoxelsMinusDistinctWords) {
  for (const char* name : {"street", "room"}) {
    LessonInput input = made_scene(name);
    for (const int bits : {2, 3, 4, 8}) {
      input.trial.pack = PackSpec{12, 12, bits};
      const auto voxels = all_voxels(input.scene->level(1));
      const int cells = 1 << bits;
      std::set<Voxel> read;
      for (const Voxel& v : voxels) {
        const int y = v[1] | (v[2] / cells), x = v[0] | (y / 4096);
        read.insert({x % 4096, y % 4096, v[2] % cells});
      }
      EXPECT_EQ(values("overflow", input).at("overflow.merged"),
                static_cast<double>(voxels.size() - read.size()))
          << name << ", " << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace spira

// Tests the facts of lesson pages on which the user tries another packing, thinner voxels or other numbers of
// channels. The expected values are computed from sets of unpacked triplets.
#include "app/common/backends.hpp"
#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/pack_facts.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

using Set = std::set<Voxel>;

class TrialFacts : public testing::Test {
 protected:
  static LessonInput input(const char* scene, double voxel_m, double thinner, PackSpec pack) {
    Job job;
    const auto cloud = generate_scene(scene, 4000, 7, job);
    const auto backend = app::make_registry().make("cpu");
    LessonInput made;
    const Grid grid{{voxel_m, voxel_m, voxel_m / thinner}, {}};
    made.scene = voxelize_scene(*backend, cloud, grid, pack, {5, 16}, job);
    made.kernel_size = 5;
    return made;
  }
  static Set voxels_of(const LessonInput& input) {
    Set voxels;
    const VoxelScene& scene = *input.scene;
    for (const Point& p : scene.cloud->positions) {
      Voxel v{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        v.at(axis) = static_cast<std::int32_t>(
            static_cast<std::int64_t>(std::floor(p.at(axis) / scene.grid.voxel_m.at(axis))) -
            scene.shift.at(axis));
      voxels.insert(v);
    }
    return voxels;
  }
  static std::map<std::string, double> values(std::string_view group, const LessonInput& input) {
    Job job;
    std::map<std::string, double> found;
    for (const Fact& fact : compute_facts(group, input, job))
      found.emplace(fact.name, fact.value);
    return found;
  }
};

TEST_F(TrialFacts, ATriedPackingMisreadsValuesThatItsFieldsCannotHold) {
  for (const auto& [scene, voxel_m] : {std::pair{"room", 0.1}, {"street", 0.5}}) {
    for (const double thinner : {1.0, 4.0, 16.0}) {
      LessonInput tried = input(scene, voxel_m, thinner, PackSpec::bits64());
      const Set voxels = voxels_of(tried);
      for (const PackSpec pack :
           {PackSpec{12, 12, 8}, {10, 12, 10}, {5, 5, 4}, {24, 24, 16}, PackSpec{12, 12, 6}}) {
        tried.trial.pack = pack;
        const auto found = values("overflow", tried);
        const int ys = 1 << pack.y_bits, zs = 1 << pack.z_bits;
        std::int64_t misread = 0;
        for (const Voxel& v : voxels) {
          const int y = v[1] | (v[2] / zs), x = v[0] | (y / ys);
          misread += Voxel{x % (1 << pack.x_bits), y % ys, v[2] % zs} != v ? 1 : 0;
        }
        SCOPED_TRACE(std::string(scene) + " " + pack.text());
        EXPECT_EQ(found.at("overflow.voxels"), static_cast<double>(misread));
        EXPECT_EQ(found.at("overflow.bits.x"), pack.x_bits);
        EXPECT_EQ(found.at("overflow.chosen"), 1);
      }
    }
  }
}

TEST_F(TrialFacts, ThinnerVoxelsMakeAFieldOfEightBitsOverflow) {
  LessonInput tried = input("room", 0.1, 1, PackSpec::bits64());
  tried.trial.pack = PackSpec::bits32();
  EXPECT_EQ(values("overflow", tried).at("overflow.voxels"), 0);
  tried = input("room", 0.1, 16, PackSpec::bits64());
  tried.trial.pack = PackSpec::bits32();
  tried.first_voxel_m = {0.1, 0.1, 0.1};
  EXPECT_GT(values("pack", tried).at("pack.extent.z"), 256);
  EXPECT_GT(values("overflow", tried).at("overflow.voxels"), 0);
  const auto voxels = values("voxels", tried);
  EXPECT_DOUBLE_EQ(1 / voxels.at("voxels.scale.z"), 16);
  EXPECT_DOUBLE_EQ(voxels.at("voxels.scale.x"), 1);
}

TEST_F(TrialFacts, ChannelsMoveTheModelledBestT) {
  LessonInput tried = input("street", 0.5, 1, PackSpec::bits32());
  const Set voxels = voxels_of(tried);
  // The index is the L1 norm.
  std::array<double, 7> offsets{}, pairs{};
  for (int x = -2; x <= 2; ++x) {
    for (int y = -2; y <= 2; ++y) {
      for (int z = -2; z <= 2; ++z) {
        const auto norm = static_cast<std::size_t>(std::abs(x) + std::abs(y) + std::abs(z));
        ++offsets.at(norm);
        for (const Voxel& v : voxels)
          pairs.at(norm) += voxels.contains({v[0] + x, v[1] + y, v[2] + z}) ? 1 : 0;
      }
    }
  }
  const auto outputs = static_cast<double>(voxels.size());
  std::set<double> best_seen;
  for (const auto& [in, out] : {std::pair{4, 4}, {4, 256}, {16, 16}, {32, 32}, {256, 4}, {256, 256}}) {
    tried.trial.c_in = in;
    tried.trial.c_out = out;
    std::array<double, 8> work{};
    for (std::size_t t = 0; t < work.size(); ++t) {
      double slots = 0, filled = 0, atomic = 0;
      for (std::size_t norm = 0; norm < 7; ++norm) {
        (norm < t ? filled : atomic) += pairs.at(norm);
        if (norm < t) slots += offsets.at(norm) * outputs;
      }
      const double rows_moved = filled * in + (t > 0 ? outputs * out : 0);
      work.at(t) = std::max(slots * in * out, 64 * rows_moved) +
                   std::max(atomic * in * out, 64 * atomic * (in + 2 * out));
    }
    std::size_t best = 7;
    for (std::size_t t = 8; t-- > 0;)
      if (work.at(t) < work.at(best)) best = t;
    SCOPED_TRACE(std::to_string(in) + " to " + std::to_string(out));
    const auto found = values("channels", tried);
    for (std::size_t t = 0; t < work.size(); ++t)
      EXPECT_NEAR(found.at("channels.t" + std::to_string(t) + ".share"), work.at(t) / work.back(), 1e-12);
    EXPECT_EQ(found.at("channels.best_t"), static_cast<double>(best));
    EXPECT_NEAR(found.at("channels.pair_price"), std::max(1.0, 64.0 / out + 128.0 / in), 1e-12);
    best_seen.insert(found.at("channels.best_t"));
  }
  EXPECT_GT(best_seen.size(), 1U) << "the best t must depend on the number of channels";
}

}  // namespace
}  // namespace spira

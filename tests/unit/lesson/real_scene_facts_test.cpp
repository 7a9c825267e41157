// Tests the facts and questions of the density lesson on real scenes. The expected matches are computed by
// looking up each neighbour in a set, and the expected ranks by counting smaller values.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <unordered_set>

namespace spira {
namespace {

struct RealScene {
  const char* file;
  double voxel_m;
};

class FactsOfRealScene : public testing::TestWithParam<RealScene> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(file())) GTEST_SKIP() << "no real scenes in " << SPIRA_TEST_DATA;
    Job job;
    const auto backend = app::make_registry().make("cpu");
    const double size = GetParam().voxel_m;
    const auto cloud = load_scene(file(), {}, job);
    const Grid grid{{size, size, size}, {}};
    const auto pack = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {5, 16}).at(0);
    input_.scene = voxelize_scene(*backend, cloud, grid, pack, {5, 16}, job);
  }
  static std::filesystem::path file() { return test::data_folder() / GetParam().file; }
  static std::int64_t key(const Voxel& v) {
    constexpr std::int64_t wide = 1 << 20;
    return (((v[0] + 64) * wide) + v[1] + 64) * wide + v[2] + 64;
  }
  /// Computes the density and the L1 norm of all offsets except the centre.
  void count(int stride, int kernel_size) {
    const auto voxels = all_voxels(input_.scene->level(stride));
    std::unordered_set<std::int64_t> there;
    for (const Voxel& v : voxels)
      there.insert(key(v));
    density_.clear();
    norm_.clear();
    matches_ = std::ssize(voxels);
    const int reach = kernel_size / 2;
    for (int x = -reach; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          if (x == 0 && y == 0 && z == 0) continue;
          std::int64_t found = 0;
          for (const Voxel& v : voxels)
            found +=
                there.contains(key({v[0] + (x * stride), v[1] + (y * stride), v[2] + (z * stride)})) ? 1 : 0;
          matches_ += found;
          density_.push_back(static_cast<double>(found) / static_cast<double>(voxels.size()));
          norm_.push_back(std::abs(x) + std::abs(y) + std::abs(z));
        }
      }
    }
    outputs_ = std::ssize(voxels);
  }
  /// Returns the rank of each value: the number of smaller values plus half the number of other equal values.
  static std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double value : values) {
      double rank = -0.5;
      for (const double other : values)
        rank += other < value ? 1.0 : other == value ? 0.5 : 0.0;
      ranks.push_back(rank);
    }
    return ranks;
  }
  [[nodiscard]] double correlation() const {
    const auto a = ranks(density_), b = ranks(norm_);
    const auto n = static_cast<double>(a.size());
    double sum_a = 0, sum_b = 0, sum_ab = 0, sum_aa = 0, sum_bb = 0;
    for (std::size_t at = 0; at < a.size(); ++at) {
      sum_a += a[at];
      sum_b += b[at];
      sum_ab += a[at] * b[at];
      sum_aa += a[at] * a[at];
      sum_bb += b[at] * b[at];
    }
    return ((n * sum_ab) - (sum_a * sum_b)) /
           std::sqrt(((n * sum_aa) - (sum_a * sum_a)) * ((n * sum_bb) - (sum_b * sum_b)));
  }
  std::map<std::string, double> facts(const char* group) {
    Job job;
    std::map<std::string, double> found;
    for (const Fact& fact : compute_facts(group, input_, job))
      found[fact.name] = fact.value;
    return found;
  }

  LessonInput input_;
  std::vector<double> density_, norm_;
  std::int64_t matches_ = 0, outputs_ = 0;
};

TEST_P(FactsOfRealScene, RankCorrelationAndMatchesAreThoseOfCounting) {
  const auto strides = facts("strides");
  for (const int stride : {1, 4, 16}) {
    for (const int kernel_size : {3, 5}) {
      count(stride, kernel_size);
      const std::string name = "strides.s" + std::to_string(stride) + ".k" + std::to_string(kernel_size);
      EXPECT_NEAR(strides.at(name + ".rank_correlation"), correlation(), 1e-9) << name;
      input_.stride = stride;
      input_.kernel_size = kernel_size;
      const auto here = facts("density");
      EXPECT_NEAR(here.at("density.rank_correlation"), correlation(), 1e-9) << name;
      EXPECT_NEAR(here.at("density.matches_per_voxel"),
                  static_cast<double>(matches_) / static_cast<double>(outputs_), 1e-9)
          << name;
    }
  }
}

/// Tests that a user can find the densest level. One or more of the strides 2, 4, 8 and 16 must have the
/// highest density.
TEST_P(FactsOfRealScene, OneCoarserLevelIsTheDensest) {
  const auto strides = facts("strides");
  int solved = 0;
  for (const int stride : {2, 4, 8, 16}) {
    input_.stride = stride;
    const double here = facts("density").at("density.l1.1");
    double most = 0;
    for (const char* other : {"s2", "s4", "s8", "s16"})
      most = std::max(most, strides.at(std::string("strides.") + other + ".neighbours"));
    solved += here + 1e-6 >= most ? 1 : 0;
  }
  EXPECT_GE(solved, 1);
}

INSTANTIATE_TEST_SUITE_P(Scenes, FactsOfRealScene,
                         testing::Values(RealScene{"kitti/object_000001.bin", 0.4},
                                         RealScene{"indoor/redkitchen_000.ply", 0.05}),
                         [](const auto& of) {
                           return std::filesystem::path(of.param.file).parent_path().string();
                         });

}  // namespace
}  // namespace spira

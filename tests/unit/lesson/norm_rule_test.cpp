// Tests check_norm_rule(), which finds pairs of offsets whose density does not decrease with the L1 norm. The
// expected result comes from a comparison of every pair. The expected densities are computed by looking up
// each neighbour in a set.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/file.hpp"
#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/lesson.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

LessonInput input_of(std::shared_ptr<const PointCloud> cloud, double voxel_m) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = voxelize_scene(*backend, std::move(cloud), {{voxel_m, voxel_m, voxel_m}, {}},
                               PackSpec::bits32(), {5, 16}, job);
  input.kernel_size = 5;
  return input;
}

struct Scene {
  const char* name;
  int stride, kernel_size;
};

class NormRuleOf : public testing::TestWithParam<Scene> {
 protected:
  NormRuleOf() {
    Job job;
    const auto cloud = generate_scene(GetParam().name, 3000, 11, job);
    input_ = input_of(cloud, cloud->name == "room" ? 0.1 : 0.5);
    input_.stride = GetParam().stride;
    input_.kernel_size = GetParam().kernel_size;
    const auto all = all_voxels(input_.scene->level(input_.stride));
    voxels_ = {all.begin(), all.end()};
  }
  [[nodiscard]] double density(const Voxel& steps) const {
    const int s = input_.stride;
    const auto there = std::count_if(voxels_.begin(), voxels_.end(), [&](const Voxel& v) {
      return voxels_.contains({v[0] + (s * steps[0]), v[1] + (s * steps[1]), v[2] + (s * steps[2])});
    });
    return static_cast<double>(there) / static_cast<double>(voxels_.size());
  }
  static int norm(const Voxel& steps) { return std::abs(steps[0]) + std::abs(steps[1]) + std::abs(steps[2]); }
  /// Returns the densities of one offset of each pair (delta, -delta).
  [[nodiscard]] std::map<Voxel, double> half() const {
    std::map<Voxel, double> found;
    const int reach = input_.kernel_size / 2;
    for (int x = 0; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          if (x > 0 || y > 0 || (y == 0 && z > 0)) found[{x, y, z}] = density({x, y, z});
        }
      }
    }
    return found;
  }
  std::map<std::string, double> facts(const char* group) const {
    Job job;
    std::map<std::string, double> values;
    for (const Fact& fact : compute_facts(group, input_, job))
      values[fact.name] = fact.value;
    return values;
  }

  LessonInput input_;
  std::set<Voxel> voxels_;
};

TEST_P(NormRuleOf, ExceptionsAreTheLongerOffsetsThatAreDenser) {
  const auto offsets = half();
  std::vector<double> differences;
  std::int64_t compared = 0;
  for (const auto& [longer, dense] : offsets) {
    for (const auto& [shorter, sparse] : offsets) {
      if (norm(longer) <= norm(shorter)) continue;
      ++compared;
      if (dense > sparse) differences.push_back(dense - sparse);
    }
  }
  std::sort(differences.rbegin(), differences.rend());
  const auto found = facts("density");
  EXPECT_EQ(found.at("density.compared"), static_cast<double>(compared));
  EXPECT_EQ(found.at("density.exceptions"), static_cast<double>(differences.size()));
  const std::size_t listed = std::min<std::size_t>(5, differences.size());
  EXPECT_EQ(found.at("density.exceptions.more"), static_cast<double>(differences.size() - listed));
  for (std::size_t at = 0; at < listed; ++at) {
    const std::string name = "density.exception." + std::to_string(at + 1) + ".";
    const auto offset = [&](const std::string& which) {
      Voxel steps{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        steps.at(axis) = static_cast<int>(found.at(name + which + "." + "xyz"[axis]));
      return steps;
    };
    EXPECT_GT(norm(offset("longer")), norm(offset("shorter"))) << name;
    EXPECT_NEAR(found.at(name + "longer.density"), offsets.at(offset("longer")), 1e-12) << name;
    EXPECT_NEAR(found.at(name + "shorter.density"), offsets.at(offset("shorter")), 1e-12) << name;
    EXPECT_NEAR(found.at(name + "longer.density") - found.at(name + "shorter.density"), differences[at],
                1e-12)
        << name << ": the exceptions must be sorted by their difference in density";
  }
  EXPECT_EQ(found.count("density.exception.6.longer.x"), 0U);
  if (input_.kernel_size == 7) return;
  const std::string here =
      "strides.s" + std::to_string(input_.stride) + ".k" + std::to_string(input_.kernel_size);
  EXPECT_EQ(facts("strides").at(here + ".exceptions"), found.at("density.exceptions"));
  EXPECT_EQ(facts("strides").at(here + ".compared"), found.at("density.compared"));
}

TEST_P(NormRuleOf, EveryOffsetHasAColumnByNormAndDensity) {
  Job job;
  const LessonColumns columns = norm_columns(input_, job);
  const int k = input_.kernel_size;
  ASSERT_EQ(std::ssize(columns.columns), k * k * k);
  std::set<std::string> names;
  for (const LessonColumns::Column& one : columns.columns) {
    EXPECT_TRUE(names.insert(one.name).second);
    const KernelOffsets offsets(k, input_.stride);
    const Voxel offset = offsets.offset(one.offset);
    const Voxel steps{offset[0] / input_.stride, offset[1] / input_.stride, offset[2] / input_.stride};
    EXPECT_EQ(one.group, norm(steps));
    EXPECT_NEAR(one.value, density(steps), 1e-12);
    EXPECT_EQ(one.name, "(" + std::to_string(steps[0]) + ", " + std::to_string(steps[1]) + ", " +
                            std::to_string(steps[2]) + ")");
  }
  EXPECT_TRUE(
      std::is_sorted(columns.columns.begin(), columns.columns.end(), [](const auto& a, const auto& b) {
        return std::pair(a.group, -a.value) < std::pair(b.group, -b.value);
      }));
  EXPECT_EQ(columns.columns.front().value, 1) << "the centre offset must match each voxel";
}

TEST_P(NormRuleOf, EveryStrideHasACurveOfItsMeans) {
  Job job;
  const LessonCurves curves = stride_curves(input_, job);
  ASSERT_EQ(curves.curves.size(), 5U);
  const auto at = static_cast<std::size_t>(std::log2(input_.stride));
  const auto& points = curves.curves.at(at).points;
  ASSERT_EQ(std::ssize(points), 3 * (input_.kernel_size / 2));
  for (const auto& point : points) {
    double sum = 0;
    int offsets = 0;
    for (const auto& [offset, dense] : half()) {
      if (norm(offset) != point.x) continue;
      sum += dense;
      ++offsets;
    }
    EXPECT_NEAR(point.value, 100 * sum / offsets, 1e-9) << point.x;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, NormRuleOf,
                         testing::Values(Scene{"street", 1, 5}, Scene{"street", 4, 3}, Scene{"room", 1, 5},
                                         Scene{"room", 2, 3}, Scene{"random", 1, 3}),
                         [](const auto& info) {
                           return test::case_name(info.param.name, "stride", info.param.stride, "K",
                                                  info.param.kernel_size);
                         });

/// Tests that the third question of the lesson can be answered on a scene. At least one level must answer it,
/// but not the level that is shown first.
void expect_solvable(LessonInput input, const std::string& scene) {
  const Lesson lesson = parse_lesson(
      read_text_file(SPIRA_SOURCE_DIR "/resources/lessons/3-density.json", 1 << 20), "3-density.json", {});
  const auto answers = [&] {
    std::map<std::string, Fact> facts;
    Job job;
    for (const char* group : {"density", "strides", "selection"}) {
      for (const Fact& fact : compute_facts(group, input, job))
        facts[fact.name] = fact;
    }
    return lesson.questions.at(2).check.holds([&](const std::string& name) {
      const auto found = facts.find(name);
      return found == facts.end() ? nullptr : &found->second;
    });
  };
  for (const int kernel_size : {3, 5}) {
    input.kernel_size = kernel_size;
    int solved = 0;
    for (const int stride : {1, 2, 4, 8, 16}) {
      input.stride = stride;
      solved += answers() ? 1 : 0;
      EXPECT_FALSE(stride == 1 && answers())
          << scene << ": the question must not be answered before the user does anything";
    }
    EXPECT_GE(solved, 1) << scene << ", K = " << kernel_size;
  }
}

TEST(DensityQuestion, OfTheDensestLevelCanBeAnsweredOnEveryScene) {
  Job job;
  for (const char* name : {"street", "room", "random"})
    expect_solvable(input_of(generate_scene(name, 3000, 5, job), 0.4), name);
  auto alone = std::make_shared<PointCloud>();
  alone->positions = {{1, 1, 1}};
  expect_solvable(input_of(alone, 0.4), "a single voxel");
}

}  // namespace
}  // namespace spira

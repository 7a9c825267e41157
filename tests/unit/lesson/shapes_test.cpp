// Tests shapes_of(), which classifies voxels by geometry, on synthetic shapes and on a simulated street with
// labels. Compares the densities by shape with a separate look-up of each neighbour.
#include "engine/lesson/diagrams/shapes.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

Shape most_common(const std::vector<Voxel>& voxels, int stride = 1) {
  Job job;
  const CoordSet level = test::coord_set(PackSpec::bits32(), voxels, stride);
  std::map<Shape, int> seen;
  for (const Shape shape : shapes_of(level, job))
    ++seen[shape];
  return std::max_element(seen.begin(), seen.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

TEST(Shapes, OfGeneratedScenesAreRecognised) {
  for (const int stride : {1, 4}) {
    std::vector<Voxel> wall, slanted_wall, ground, pole, block;
    for (int a = 0; a < 20; ++a) {
      for (int b = 0; b < 20; ++b) {
        wall.push_back({a * stride, 40 * stride, b * stride});
        slanted_wall.push_back({a * stride, a * stride, b * stride});
        ground.push_back({a * stride, b * stride, 8 * stride});
        for (int c = 0; c < 20; ++c)
          block.push_back({a * stride, b * stride, c * stride});
      }
      for (int b = 0; b < 9; ++b)
        pole.push_back({(30 + (b % 3)) * stride, (30 + (b / 3)) * stride, a * stride});
    }
    EXPECT_EQ(most_common(wall, stride), Shape::wall);
    EXPECT_EQ(most_common(slanted_wall, stride), Shape::wall);
    EXPECT_EQ(most_common(ground, stride), Shape::ground);
    EXPECT_EQ(most_common(pole, stride), Shape::pole);
    EXPECT_EQ(most_common(block, stride), Shape::scattered);
    std::vector<Voxel> kerb;
    for (int a = 0; a < 20; ++a)
      kerb.push_back({a * stride, 0, 0});
    EXPECT_EQ(most_common(kerb, stride), Shape::other)
        << "a line along the ground must be classified as other";
  }
}

/// Tests that the principal axes of random matrices have length 1, are orthogonal, and reconstruct the
/// matrix.
TEST(Shapes, SpreadIsThatOfTheMatrix) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::array<std::array<double, 3>, 3> root{}, matrix{};
    for (auto& row : root)
      for (double& value : row)
        value = random.uniform(-2, 2);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t c = 0; c < 3; ++c)
          matrix.at(a).at(b) += root.at(a).at(c) * root.at(b).at(c);
    const PrincipalAxes spread = principal_axes_of(matrix);
    EXPECT_TRUE(std::is_sorted(spread.variance.rbegin(), spread.variance.rend()));
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        double again = 0, product = 0;
        for (std::size_t at = 0; at < 3; ++at) {
          again += spread.variance.at(at) * spread.direction.at(at).at(a) * spread.direction.at(at).at(b);
          product += spread.direction.at(a).at(at) * spread.direction.at(b).at(at);
        }
        EXPECT_NEAR(again, matrix.at(a).at(b), 1e-9);
        EXPECT_NEAR(product, a == b ? 1 : 0, 1e-9);
      }
    }
  }
}

class ShapesOfAStreet : public testing::Test {
 protected:
  ShapesOfAStreet() {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    const auto cloud = generate_scene("street", 60'000, 7, job);
    input.scene =
        voxelize_scene(*backend, cloud, Grid{{0.1, 0.1, 0.1}, {}}, PackSpec::bits32(), {5, 16}, job);
    input.kernel_size = 5;
  }
  /// Considers all points in voxels of a shape. Returns the share of these points that have one of the
  /// labels.
  double share(Shape shape, const std::set<std::uint32_t>& labels) {
    Job job;
    const auto rows = rows_of_shape(input.scene->level(1), shape, job);
    const std::set<std::int32_t> there(rows.begin(), rows.end());
    std::int64_t of = 0, found = 0;
    for (std::size_t at = 0; at < input.scene->voxel_of_point.size(); ++at) {
      if (!there.contains(input.scene->voxel_of_point[at])) continue;
      ++of;
      found += labels.contains(input.scene->cloud->label[at]) ? 1 : 0;
    }
    EXPECT_GT(of, 100);
    return static_cast<double>(found) / static_cast<double>(of);
  }
  /// Considers all points with a label. Returns the share of these points that are in scattered voxels.
  double scattered_of(std::uint32_t label) {
    Job job;
    const auto shapes = shapes_of(input.scene->level(1), job);
    std::int64_t of = 0, found = 0;
    for (std::size_t at = 0; at < input.scene->voxel_of_point.size(); ++at) {
      if (input.scene->cloud->label[at] != label) continue;
      ++of;
      const auto row = static_cast<std::size_t>(input.scene->voxel_of_point[at]);
      found += shapes[row] == Shape::scattered ? 1 : 0;
    }
    EXPECT_GT(of, 100);
    return static_cast<double>(found) / static_cast<double>(of);
  }
  LessonInput input;
};

TEST_F(ShapesOfAStreet, AgreeWithTheLabelsOfTheSimulation) {
  EXPECT_GT(share(Shape::wall, {10, 50}), 0.8) << "buildings and the sides of cars must be walls";
  EXPECT_GT(share(Shape::ground, {10, 40, 48}), 0.9)
      << "roads, pavements and the roofs of cars must be ground";
  EXPECT_GT(share(Shape::pole, {70, 80}), 0.5) << "poles and trunks must be poles";
  const double of_leaves = scattered_of(70), of_houses = scattered_of(50);
  EXPECT_GT(of_leaves, 5 * of_houses) << "leaves must be scattered far more often than buildings";
}

TEST_F(ShapesOfAStreet, DensitiesEqualALookUpOfEachNeighbour) {
  Job job;
  std::map<std::string, double> found;
  for (const Fact& fact : shape_facts(input, job))
    found.emplace(fact.name, fact.value);
  const LessonCurves curves = shape_curves(input, job);
  ASSERT_EQ(curves.curves.size(), 5U)
      << "there must be one curve for all voxels and one for each of four shapes";
  const auto all = all_voxels(input.scene->level(1));
  const std::set<Voxel> there(all.begin(), all.end());
  for (std::size_t which = 0; which < told_shapes.size(); ++which) {
    const std::string name = "shapes." + std::string(name_of(told_shapes.at(which)));
    const auto rows = rows_of_shape(input.scene->level(1), told_shapes.at(which), job);
    EXPECT_EQ(found.at(name + ".voxels"), static_cast<double>(rows.size()));
    std::array<double, 7> matches{}, offsets{};
    std::array<double, 3> axis{};
    for (int x = -2; x <= 2; ++x) {
      for (int y = -2; y <= 2; ++y) {
        for (int z = -2; z <= 2; ++z) {
          const auto norm = static_cast<std::size_t>(std::abs(x) + std::abs(y) + std::abs(z));
          double hits = 0;
          for (const std::int32_t row : rows) {
            const Voxel& q = all[static_cast<std::size_t>(row)];
            hits += there.contains({q[0] + x, q[1] + y, q[2] + z}) ? 1 : 0;
          }
          matches.at(norm) += hits;
          ++offsets.at(norm);
          if (norm == 1) axis.at(x != 0 ? 0 : y != 0 ? 1 : 2) += hits / 2;
        }
      }
    }
    const auto count = static_cast<double>(rows.size());
    for (std::size_t norm = 0; norm < 7; ++norm) {
      const double mean = matches.at(norm) / offsets.at(norm) / count;
      EXPECT_NEAR(found.at(name + ".l1." + std::to_string(norm)), mean, 1e-12);
      if (norm > 0) {
        const auto& point = curves.curves.at(which + 1).points.at(norm - 1);
        EXPECT_EQ(point.x, static_cast<int>(norm));
        EXPECT_NEAR(point.value, 100 * mean, 1e-9);
      }
    }
    for (std::size_t at = 0; at < 3; ++at)
      EXPECT_NEAR(found.at(name + ".axis." + "xyz"[at]), axis.at(at) / count, 1e-12);
  }
}

TEST_F(ShapesOfAStreet, SelectedVoxelsHaveTheirOwnCurve) {
  Job job;
  input.rows = {1, 2, 3, 5, 8};
  EXPECT_EQ(shape_curves(input, job).curves.back().of, LessonCurves::Of::chosen);
  input.rows = rows_of_shape(input.scene->level(1), Shape::pole, job);
  EXPECT_NE(shape_curves(input, job).curves.back().of, LessonCurves::Of::chosen)
      << "voxels of one shape must not get a second curve";
}

}  // namespace
}  // namespace spira

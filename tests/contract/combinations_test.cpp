// Tests every combination of mapping, layout, dataflow and packing on synthetic scenes, including
// adversarial ones, against the reference.
#include "tests/contract/combinations.hpp"

#include "tests/support/coord_sets.hpp"

namespace spira {
namespace {

/// Returns one point at the centre of each voxel. Voxels are 1 m wide.
PointCloud in_the_middle_of(const std::vector<Voxel>& voxels) {
  PointCloud cloud;
  for (const Voxel& v : voxels)
    cloud.positions.push_back({v[0] + 0.5, v[1] + 0.5, v[2] + 0.5});
  return cloud;
}

class Combinations : public testing::TestWithParam<test::Shape> {
 protected:
  static void check(const PointCloud& cloud) { test::expect_every_combination(cloud, 1.0, GetParam()); }
};

TEST_P(Combinations, OfRandomVoxels) {
  Random random(11);
  PointCloud cloud;
  for (int at = 0; at < 500; ++at)
    cloud.positions.push_back({random.uniform(0, 16), random.uniform(0, 14), random.uniform(0, 7)});
  check(cloud);
}
TEST_P(Combinations, OfABoxAsLargeAsThePackingsAllow) {
  // Packing 11/11/10 limits x and y, and packing 12/12/8 limits z. The box leaves the guard cells that K = 7
  // at stride 16 needs.
  check(in_the_middle_of(test::box_voxels({2000, 2045, 253}, 1, 150, 12)));
}
TEST_P(Combinations, OfASingleColumn) {
  std::vector<Voxel> column;
  for (std::int32_t z = 0; z < 131; ++z)
    column.push_back({1, 1, z});
  check(in_the_middle_of(column));
}
TEST_P(Combinations, Trap8_OfASingleVoxel) {
  check(in_the_middle_of({{3, 2, 1}}));
}
TEST_P(Combinations, Trap8_OfNoVoxelAtAll) {
  check({});
}

INSTANTIATE_TEST_SUITE_P(Shapes, Combinations,
                         testing::Values(test::Shape{2, 2, Precision::fp32},
                                         test::Shape{3, 1, Precision::fp32},
                                         test::Shape{3, 4, Precision::fp16},
                                         test::Shape{5, 1, Precision::fp16},
                                         test::Shape{7, 1, Precision::fp32}),
                         [](const auto& shape) {
                           return "K" + std::to_string(shape.param.kernel_size) + "s" +
                                  std::to_string(shape.param.stride_out) +
                                  std::string(text_of(shape.param.precision));
                         });

}  // namespace
}  // namespace spira

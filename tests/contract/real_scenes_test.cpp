// Real scenes in every combination of mapping, layout, dataflow and packing.
#include "tests/support/real_scenes.hpp"

#include "engine/scene/reader.hpp"
#include "tests/contract/combinations.hpp"

namespace spira {
namespace {

struct Case {
  const char* file;
  double voxel_m;
  test::Shape shape;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.file << " " << c.shape;
}

class RealScenes : public testing::TestWithParam<Case> {};

TEST_P(RealScenes, EveryMappingLayoutDataflowAndPackingAgrees) {
  SPIRA_NEED_REAL_SCENES();
  const auto file = test::data_folder() / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << GetParam().file;
  Job job;
  const auto cloud = load_scene(file, {}, job);
  ASSERT_GT(cloud->size(), 1000);
  test::expect_every_combination(*cloud, GetParam().voxel_m, GetParam().shape);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, RealScenes,
    testing::Values(Case{"kitti/object_000008_front.bin", 0.1, {3, 1, Precision::fp32}},
                    Case{"kitti/object_000008_front.bin", 0.1, {5, 1, Precision::fp16}},
                    Case{"outdoor/gicp_251371071.pcd", 0.1, {3, 2, Precision::fp16}},
                    Case{"indoor/sunrgbd_000017_6f.bin", 0.05, {2, 2, Precision::fp32}},
                    Case{"indoor/open3d_fragment_binary.pcd", 0.05, {7, 1, Precision::fp32}},
                    Case{"formats/pdal_edge_of_flightline.txt", 1.0, {5, 4, Precision::fp32}}));

}  // namespace
}  // namespace spira

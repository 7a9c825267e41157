// Tests every combination of mapping, layout, dataflow and packing on real scenes, against the reference.
#include "tests/support/real_scenes.hpp"

#include "app/common/backends.hpp"
#include "engine/run/session.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/scene/reader.hpp"
#include "tests/contract/combinations.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/subject.hpp"

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
                    Case{"formats/pdal_edge_of_flightline.txt", 1.0, {5, 4, Precision::fp32}}),
    test::PrintedName{});

TEST(RealScene, GradientsOfEveryDataflowAgree) {
  SPIRA_NEED_REAL_SCENES();
  const auto subject = test::make_subject({3, 0});
  if (subject->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  const Network network = parse_network(
      R"({"layers": [{"name": "a", "out_channels": 7}, {"name": "b", "kernel_size": 2, "stride": 2, "out_channels": 9},
          {"name": "c", "kernel_size": 5, "out_channels": 6}, {"name": "d", "stride": 2, "out_channels": 5},
          {"name": "e", "inputs": ["c"], "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 8},
          {"name": "f", "inputs": ["a", "e"], "out_channels": 5}]})",
      "n.json");
  for (const auto& [file, voxel_m] :
       {std::pair{"kitti/object_000008_front.bin", 0.4}, {"indoor/sunrgbd_000017_6f.bin", 0.1}}) {
    Job job;
    VerifyOptions how;
    how.grid = {{voxel_m, voxel_m, voxel_m}, {}};
    how.quick = how.training = true;
    const auto reference = app::make_registry().make("reference");
    const VerifyResult result =
        verify(*subject, *reference, load_scene(test::data_folder() / file, {}, job), network, how, job);
    std::ptrdiff_t gradients = 0;
    for (const VerifyRow& row : result.rows) {
      gradients += row.setting.starts_with("dgrad") || row.setting.starts_with("wgrad") ? 1 : 0;
      EXPECT_TRUE(row.passed) << row.layer << ", " << row.setting << ": " << row.fault << ", "
                              << row.worst_ratio;
    }
    EXPECT_GT(gradients, 100) << file;
  }
}

// Tests trap 10 in docs/architecture.md on a large scene, in which the number of threads changes how the rows
// are divided.
TEST(RealScene, Trap10_ThreadsDoNotChangeABit) {
  SPIRA_NEED_REAL_SCENES();
  Job job;
  const auto cloud = load_scene(test::data_folder() / "kitti/object_000008_front.bin", {}, job);
  const auto network = std::make_shared<const Network>(parse_network(
      R"({"layers": [{"name": "a", "out_channels": 7}, {"name": "b", "kernel_size": 2, "stride": 2, "out_channels": 13},
          {"name": "c", "kernel_size": 5, "out_channels": 6},
          {"name": "d", "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 9},
          {"name": "e", "inputs": ["a", "d"], "out_channels": 5}]})",
      "n.json"));
  const auto weights = std::make_shared<const NetworkWeights>(seeded_weights(*network, 1));
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const int t : {0, 2, 10}) {
      std::vector<std::byte> expected;
      for (const int threads : {1, 2, 3, 4, 7, 8}) {
        Session session(app::make_registry().make("cpu", {threads, 0}), network, weights);
        static_cast<void>(session.load(cloud, Grid{{0.1, 0.1, 0.1}, {}}, PackSpec::bits64(), precision, job));
        Plan plan = default_plan(*network);
        plan.precision = precision;
        set_threshold(plan, *network, t);
        session.run_all(plan, job, {});
        ASSERT_GT(session.result(0)->features->rows, 5000);
        std::vector<std::byte> found;
        for (int layer = 0; layer < std::ssize(network->layers); ++layer) {
          const auto bytes = session.result(layer)->features->data.host_span<std::byte>();
          found.insert(found.end(), bytes.begin(), bytes.end());
        }
        if (threads == 1) expected = found;
        EXPECT_TRUE(found == expected)
            << text_of(precision) << ", t = " << t << ", " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace spira
